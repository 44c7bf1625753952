import GRDB
import GRDBSQLite

// Preparing a statement costs more than most of ours take to run, so each connection keeps them.
// Where rows are read one by one while other statements run, a statement of its own is needed.
extension Database {
  /// A statement that is compiled once a connection.
  func prepared(_ sql: String) throws -> Statement { try cachedStatement(sql: sql) }

  /// Runs a statement that is compiled once a connection.
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }

  /// Runs a statement with integers, and a blob behind them, by SQLite's own calls: to bind as many
  /// by GRDB takes longer than a small statement does.
  ///
  /// - returns: the blob that is its first row's first column; nil if there is none.
  @discardableResult
  func run(_ sql: String, integers: [Int64], blob: [UInt8]? = nil) throws -> [UInt8]? {
    let handle = try cachedStatement(sql: sql).sqliteStatement
    sqlite3_reset(handle)
    defer {
      sqlite3_reset(handle)
      // The buffer ends with this call: nothing may keep a pointer to it.
      sqlite3_clear_bindings(handle)
    }
    for (index, integer) in integers.enumerated() {
      sqlite3_bind_int64(handle, Int32(index) + 1, integer)
    }
    return try (blob ?? []).withUnsafeBufferPointer { bytes in
      if blob != nil {
        sqlite3_bind_blob(
          handle, Int32(integers.count) + 1, bytes.baseAddress, Int32(bytes.count), nil)
      }
      switch sqlite3_step(handle) {
      case SQLITE_DONE: return nil
      case SQLITE_ROW:
        let count = Int(sqlite3_column_bytes(handle, 0))
        return [UInt8](
          UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, 0), count: count))
      case let code:
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
      }
    }
  }

  /// The integer in the one row that a statement without arguments gives; nil if it gives none, or
  /// NULL.
  ///
  /// By SQLite's own calls: what each transaction asks, it asks thousands of times.
  func integer(_ sql: String) throws -> Int64? {
    let handle = try cachedStatement(sql: sql).sqliteStatement
    defer { sqlite3_reset(handle) }
    let code = sqlite3_step(handle)
    guard code != SQLITE_DONE else { return nil }
    guard code == SQLITE_ROW else {
      throw DatabaseError(resultCode: ResultCode(rawValue: code))
    }
    switch sqlite3_column_type(handle, 0) {
    case SQLITE_INTEGER: return sqlite3_column_int64(handle, 0)
    case SQLITE_NULL: return nil
    default: throw StoredBytes.damage
    }
  }
}
