import Foundation
import GRDB
import GRDBSQLite

/// A row as a statement gives it, read in its place by SQLite's own calls.
///
/// GRDB looks up for each value how its type is decoded, which takes several times as long as to
/// read it. What is missing, or of another kind than the column's, is damage here as well.
struct BareRow {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  func value(_ index: Int) throws -> Int64 { try present(value(index)) }

  func value(_ index: Int) throws -> Int64? {
    guard try isPresent(index, as: SQLITE_INTEGER) else { return nil }
    return sqlite3_column_int64(handle, Int32(index))
  }

  func value(_ index: Int) throws -> Int { try present(value(index)) }

  func value(_ index: Int) throws -> Int? { (try value(index) as Int64?).map { Int($0) } }

  func value(_ index: Int) throws -> Bool { try value(index) as Int64 != 0 }

  func value(_ index: Int) throws -> String { try present(value(index)) }

  func value(_ index: Int) throws -> String? {
    guard try isPresent(index, as: SQLITE_TEXT) else { return nil }
    return String(decoding: bytes(sqlite3_column_text(handle, Int32(index)), index), as: UTF8.self)
  }

  func value(_ index: Int) throws -> Data { try present(value(index)) }

  func value(_ index: Int) throws -> Data? {
    guard try isPresent(index, as: SQLITE_BLOB) else { return nil }
    return Data(bytes(sqlite3_column_blob(handle, Int32(index)), index))
  }

  /// A number that is not below zero, and has one after it.
  func number(_ index: Int) throws -> UInt64 {
    let value: Int64 = try value(index)
    guard value >= 0, value < .max else { throw StoredBytes.damage }
    return UInt64(value)
  }

  private func present<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw StoredBytes.damage }
    return value
  }

  private func isPresent(_ index: Int, as type: Int32) throws -> Bool {
    let found = sqlite3_column_type(handle, Int32(index))
    guard found != SQLITE_NULL else { return false }
    guard found == type else { throw StoredBytes.damage }
    return true
  }

  private func bytes(_ start: UnsafeRawPointer?, _ index: Int) -> UnsafeRawBufferPointer {
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, Int32(index)))
    return UnsafeRawBufferPointer(start: start, count: count)
  }
}

extension Database {
  /// Reads each row that a statement gives, which is compiled once a connection.
  ///
  /// - parameter body: does not run the same statement.
  func forEachRow(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(),
    _ body: (BareRow) throws -> Void
  ) throws {
    let statement = try cachedStatement(sql: sql)
    let handle = statement.sqliteStatement
    sqlite3_reset(handle)
    try statement.setArguments(arguments)
    defer { sqlite3_reset(handle) }
    while true {
      let code = sqlite3_step(handle)
      guard code != SQLITE_DONE else { return }
      guard code == SQLITE_ROW else {
        throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
      }
      try body(BareRow(handle))
    }
  }

  /// What is made of each row, as ``forEachRow(_:_:_:)`` reads them.
  func read<Value>(
    _ sql: String, _ arguments: StatementArguments = StatementArguments(),
    _ read: (BareRow) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    try forEachRow(sql, arguments) { values.append(try read($0)) }
    return values
  }
}
