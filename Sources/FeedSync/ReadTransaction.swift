import CanonicalJSON
import DocumentStorage
import Replication

/// One consistent state of the store, for the body of `read` on a ``DocumentStore``.
///
/// Deleted documents are absent. Where devices wrote different values at once, it shows the later.
public final class ReadTransaction {
  private var current: StoreSnapshot?

  init(_ snapshot: StoreSnapshot) { current = snapshot }

  /// Ends it: the state that it reads is gone.
  func end() { current = nil }

  private func snapshot() throws(FeedSyncError) -> StoreSnapshot {
    guard let current else {
      throw FeedSyncError(
        .usage, operation: "read", message: "the transaction is over",
        hint: "use it only inside the body that it was given to")
    }
    return current
  }

  /// A document with its version; nil if it is absent.
  ///
  /// - throws: ``FeedSyncError`` with `.badInput` for names over the limits.
  public func document(_ id: String, in collection: String) throws -> Document? {
    let key = try DocumentRules.key(collection, id)
    return try snapshot().document(at: key).map { try Document($0) }
  }

  /// A document's content as a value of a type of the program's; nil if it is absent.
  ///
  /// - throws: `DecodingError` if the content does not have that form.
  public func get<Value: Decodable>(
    _ type: Value.Type = Value.self, at id: String, in collection: String
  ) throws -> Value? {
    try document(id, in: collection)?.decode(type)
  }

  /// The collections that have documents, sorted.
  public func collections() throws -> [String] {
    try snapshot().collectionNames().map(\.description)
  }

  /// The ids of a collection's documents, sorted by bytes.
  public func ids(in collection: String) throws -> [String] {
    let name = try DocumentRules.collection(collection, operation: "list ids")
    var ids: [String] = []
    try snapshot().forEachID(in: name) { ids.append($0.description) }
    return ids
  }

  /// Calls `body` with each document, sorted by collection and id.
  ///
  /// Documents are read one after another: any number of them takes the memory of one.
  /// - parameters:
  ///   - collection: The one to go through; nil for all.
  ///   - body: Called with the names and the content; what it throws ends the reading.
  public func forEachDocument(
    in collection: String? = nil, _ body: (_ collection: String, _ id: String, JSON) throws -> Void
  ) throws {
    let name = try collection.map { try DocumentRules.collection($0, operation: "read all") }
    try snapshot().forEachDocument(in: name) { key, bytes in
      try body(
        key.collection.description, key.id.description, try JSON(parsing: bytes, limits: .held))
    }
  }
}
