import GRDBSQLite

/// Tells a common table expression, of which a statement reads no column, from a table.
///
///     CommonTables.has("n", in: text)  // WITH n(i) AS (VALUES (1), (2)) SELECT count(*) FROM n
///
/// SQLite's compiler announces both by their bare names alone. What compiles in a database without
/// any table reads none.
enum CommonTables {
  /// - returns: false where that cannot be told.
  static func has(_ name: String, in text: ArraySlice<CChar>) -> Bool {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let view = "CREATE TEMP VIEW \(QueryRules.view) AS SELECT '' collection, '' id, '' body"
    guard sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_exec(handle, view, nil, nil, nil) == SQLITE_OK, !isBuiltIn(name, handle)
    else { return false }
    return compiles(text, handle)
  }

  /// Whether SQLite has a table of that name in every database.
  private static func isBuiltIn(_ name: String, _ handle: OpaquePointer?) -> Bool {
    let quoted = name.replacing("\"", with: "\"\"")
    let sql = Array("SELECT 1 FROM \"\(quoted)\"".utf8CString)
    return compiles(sql[...], handle)
  }

  private static func compiles(_ text: ArraySlice<CChar>, _ handle: OpaquePointer?) -> Bool {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    return text.withUnsafeBufferPointer { text in
      sqlite3_prepare_v2(handle, text.baseAddress, Int32(text.count), &statement, nil)
        == SQLITE_OK && statement != nil
    }
  }
}
