import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

struct AttachmentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attachments", abstract: "List, read, verify and remove attachments.",
    discussion: """
      'feedsync attach' makes them. Each has a state: here; awaited, where its author may still \
      send it; damaged, where a copy is here that is not what it should be; lost, where no copy \
      is here and nobody is left who could send one.
      """,
    subcommands: [List.self, Get.self, Verify.self, Remove.self], defaultSubcommand: List.self)
}

/// Which attachments a command is about.
struct AttachmentScope: ParsableArguments {
  @Argument(
    help: "The collection; all, if left out.", completion: .custom(CollectionCompletion.names))
  var collection: String?
  @Argument(help: "The document's id; all, if left out.") var id: String?

  func forEach(
    in store: DocumentStore, verifying: Bool, _ body: (AttachmentEntry) throws -> Void
  ) throws {
    guard let collection, let id else {
      return try store.forEachAttachment(in: collection, verifying: verifying, body)
    }
    let entries = try store.attachments(of: id, in: collection, verifying: verifying)
    // A document that is gone may have some in conflict; of none, nothing is whole.
    if entries.isEmpty, try store.read({ try $0.document(id, in: collection) }) == nil {
      throw DocumentReading.absent(
        try DocumentRules.key(collection, id), operation: "attachments")
    }
    try entries.forEach(body)
  }
}

extension AttachmentsCommand {
  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List attachments, and whether they are here.",
      discussion: """
        A line each: state, bytes, document, name; then what is the matter, if something is. \
        Whether one is here is told by its size; 'verify' reads it.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var scope: AttachmentScope

    func run() throws {
      try scope.forEach(in: try AttachmentCommands.store(global), verifying: false) { entry in
        AttachmentsCommand.print(entry, global.format)
      }
    }
  }

  struct Verify: StoreCommand, AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Read attachments, and tell which are not whole here.",
      discussion: "Prints what 'list' prints. The status is 1 unless all are here, and whole.")

    @OptionGroup var global: GlobalOptions
    @OptionGroup var scope: AttachmentScope

    func run() async throws {
      let store = try AttachmentCommands.store(global)
      let (scope, format) = (scope, global.format)
      let isWhole = try await AttachmentCommands.untilInterrupted("attachments verify", global) {
        var isWhole = true
        try scope.forEach(in: store, verifying: true) { entry in
          isWhole = isWhole && entry.availability.isHere
          AttachmentsCommand.print(entry, format)
        }
        return isWhole
      }
      guard isWhole else { throw ExitStatus.found }
    }
  }

  struct Get: StoreCommand, AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "get", abstract: "Print the content of an attachment, or write it into a file.",
      discussion: """
        The content is compared with its hash. A file gets its name once that is right; what is \
        printed was right when it was read a moment before, and should it be changed between, the \
        status is 74. The status is 1 if there is no such attachment, 75 if it has not arrived \
        yet, and 74 if it is damaged or lost.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var attachment: AttachmentArguments
    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("The file to write (default: standard output).", valueName: "file"),
      completion: .file())
    var output: String?
    @Flag(help: "Replace the file, if it is there; no link, device or folder is.")
    var force = false

    /// An empty path is what a script gives whose variable is not set; it would be the working
    /// directory.
    func validate() throws {
      guard output != "" else { throw ValidationError("--output is empty: name a file") }
    }

    func run() async throws {
      let store = try AttachmentCommands.store(global)
      let found = try attachment.find(in: store)
      let (output, force) = (output, force)
      try await AttachmentCommands.untilInterrupted("attachments get", global) {
        if let output, output != "-" {
          try store.export(found, to: output, replacing: force)
        } else {
          try store.read(found) { Output.raw(Array($0)) }
        }
      }
    }
  }

  struct Remove: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Take attachments out of a document, in one transaction.",
      discussion: """
        One that is missing is named, and the status is 1; the others go. The content stays in the \
        folder for as long as anything refers to it, and seven days longer: 'compact', 'watch' and \
        'import' remove it then.
        """)

    @OptionGroup var global: GlobalOptions
    @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
    var collection: String
    @Argument(help: "The document's id.") var id: String
    @Argument(help: "The attachments' names.") var names: [String]

    func run() throws {
      let device = try global.open(needsFolder: false)
      // Which has been said then.
      let isAway = try device.absence() != nil
      let store = DocumentStore(try UbiquityContainer(device: device))
      let result = try store.removeAttachments(
        ManyWords.distinct(names + ManyWords.rest), from: id, in: collection)
      // Of a write that was none, nothing is safe or to be published.
      if !isAway, result.transaction != nil {
        AttachmentCommands.warn(of: result.publishingFailure)
      }
      if global.format == .json { Output.line(.object(AttachmentCommands.json(result))) }
      guard !result.value.isEmpty else { return }
      for name in result.value {
        Output.error(
          AttachmentArguments.absent(name, operation: "attachments remove"), format: global.format)
      }
      throw ExitStatus.notFound
    }
  }

  fileprivate static func print(_ entry: AttachmentEntry, _ format: OutputFormat) {
    switch format {
    case .json: Output.line(AttachmentForm.json(entry))
    case .text: Output.line(AttachmentForm.text(entry))
    }
  }
}

/// One attachment of a document.
struct AttachmentArguments: ParsableArguments {
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String
  @Argument(
    help: "Its name; or where it stands in the document, such as /cover, if not in 'attachments'.")
  var name: String

  /// The attachment that shows, or one that lost a conflict, by its hash.
  func find(in store: DocumentStore) throws -> DocumentAttachment {
    let all = try store.attachments(of: id, in: collection)
    let named = all.first { entry in
      entry.isShown && (entry.path == path || entry.path == name)
    }
    guard let found = named ?? all.first(where: { $0.attachment.sha256 == name }) else {
      throw Self.absent(name, operation: "attachments get")
    }
    return found.attachment
  }

  /// The name as the document keeps it.
  private var path: String {
    let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
    return "/attachments/\(escaped)"
  }

  static func absent(_ name: String, operation: String) -> FeedSyncError {
    FeedSyncError(
      .notFound, operation: operation, message: "the document has no attachment '\(name)'",
      hint: "'feedsync attachments list COLLECTION ID' lists them")
  }
}
