import CanonicalJSON
import Foundation
import GRDB
import GRDBSQLite
import Replication

/// The rows of documents: reads, and writes through the bare statement.
///
/// GRDB binds arguments at about twice the CPU of the C interface on bulk upserts, which is what an
/// import consists of, so this one table is written through `sqlite3_stmt` directly.
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

  private func storedState(of key: DocumentKey) throws -> [UInt8]? {
    try storedState(of: key, by: reading())
  }

  /// The statement that reads a state: to ask for it takes as long as to find a row.
  func reading() throws -> Statement {
    try db.cachedStatement(sql: "SELECT state FROM documents WHERE collection = ? AND id = ?")
  }

  /// The state in a document's row; nil if there is none.
  func storedState(of key: DocumentKey, by reading: Statement) throws -> [UInt8]? {
    guard let collection = collections.number(of: key.collection) else { return nil }
    return try reading.blob(collection: collection, id: key.id.bytes)
  }

  /// Writes a document's row.
  ///
  /// - returns: whether the document shows.
  @discardableResult
  mutating func save(
    _ state: DocumentState, of key: DocumentKey, number: (StreamID) throws -> Int64
  ) throws -> Bool {
    let row = try DocumentRow(of: state, number: number)
    try save(row, of: key)
    return row.isVisible
  }

  mutating func save(_ row: DocumentRow, of key: DocumentKey) throws {
    try save(row, of: key, by: writing())
  }

  /// The statement that writes a row.
  func writing() throws -> Statement {
    try db.cachedStatement(
      sql: """
        INSERT INTO documents(
          collection, id, visible, conflicts, pending, state, newer, provisional)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT(collection, id) DO UPDATE SET visible = excluded.visible,
          conflicts = excluded.conflicts, pending = excluded.pending, state = excluded.state,
          newer = excluded.newer, provisional = excluded.provisional
        """)
  }

  mutating func save(_ row: DocumentRow, of key: DocumentKey, by writing: Statement) throws {
    let collection = try collections.makeNumber(of: key.collection, db)
    try key.id.bytes.withUnsafeBufferPointer { id in
      try row.state.withUnsafeBufferPointer { state in
        try writing.step(row, collection: collection, id: id, state: state)
      }
    }
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
      bind(text: id, at: 2)
      let code = sqlite3_step(handle)
      guard code != SQLITE_DONE else { return nil }
      guard code == SQLITE_ROW else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
      let count = Int(sqlite3_column_bytes(handle, 0))
      return [UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, 0), count: count))
    }
  }

  private func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
    text.withMemoryRebound(to: CChar.self) { text in
      _ = sqlite3_bind_text(
        sqliteStatement, index, text.baseAddress, Int32(text.count), nil)
    }
  }

  /// Binds and runs the upsert of a document; the buffers must outlive the call only.
  fileprivate func step(
    _ row: DocumentRow, collection: Int64, id: UnsafeBufferPointer<UInt8>,
    state: UnsafeBufferPointer<UInt8>
  ) throws {
    let handle = sqliteStatement
    sqlite3_reset(handle)
    sqlite3_bind_int64(handle, 1, collection)
    bind(text: id, at: 2)
    sqlite3_bind_int64(handle, 3, row.isVisible ? 1 : 0)
    sqlite3_bind_int64(handle, 4, Int64(row.conflictCount))
    sqlite3_bind_int64(handle, 5, Int64(row.pending))
    sqlite3_bind_blob(handle, 6, state.baseAddress, Int32(state.count), nil)
    sqlite3_bind_int64(handle, 7, Int64(row.newer.rawValue))
    sqlite3_bind_int64(handle, 8, Int64(row.provisionalLevel))
    let code = sqlite3_step(handle)
    sqlite3_reset(handle)
    // The buffers end with this call: nothing may keep a pointer to them.
    sqlite3_clear_bindings(handle)
    guard code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }
}
