import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation

struct AttachCommand: StoreCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach", abstract: "Attach a file to a document.",
    discussion: """
      The content goes into the folder, named by its SHA-256, and the document gets a reference \
      to it: {"attachments":{"NAME":[{"name":NAME,"sha256":…,"size":…}]}}. An attachment of that \
      name is replaced; an absent document is made. When the command ends, the content is on the \
      disk, and FILE may go. What this machine has stored already is not written again. Files of \
      any size take little memory. 'feedsync attachments' lists, reads, verifies and removes them.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String
  @Argument(help: "The file, or - to read standard input.", completion: .file()) var file: String
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "What the attachment is called (default: as the file).", valueName: "name"))
  var name: String?
  @Option(help: ArgumentHelp("The media type, such as image/jpeg.", valueName: "type"))
  var type: String?

  func validate() throws {
    guard file != "-" || name != nil else {
      throw ValidationError("standard input has no name: say --as NAME")
    }
  }

  func run() async throws {
    if file != "-" { try Self.requireFile(file) }
    let store = try AttachmentCommands.store(global)
    let result = try await AttachmentCommands.untilInterrupted("attach", global) {
      guard file == "-" else {
        return try store.attach(file, to: id, in: collection, as: name, type: type)
      }
      return try store.attach(
        named: name ?? "", type: type, to: id, in: collection, reading: Self.standardInput)
    }
    AttachmentCommands.warn(of: result.publishingFailure)
    guard global.format == .json else { return }
    var members = AttachmentCommands.json(result)
    members["attachment"] = AttachmentForm.json(result.value)
    Output.line(.object(members))
  }

  /// Refuses folders, and what can be read once only, as what a shell puts in the place of
  /// <(COMMAND).
  ///
  /// The system says of the latter that there is no such device; and a folder is in the way of
  /// nothing, as what is no file in the synced folder would be.
  private static func requireFile(_ file: String) throws {
    var status = stat()
    guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw FeedSyncError(
        .cannotRead, operation: "attach", file: file, message: "it is a folder",
        hint: "attach the files in it one by one, or an archive of it on standard input:"
          + " - in its place, and --as NAME")
    }
    throw FeedSyncError(
      .cannotRead, operation: "attach", file: file,
      message: "it is no file but a pipe, a socket or a device",
      hint: "give what is to be attached on standard input: - in its place, and --as NAME")
  }

  private static func standardInput(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    let pieceBytes = 1 << 18
    var buffer = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      try waitForInput()
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StandardInput.failure(errno) }
      if count == 0 { return }
      try body(buffer[..<count])
    }
  }

  /// Waits until there is something to read, or the command shall end, of which a reading that
  /// waits would not hear.
  private static func waitForInput() throws {
    let milliseconds: Int32 = 100
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while true {
      try Task.checkCancellation()
      let count = poll(&input, 1, milliseconds)
      // Whatever fails, and why, the read itself tells.
      if count > 0 || count < 0 && errno != EINTR { return }
    }
  }
}

/// What the commands on attachments have in common.
enum AttachmentCommands {
  static func store(_ global: GlobalOptions) throws -> DocumentStore {
    DocumentStore(try UbiquityContainer(device: global.open(needsFolder: true)))
  }

  /// Runs work that SIGINT or SIGTERM ends in good order, with nothing half done left behind.
  static func untilInterrupted<Value: Sendable>(
    _ operation: String, _ global: GlobalOptions, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let interruption = Interruption()
    let work = Task { try body() }
    let signals = try interruption.onRequest { work.cancel() }
    defer { signals.cancel() }
    do {
      return try await work.value
    } catch is CancellationError {
      interruption.end(
        InterruptionText(
          operation: operation, message: "interrupted: nothing was changed",
          hint: "start the command again"),
        format: global.format)
      throw CancellationError()
    }
  }

  /// Says why a write could not be published; it stands all the same.
  static func warn(of failure: FeedSyncError?) {
    guard let failure else { return }
    Output.warning(
      FeedSyncError(
        failure.code, operation: failure.operation, file: failure.file,
        message: failure.message
          + "; what was written is safe here and will be published later",
        hint: failure.hint))
  }

  static func json(_ result: WriteResult<some Any>) -> JSONObject {
    [
      "changed": .number(result.changedCount),
      "transaction": result.transaction.map { .text("\($0)") } ?? .null,
    ]
  }
}
