import CanonicalJSON
import GRDB
import GRDBSQLite

/// Reads the states of documents in the order of their keys.
///
/// It goes on from one row to the next where the one that is asked for is near, which takes a
/// quarter of what it takes to find one: an import has come to most documents before.
///
///     var states = StatesInOrder(statement)
///     var bytes: [UInt8] = []
///     try states.appendState(of: first, in: notes, to: &bytes)
///     try states.appendState(of: third, in: notes, to: &bytes)
///
/// What is written meanwhile it may see or not.
package struct StatesInOrder: ~Copyable {
  package static let sql =
    "SELECT id, state FROM documents WHERE collection = ? AND id >= ? ORDER BY id"

  private let handle: SQLiteStatement?
  /// The collection in which it stands; nil before the first.
  private var collection: Int64?
  /// Whether it stands at a row there, and not behind the last.
  private var isAtRow = false

  /// Beyond so many rows the next is looked up.
  private static let mostSteps = 4

  /// - parameter statement: That of ``sql``, of which nothing else makes use until the end.
  package init(_ statement: Statement) {
    handle = statement.sqliteStatement
    sqlite3_reset(handle)
  }

  deinit {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  /// Appends the state in a document's row.
  ///
  /// - parameter id: Behind those that were asked for before in the same collection.
  /// - returns: whether there is one.
  package mutating func appendState(
    of id: UnsafeRawBufferPointer, in collection: Int64, to bytes: inout [UInt8]
  ) throws -> Bool {
    if collection != self.collection { try find(id, in: collection) }
    var steps = 0
    while isAtRow {
      let order = order(of: id)
      if order == 0 { appendState(to: &bytes) }
      if order <= 0 { return order == 0 }
      steps += 1
      if steps > Self.mostSteps { try find(id, in: collection) } else { try step() }
    }
    return false
  }

  /// Goes to the first row that does not stand before a document's.
  private mutating func find(_ id: UnsafeRawBufferPointer, in collection: Int64) throws {
    sqlite3_reset(handle)
    self.collection = collection
    sqlite3_bind_int64(handle, 1, collection)
    // It copies them.
    sqlite3_bind_text(
      handle, 2, id.assumingMemoryBound(to: CChar.self).baseAddress, Int32(id.count),
      unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    try step()
  }

  private mutating func step() throws {
    let code = sqlite3_step(handle)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    isAtRow = code == SQLITE_ROW
  }

  /// Below zero where an id stands before that of the row, zero where it is that.
  private func order(of id: UnsafeRawBufferPointer) -> Int {
    let count = Int(sqlite3_column_bytes(handle, 0))
    return id.order(to: UnsafeRawBufferPointer(start: sqlite3_column_text(handle, 0), count: count))
  }

  private func appendState(to bytes: inout [UInt8]) {
    let count = Int(sqlite3_column_bytes(handle, 1))
    bytes.append(
      contentsOf: UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, 1), count: count))
  }
}
