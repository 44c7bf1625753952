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

  /// Runs a statement by SQLite's own calls, as each transaction does several times: to bind as
  /// much by GRDB takes longer than a small statement does.
  ///
  /// - returns: the blob that is its first row's first column; nil if there is none.
  @discardableResult
  func run(_ sql: String, bound values: [BoundValue]) throws -> [UInt8]? {
    let handle = try cachedStatement(sql: sql).sqliteStatement
    sqlite3_reset(handle)
    defer {
      sqlite3_reset(handle)
      sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() { value.bind(to: handle, Int32(index) + 1) }
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

/// What stands for a parameter of a statement.
enum BoundValue {
  case null
  case integer(Int64)
  case blob([UInt8])
  case text(String)

  static func integer(_ value: Int64?) -> Self { value.map { .integer($0) } ?? .null }

  static func blob(_ value: [UInt8]?) -> Self { value.map { .blob($0) } ?? .null }

  /// Tells SQLite to make a copy.
  private static let copying = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  fileprivate func bind(to statement: OpaquePointer, _ index: Int32) {
    switch self {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let value): sqlite3_bind_int64(statement, index, value)
    case .text(let value): sqlite3_bind_text(statement, index, value, -1, Self.copying)
    case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
    case .blob(let bytes):
      sqlite3_bind_blob64(
        statement, index, bytes, sqlite3_uint64(bytes.count), Self.copying)
    }
  }
}
