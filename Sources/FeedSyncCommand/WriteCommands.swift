import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication
import Syncing

/// Runs a local transaction, publishes it, and prints what writing commands print.
package enum Writing {
  static func run(
    _ global: GlobalOptions, _ body: (inout StoreWriter) throws -> Void
  ) throws {
    let device = try global.open(needsFolder: false)
    let result = try device.database.writeDocuments(
      now: device.ambient.time, nonce: device.nonce,
      isPublishedAtOnce: try device.absence() == nil, body)
    publish(device)
    report(result.changed, result, format: global.format)
  }

  /// What came of publishing what waits.
  enum Publication: Sendable {
    case done
    /// The folder is away for now, which is no failure.
    case away
    case failed(FeedSyncError)

    var isDone: Bool { if case .done = self { true } else { false } }
  }

  /// Publishes what waits; where that fails, the write stands, and a later command publishes it: a
  /// warning says so.
  static func publish(_ device: Device) {
    if case .failed(let error) = publication(of: device) { Output.warning(error) }
  }

  /// Publishes what waits, and says nothing.
  static func publication(
    of device: Device, remembering memory: Publisher.Memory = Publisher.Memory(),
    unless isStopping: () -> Bool = { false }
  ) -> Publication {
    do {
      guard try device.absence() == nil else { return .away }
      try Publisher(device: device).publishOwn(remembering: memory, unless: isStopping)
      return .done
    } catch {
      return .failed(failure(error))
    }
  }

  /// What has kept from being published what is written.
  package static func failure(_ error: any Error) -> FeedSyncError {
    if case StorageError.replaced(let file) = error {
      return FeedSyncError(
        .tryAgain, operation: "publish", file: file.string,
        message: "the database was removed, or another put in its place, since this was written",
        hint: "a 'rebuild' brings along what it puts aside; look whether it is there")
    }
    let failure = FeedSyncError(error, operation: "publish")
    return FeedSyncError(
      failure.code, operation: failure.operation, file: failure.file ?? "the folder",
      message: failure.message + "; what was written is safe here and will be published later",
      hint: failure.hint)
  }

  static func report(_ changed: Int, _ result: StoreWriter.Result?, format: OutputFormat) {
    guard format == .json else { return }
    Output.line(.object(json(changed, result)))
  }

  static func json(_ changed: Int, _ result: StoreWriter.Result?) -> JSONObject {
    let transaction: JSON =
      if let result, let sequence = result.sequence {
        .text("\(result.stream):\(sequence)")
      } else {
        .null
      }
    return ["changed": .number(changed), "transaction": transaction]
  }

  static let stale = FeedSyncError(
    .tryAgain, operation: "write the document",
    message: "the version that --base names has been deleted or rewritten since",
    hint: "read the document again, and write with its new token")
}

struct PutCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "put", abstract: "Write a document whole.",
    discussion: """
      Only what differs from the present version, or from the one that --base names, becomes a \
      change; so concurrent edits of other members survive. Where an object that --base showed \
      is gone now, only the members that were changed come back in it, and not those that were \
      left as they were.

      Each write with a token counts as made on what was read then: of two with the same token \
      that change one member, the later shows, and the other is kept as a conflict. Read again \
      after a write, and use the new token.

      The token of a large document is too long for an argument; and on standard error it may \
      stand behind warnings. So it may be read from a file: 'get --token notes x 2> token', then \
      'put notes x - --base @token'.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(
    help: "The collection: 1 to 64 of a-z 0-9 . _ -",
    completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String
  @Argument(help: "A JSON object, or - to read it from standard input.") var json: String
  @Option(
    help: ArgumentHelp(
      "The version token, from 'get --token', that the new body was made from; or @FILE, of which"
        + " the last line is it.",
      valueName: "token"))
  var base: String?

  func run() throws {
    let key = try DocumentRules.key(collection, id)
    let body = try DocumentArguments.body(
      try DocumentArguments.content(json), operation: "put")
    let token = try base.map { try DocumentArguments.token($0, operation: "put") }
    try Writing.run(global) { writer in
      if case .stale = try writer.put(body, at: key, token: token) { throw Writing.stale }
    }
  }
}

struct PatchCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "patch",
    abstract: "Change members of a document by a JSON merge patch (RFC 7396).",
    discussion: "A member that is null in the patch is removed. An absent document is made.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The document's id.") var id: String
  @Argument(help: "A JSON object, or - to read it from standard input.") var json: String

  func run() throws {
    let key = try DocumentRules.key(collection, id)
    let patch = try DocumentArguments.json(
      try DocumentArguments.content(json), operation: "patch")
    try DocumentRules.check(patch: patch)
    try Writing.run(global) { writer in
      _ = try writer.patch(patch, at: key) {
        try DocumentRules.check($0, operation: "patch")
      }
    }
  }
}

struct DeleteCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete documents, in one transaction.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "The collection.", completion: .custom(CollectionCompletion.names))
  var collection: String
  @Argument(help: "The documents' ids.") var ids: [String]

  func run() throws {
    let keys = try ManyWords.distinct(ids + ManyWords.rest).map {
      try DocumentRules.key(collection, $0)
    }
    var missing: [DocumentKey] = []
    try Writing.run(global) { writer in
      for key in keys {
        if case .absent = try writer.delete(key) { missing.append(key) }
      }
    }
    guard !missing.isEmpty else { return }
    for key in missing {
      Output.error(DocumentReading.absent(key, operation: "delete"), format: global.format)
    }
    throw ExitStatus.notFound
  }
}
