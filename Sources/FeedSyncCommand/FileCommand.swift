import ArgumentParser
import CanonicalJSON
import FeedSync
import SystemPackage

struct FileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Your own files in the container, and the versions that a syncer has kept of them.",
    discussion: """
      The folder Documents in the container is for files of your own. When two machines change one \
      at the same time, the syncer keeps both: one in place, the other as a conflict copy beside \
      it. Conflict copies of Syncthing, Dropbox and Nextcloud are shown as versions of their file. \
      Nothing is deleted without being asked.
      """,
    subcommands: [List.self, Versions.self, Open.self, Resolve.self, Discard.self],
    defaultSubcommand: List.self)

  struct Versions: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "versions", abstract: "List the versions of a file.",
      discussion: """
        The current one, those in conflict, and those that were kept on this machine when a \
        conflict was settled. Each has a number, a handle of eight digits and letters, and an \
        identifier, which name it for the other commands. Numbers change when versions come and \
        go. Handle and identifier stay, and nothing is deleted for good without one of them; the \
        handle also says that the version is as it was listed.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var file: DocumentArgument

    func run() throws {
      let folder = try FileCommand.folder(global)
      for (number, version) in try FileVersions(of: file.path, in: folder).numbered {
        switch global.format {
        case .json: Output.line(FileForm.json(version, number: number))
        case .text: Output.line(FileForm.text(version, number: number))
        }
      }
    }
  }

  static func folder(_ global: GlobalOptions) throws -> DocumentFolder {
    let notices = CoordinationNotices(global)
    return try UbiquityContainer(device: try global.open(needsFolder: true)).documents(
      onWait: { notices.tell(waitingFor: $0) }, onLapse: { notices.tell($0) })
  }
}

/// The file that a command is about.
struct DocumentArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "A file in Documents: its path from there, or from the current directory.",
      valueName: "file"),
    completion: .file())
  var path: String
}

/// The versions of a file, as they are numbered for people.
struct FileVersions {
  /// A version that somebody has named.
  struct Named {
    let version: FileVersion
    /// Whether by its number, which may be another version's since it was read off a list.
    let isByNumber: Bool
  }

  let file: FilePath
  let current: FileVersion?
  let others: [FileVersion]
  /// What stands where the current one would be, if it is no file.
  private let obstacle: DocumentFileError?

  init(of text: String, in folder: DocumentFolder) throws {
    let file = folder.document(named: text)
    self.file = file
    let found = Result { try folder.currentVersion(of: file) }
    guard let others = try folder.otherVersions(of: file) else {
      throw DocumentFileError.notFound(path: file.string)
    }
    self.others = others
    switch found {
    case .success(let version): (current, obstacle) = (version, nil)
    case .failure(let error):
      // What took the file's place took none of the others, which can be looked at all the same.
      guard let error = error as? DocumentFileError, case .notAFile = error, !others.isEmpty
      else { throw error }
      (current, obstacle) = (nil, error)
    }
  }

  /// The current one is number 0.
  var numbered: [(Int, FileVersion)] {
    (current.map { [(0, $0)] } ?? []) + others.enumerated().map { ($0.offset + 1, $0.element) }
  }

  /// The version that an identifier, a handle or a number names.
  func named(_ name: String) throws -> Named {
    if let version = versionByName(name) { return Named(version: version, isByNumber: false) }
    // Not "00000001", which is a handle that no version has any more.
    guard let number = Int(name), "\(number)" == name,
      let found = numbered.first(where: { $0.0 == number })
    else { throw absence(of: name) }
    // The current one is always number 0.
    return Named(version: found.1, isByNumber: number != 0)
  }

  /// Why there is no version of that name.
  private func absence(of name: String) -> DocumentFileError {
    if let obstacle, ["current", "0"].contains(name) { return obstacle }
    return .noSuchVersion(path: file.string, version: name)
  }

  private func versionByName(_ name: String) -> FileVersion? {
    let all = numbered.map(\.1)
    // Two identifiers may differ in their bytes alone.
    if let found = all.first(where: { $0.persistentIdentifier.utf8.elementsEqual(name.utf8) }) {
      return found
    }
    let found = all.filter { $0.handle == name }
    return found.count == 1 ? found.first : nil
  }
}

/// How files and versions are printed.
enum FileForm {
  static func text(_ version: FileVersion, number: Int) -> String {
    let kind =
      switch version.origin {
      case .current: "current"
      case .conflict: "in conflict"
      case .kept: "kept here"
      }
    let author = version.localizedNameOfSavingComputer.map { ", by \(NameText.escaped($0))" }
    let name = NameText.escaped(version.persistentIdentifier)
    return
      "\(number): \(kind), \(CountText.of(version.size, "byte")),"
      + " \(HistoryForm.time(version.modificationDate))"
      + (author ?? "") + "  \(version.handle)" + (version.origin == .current ? "" : "  \(name)")
  }

  static func json(_ version: FileVersion, number: Int) -> JSON {
    .object([
      "number": .number(number), "handle": .text(version.handle),
      "version": .text(version.persistentIdentifier),
      "origin": .text(version.origin.rawValue), "size": .number(version.size),
      "modified": .text(HistoryForm.time(version.modificationDate)),
      "by": version.localizedNameOfSavingComputer.map { .text($0) } ?? .null,
      "resolved": .bool(version.isResolved), "path": .text(version.path.string),
    ])
  }
}
