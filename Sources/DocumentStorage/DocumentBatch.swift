import GRDB
import GRDBSQLite
import Replication

/// Rows of documents on their way into the table, many of them by one statement.
///
/// That takes two thirds of what a statement for each takes, most of which is to open and close the
/// table and its indexes. GRDB binds arguments at about twice the CPU of the C interface, so they
/// are bound to the `sqlite3_stmt` directly.
struct DocumentBatch {
  /// So many at once: more are hardly faster.
  static let rows = 32
  /// It counts as full where its rows are large.
  private static let mostBytes = 256 << 10

  private struct Entry {
    let collection: Int64
    /// Where in `bytes` its id ends, and its state.
    let ends: (id: Int, state: Int)
    let isVisible: Bool
    let conflictCount: Int
    let pending: Int
    let newer: KindCodes
    let provisionalLevel: Int
  }

  private var entries: [Entry] = []
  /// Ids and states, one behind the other, so that they stay in their places while SQLite reads.
  private var bytes: [UInt8] = []
  private var encoder = StateEncoder()

  var isEmpty: Bool { entries.isEmpty }
  var isFull: Bool { entries.count >= Self.rows || bytes.count >= Self.mostBytes }

  /// - parameter states: Where the row's stands.
  mutating func append(
    _ row: DocumentRow, of states: [UInt8], id: ArraySlice<UInt8>, collection: Int64
  ) {
    bytes += id
    let idEnd = bytes.count
    bytes += states[row.state]
    append(row, idEnd: idEnd, collection: collection)
  }

  /// - returns: whether the document shows.
  mutating func append(
    _ state: DocumentState, id: [UInt8], collection: Int64, number: (StreamID) throws -> Int64
  ) throws -> Bool {
    let start = bytes.count
    bytes += id
    let idEnd = bytes.count
    do {
      let row = try DocumentRow(of: state, by: &encoder, to: &bytes, number: number)
      append(row, idEnd: idEnd, collection: collection)
      return row.isVisible
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
  }

  private mutating func append(_ row: DocumentRow, idEnd: Int, collection: Int64) {
    entries.append(
      Entry(
        collection: collection, ends: (idEnd, bytes.count), isVisible: row.isVisible,
        conflictCount: row.conflictCount, pending: row.pending, newer: row.newer,
        provisionalLevel: row.provisionalLevel))
  }

  /// Writes its rows, and is empty then.
  ///
  /// - parameter statement: Gives one that writes so many rows: as many as fit, or one.
  mutating func write(by statement: (Int) throws -> Statement) throws {
    defer {
      entries.removeAll(keepingCapacity: true)
      bytes.removeAll(keepingCapacity: true)
    }
    try bytes.withUnsafeBytes { bytes in
      guard entries.count < Self.rows else {
        return try write(entries.indices, bytes, by: statement(entries.count))
      }
      let one = try statement(1)
      for index in entries.indices { try write(index..<index + 1, bytes, by: one) }
    }
  }

  private func write(
    _ range: Range<Int>, _ bytes: UnsafeRawBufferPointer, by statement: Statement
  ) throws {
    let handle = statement.sqliteStatement
    sqlite3_reset(handle)
    // The buffer ends with this call: nothing may keep a pointer to it.
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    var start = range.first.map { $0 > 0 ? entries[$0 - 1].ends.state : 0 } ?? 0
    var parameter: Int32 = 1
    for index in range {
      bind(index, from: start, bytes, to: handle, parameter)
      start = entries[index].ends.state
      parameter += Self.columns
    }
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
  }

  /// How many parameters a row has.
  private static let columns: Int32 = 8

  private func bind(
    _ index: Int, from start: Int, _ bytes: UnsafeRawBufferPointer, to handle: SQLiteStatement?,
    _ first: Int32
  ) {
    let entry = entries[index]
    let id = UnsafeRawBufferPointer(rebasing: bytes[start..<entry.ends.id])
    let state = UnsafeRawBufferPointer(rebasing: bytes[entry.ends.id..<entry.ends.state])
    sqlite3_bind_int64(handle, first, entry.collection)
    sqlite3_bind_text(
      handle, first + 1, id.assumingMemoryBound(to: CChar.self).baseAddress, Int32(id.count), nil)
    sqlite3_bind_int64(handle, first + 2, entry.isVisible ? 1 : 0)
    sqlite3_bind_int64(handle, first + 3, Int64(entry.conflictCount))
    sqlite3_bind_int64(handle, first + 4, Int64(entry.pending))
    sqlite3_bind_blob(handle, first + 5, state.baseAddress, Int32(state.count), nil)
    sqlite3_bind_int64(handle, first + 6, Int64(entry.newer.rawValue))
    sqlite3_bind_int64(handle, first + 7, Int64(entry.provisionalLevel))
  }

  /// The statement that writes so many rows.
  static func sql(rows: Int) -> String {
    let row = "(" + repeatElement("?", count: Int(columns)).joined(separator: ", ") + ")"
    return """
      INSERT INTO documents(
        collection, id, visible, conflicts, pending, state, newer, provisional)
      VALUES \(repeatElement(row, count: rows).joined(separator: ", "))
      ON CONFLICT(collection, id) DO UPDATE SET visible = excluded.visible,
        conflicts = excluded.conflicts, pending = excluded.pending, state = excluded.state,
        newer = excluded.newer, provisional = excluded.provisional
      """
  }
}

extension DocumentTable {
  private static let one = DocumentBatch.sql(rows: 1)
  private static let many = DocumentBatch.sql(rows: DocumentBatch.rows)

  /// Adds a row to those that are written together, and writes them if they are enough.
  ///
  /// - returns: whether the document shows.
  mutating func save(
    _ state: DocumentState, of key: DocumentKey, in batch: inout DocumentBatch,
    number: (StreamID) throws -> Int64
  ) throws -> Bool {
    let collection = try collections.makeNumber(of: key.collection, db)
    let isVisible = try batch.append(
      state, id: key.id.bytes, collection: collection, number: number)
    if batch.isFull { try write(&batch) }
    return isVisible
  }

  /// Writes what is left of a batch.
  func write(_ batch: inout DocumentBatch) throws {
    guard !batch.isEmpty else { return }
    try batch.write { rows in try db.cachedStatement(sql: rows == 1 ? Self.one : Self.many) }
  }
}
