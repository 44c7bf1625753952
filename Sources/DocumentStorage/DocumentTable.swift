import CanonicalJSON
import Foundation
import GRDB
import GRDBSQLite
import Replication

/// The rows of documents: reads, and writes (``DocumentBatch``).
package struct DocumentTable {
  let db: Database
  var collections: CollectionNames

  package init(_ db: Database) throws {
    self.db = db
    collections = try CollectionNames(db)
  }

  package func state(of key: DocumentKey, streams: StreamDirectory) throws -> DocumentState {
    let lineage = streams.frontier.lineage
    guard let bytes = try storedState(of: key) else { return DocumentState(lineage: lineage) }
    return try StateCoding.decode(bytes, streams: streams, lineage: lineage)
  }

  /// Whether no document has a row.
  func isEmpty() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM documents)") == 0
  }

  /// The state in a document's row; nil if there is none.
  private func storedState(of key: DocumentKey) throws -> [UInt8]? {
    guard let collection = collections.number(of: key.collection) else { return nil }
    return try db.cachedStatement(
      sql: "SELECT state FROM documents WHERE collection = ? AND id = ?"
    ).blob(collection: collection, id: key.id.bytes)
  }

  /// Writes a document's row.
  ///
  /// - returns: whether the document shows.
  @discardableResult
  mutating func save(
    _ state: DocumentState, of key: DocumentKey, number: (StreamID) throws -> Int64
  ) throws -> Bool {
    var batch = DocumentBatch()
    let isVisible = try save(state, of: key, in: &batch, number: number)
    try write(&batch)
    return isVisible
  }

  /// Takes out the row of a document of which nothing is left.
  func remove(_ key: DocumentKey) throws {
    guard let collection = collections.number(of: key.collection) else { return }
    try db.run(
      "DELETE FROM documents WHERE collection = ? AND id = ?",
      [collection, key.id.description])
  }

  /// Calls `body` with each visible document of a collection, sorted by id.
  func forEachVisible(
    in collection: Int64, columns: String = "id, state", _ body: (Row) throws -> Void
  ) throws {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(columns) FROM documents WHERE collection = ? AND visible ORDER BY id
        """,
      arguments: [collection])
    while let row = try rows.next() { try body(row) }
  }

  /// Whether a document has removals that wait for their closure: each write asks.
  static func hasWaiting(_ db: Database) throws -> Bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM documents INDEXED BY waiting WHERE pending > 0)"
    return try db.integer(sql) == 1
  }

  /// The documents with removals that wait for their closure.
  static func waiting(_ db: Database, byIndex: Bool = true) throws -> [DocumentKey] {
    // SQLite takes the index all the same where only NOT INDEXED forbids it (3.40).
    let (way, plus) = byIndex ? ("INDEXED BY waiting", "") : ("NOT INDEXED", "+")
    let sql = """
      SELECT name, documents.id AS id FROM documents \(way)
      JOIN collections ON collections.id = collection WHERE \(plus)pending > 0
      ORDER BY name, documents.id
      """
    return try Row.fetchAll(db.prepared(sql)).map { try $0.documentKey() }
  }
}

extension Statement {
  /// The first column of the row of a document; nil if there is none.
  fileprivate func blob(collection: Int64, id: [UInt8]) throws -> [UInt8]? {
    let handle = sqliteStatement
    sqlite3_reset(handle)
    return try id.withUnsafeBufferPointer { id in
      // Nothing may keep a pointer to the buffer.
      defer {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
      }
      sqlite3_bind_int64(handle, 1, collection)
      id.withMemoryRebound(to: CChar.self) { text in
        _ = sqlite3_bind_text(handle, 2, text.baseAddress, Int32(text.count), nil)
      }
      let code = sqlite3_step(handle)
      guard code != SQLITE_DONE else { return nil }
      guard code == SQLITE_ROW else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
      let count = Int(sqlite3_column_bytes(handle, 0))
      return [UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, 0), count: count))
    }
  }
}
