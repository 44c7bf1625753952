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
