import CanonicalJSON
import DocumentStorage
import Replication

/// A document as it stood when it was read.
///
///     if let document = try store.read({ try $0.document("groceries", in: "notes") }) {
///       print(document.body.canonical, try document.decode(Note.self).title)
///     }
public struct Document: Sendable {
  /// The collection's name: 1 to 64 characters of `a-z0-9._-`.
  public let collection: String
  /// The id in the collection, 1 to 1,024 bytes.
  ///
  /// Ids are bytes: two that `String` calls equal may be two documents. Where users choose ids,
  /// compare their `utf8`.
  public let id: String
  /// The content, an object.
  public let body: JSON
  /// Names this version, for a write that shall count as made on what was read here.
  ///
  /// See `put(_:at:in:basedOn:)` of ``WriteTransaction``.
  public let version: VersionToken
  /// JSON Pointers to what a newer version of feedsync has changed in ways that this one does not
  /// understand; empty for nearly all documents.
  ///
  /// The content is shown without those changes, and cannot be written at, above or below these
  /// paths until this program is updated. Deleting the document is possible.
  public let newerPaths: [String]

  /// The content as a value of a type of the program's.
  ///
  /// - throws: `DecodingError` if the content does not have that form. What other versions of the
  ///   program wrote may have members that this one does not know: they are left alone.
  public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try DocumentDecoder().decode(type, from: body)
  }
}

extension Document {
  init(_ stored: StoredDocument) throws {
    self.init(
      collection: stored.key.collection.description, id: stored.key.id.description,
      body: try JSON(parsing: stored.body, limits: .held),
      version: VersionToken(text: VersionTokenText.encode(stored.token)),
      newerPaths: stored.newerPaths.map(\.pointer))
  }
}

/// Names the version of a document that was read: what its reader had seen.
///
/// It is opaque text; keep it as long as you like, across restarts too, on the same container.
///
///     draft.base = document.version.text  // …and days later:
///     try store.write { writer in
///       try writer.put(draft.note, at: id, in: "notes", basedOn: VersionToken(text: draft.base))
///     }
public struct VersionToken: Hashable, Codable, Sendable {
  /// The text, safe in files, arguments and URLs: what `feedsync get --token` prints.
  public let text: String

  /// A token from its text; whether it is one is told when it is used.
  public init(text: String) { self.text = text }

  func decoded() throws(FeedSyncError) -> Replication.VersionToken {
    guard let token = VersionTokenText.decode(text) else {
      let isNewer = VersionTokenText.isNewer(text)
      throw FeedSyncError(
        .badInput, operation: "read a version token",
        message: isNewer
          ? "a newer feedsync has made this version token" : "this is not a version token",
        hint: isNewer
          ? "read the document here, and use its token"
          : "use what a document's version, or 'feedsync get --token', gives")
    }
    return token
  }
}

/// Names a transaction: which device wrote it, and its number there.
public struct TransactionID: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The device's stream, 32 hexadecimal digits.
  public let stream: String
  /// Counts the transactions of the stream from 1.
  public let sequence: UInt64
  /// Hexadecimal digits with which the transaction's fingerprint begins.
  ///
  /// Needed only where the device was cloned or restored and several transactions have that number.
  /// The `undo` of ``DocumentStore`` refuses to guess, and its error names them all.
  public let branch: String?

  init(stream: String, sequence: UInt64, branch: String? = nil) {
    self.stream = stream
    self.sequence = sequence
    self.branch = branch
  }

  /// `<stream>:<sequence>`, as the command prints it, with `:<branch>` where that is given.
  public var description: String {
    "\(stream):\(sequence)" + (branch.map { ":\($0)" } ?? "")
  }
}

extension TransactionID {
  init?(_ result: StoreWriter.Result) {
    guard let sequence = result.sequence else { return nil }
    self.init(stream: result.stream.description, sequence: sequence)
  }
}
