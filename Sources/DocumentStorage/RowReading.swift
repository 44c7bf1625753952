import CanonicalJSON
import GRDB
import Replication

// What the columns of a database hold that may be damaged: GRDB's subscripts end the process over a
// value that is missing or of another kind.
extension Row {
  /// A column's value.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ column: String
  ) throws -> Value {
    do {
      return try decode(forColumn: column)
    } catch is RowDecodingError {
      throw StoredBytes.damage
    }
  }

  /// A column's value, by its place.
  func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(
    _ index: Int
  ) throws -> Value {
    do {
      return try decode(atIndex: index)
    } catch is RowDecodingError {
      throw StoredBytes.damage
    }
  }

  /// A column's number, which is not below zero.
  func number(_ column: String) throws -> UInt64 { try Self.number(value(column)) }

  /// A column's number, by its place.
  func number(_ index: Int) throws -> UInt64 { try Self.number(value(index)) }

  /// The document whose id is in the column `id` and whose collection's name is in `name`.
  func documentKey() throws -> DocumentKey {
    try DocumentKey(
      collection: ByteString(value("name") as String), id: ByteString(value("id") as String))
  }

  private static func number(_ value: Int64) throws -> UInt64 {
    // Every number has one after it.
    guard let number = UInt64(exactly: value), value < .max else { throw StoredBytes.damage }
    return number
  }
}
