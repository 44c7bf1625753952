import FolderWatching
import SystemFiles
import SystemPackage

/// Reads a folder of documents, all of it or what may have changed; blocks while it does.
struct FolderSurvey: Sendable {
  /// How deep folders are looked into.
  static let maximumDepth = 64
  /// How many names all folders may have together.
  static let maximumCount = 100_000

  let root: FilePath
  let hints: any FolderHints
  let look: FolderContents.Look
  private(set) var snapshot = FolderSnapshot()

  init(_ root: FilePath, hints: any FolderHints, look: @escaping FolderContents.Look) {
    self.root = root
    self.hints = hints
    self.look = look
  }

  /// Whether hints tell of everything that may change.
  var isWatched: Bool {
    hints.seesAll && snapshot.problems.allSatisfy { $0.value.isAnswer }
  }

  /// Reads everything anew.
  ///
  /// - throws: ``DocumentFileError`` if the folder itself cannot be read; nothing has changed then.
  mutating func readAll() throws {
    let former = snapshot
    var fresh = self
    fresh.snapshot = FolderSnapshot()
    try fresh.readRoot()
    snapshot = fresh.snapshot
    for (path, error) in snapshot.problems where !error.isTooMany {
      // What cannot be read now is not gone.
      snapshot.keep(path, of: former, error)
    }
    for path in former.folders.keys where snapshot.folders[path] == nil { hints.forget(path) }
  }

  /// Reads folders that may have changed, and those that are new in them.
  mutating func read(_ directories: Set<FilePath>) throws {
    let former = Set(snapshot.folders.keys)
    if directories.contains(root) { try readRoot() }
    let others = directories.subtracting([root]).filter { $0.starts(with: root) }
    for path in others.sorted(by: { $0.components.count < $1.components.count })
    where snapshot.folders[path] != nil {
      read(below: [path])
    }
    for path in former where snapshot.folders[path] == nil { hints.forget(path) }
  }

  private mutating func readRoot() throws {
    // Subscribe, then look.
    hints.watch(root)
    do {
      let entries = try look(root, [], Self.maximumCount + 1)
      let contents = FolderContents(of: root, in: root, entries)
      guard contents.count <= Self.maximumCount else { throw tooMany(root) }
      read(below: snapshot.put(contents, at: root))
    } catch let error as FileError {
      throw DocumentFileError(error)
    }
  }

  private mutating func read(below first: [FilePath]) {
    var waiting = first
    while let path = waiting.popLast() {
      do {
        waiting += try readOne(path)
      } catch let error as FileError {
        // It is gone, or has become something else; if it comes back, its folder tells.
        if [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels]
          .contains(error.errno)
        {
          snapshot.remove([path])
        } else {
          snapshot.fail(DocumentFileError(error), at: path)
        }
      } catch let error as DocumentFileError {
        snapshot.fail(error, at: path)
      } catch {
        snapshot.fail(.unreadable(path: path.string, reason: "\(error)"), at: path)
      }
    }
  }

  private mutating func readOne(_ path: FilePath) throws -> [FilePath] {
    let names = Array(path.components.dropFirst(root.components.count))
    guard names.count <= Self.maximumDepth else { throw tooMany(path) }
    let left = Self.maximumCount - snapshot.count + (snapshot.folders[path]?.count ?? 0)
    hints.watch(path)
    let entries = try look(root, names, left + 1)
    guard entries.count <= left else { throw tooMany(path) }
    return snapshot.put(FolderContents(of: path, in: root, entries), at: path)
  }

  private func tooMany(_ path: FilePath) -> DocumentFileError {
    .tooMany(path: path.string, limit: Self.maximumCount, depth: Self.maximumDepth)
  }
}

extension DocumentFileError {
  fileprivate var isTooMany: Bool { if case .tooMany = self { true } else { false } }

  /// Whether it stays as it is until a change of the folder is told.
  fileprivate var isAnswer: Bool {
    switch self {
    case .tooMany: true
    case .system(_, _, let errno):
      [.permissionDenied, .notPermitted].contains(Errno(rawValue: errno))
    default: false
    }
  }
}
