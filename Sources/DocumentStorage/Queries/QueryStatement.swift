import CanonicalJSON
import GRDB
import GRDBSQLite

/// A prepared statement of a query.
final class QueryStatement {
  private let handle: OpaquePointer
  private let connection: QueryConnection
  let columns: [ByteString]

  init(_ handle: OpaquePointer, connection: QueryConnection) {
    self.handle = handle
    self.connection = connection
    columns = (0..<sqlite3_column_count(handle)).map { index in
      ByteString(sqlite3_column_name(handle, index).map { String(cString: $0) } ?? "")
    }
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether it is an `EXPLAIN` of some kind.
  var isExplanation: Bool { sqlite3_stmt_isexplain(handle) != 0 }

  func bind(_ arguments: [QueryValue]) throws {
    let expected = Int(sqlite3_bind_parameter_count(handle))
    guard expected == arguments.count else {
      throw QueryError.arguments(expected: expected, given: arguments.count)
    }
    for (index, argument) in arguments.enumerated() {
      let code = bind(argument, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw connection.failure(code) }
    }
  }

  /// SQLITE_TRANSIENT, whose C macro Swift cannot read: SQLite makes a copy.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private func bind(_ value: QueryValue, at index: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(handle, index)
    case .integer(let number): sqlite3_bind_int64(handle, index, number)
    case .real(let number): sqlite3_bind_double(handle, index, number)
    case .text(let text):
      // With a byte behind it, since SQLite takes a pointer that is nil for NULL.
      (text.bytes + [0]).withUnsafeBytes { bytes in
        sqlite3_bind_text64(
          handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt64(text.bytes.count), Self.copied, UInt8(SQLITE_UTF8))
      }
    case .blob(let content):
      content.withUnsafeBytes { bytes in
        bytes.isEmpty
          ? sqlite3_bind_zeroblob(handle, index, 0)
          : sqlite3_bind_blob64(
            handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
      }
    }
  }

  /// Calls `row` with each row as it is found.
  func forEachRow(_ row: (QueryRow) throws -> Void) throws {
    try connection.watchingForCancellation {
      while true {
        let code = sqlite3_step(handle)
        if code == SQLITE_DONE { return }
        guard code == SQLITE_ROW else { throw connection.failure(code) }
        let values = columns.indices.map { value(at: Int32($0)) }
        try row(QueryRow(columns: columns, values: values))
      }
    }
  }

  private func value(at index: Int32) -> QueryValue {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
    case SQLITE_TEXT:
      let bytes = bytes(sqlite3_column_text(handle, index), at: index)
      return .text(ByteString(utf8: bytes) ?? ByteString(String(decoding: bytes, as: UTF8.self)))
    case SQLITE_BLOB: return .blob(bytes(sqlite3_column_blob(handle, index), at: index))
    default: return .null
    }
  }

  private func bytes(_ start: UnsafeRawPointer?, at index: Int32) -> [UInt8] {
    let count = Int(sqlite3_column_bytes(handle, index))
    return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
