import CanonicalJSON

/// A value that SQLite takes or gives.
///
///     try store.rows("SELECT id FROM documents WHERE body ->> '$.feed' = ?", arguments: ["a"])
public enum QueryValue: Hashable, Sendable {
  /// `NULL`; also what JSON's null becomes.
  case null
  /// An integer; JSON's `true` and `false` become 1 and 0.
  case integer(Int64)
  /// A double, possibly infinite.
  case real(Double)
  /// Text; what SQL makes that is not UTF-8 comes out with U+FFFD in it.
  case text(ByteString)
  /// Bytes.
  case blob([UInt8])
}

extension QueryValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .text(ByteString(value)) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A double.
  public init(floatLiteral value: Double) { self = .real(value) }
}

/// A row of a query's answer.
public struct QueryRow: Sendable {
  /// The columns' names as the statement gives them; they may repeat.
  public let columns: [ByteString]
  /// The values, one for each column.
  public let values: [QueryValue]

  /// The value of the first column of a name; nil if there is none.
  public subscript(column: ByteString) -> QueryValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }
}

/// Why a query cannot be answered, where it is the statement that is at fault.
package enum QueryError: Error, Equatable, Sendable {
  /// It does more than read documents, such as `DELETE` or `PRAGMA`; nil where SQLite does not say.
  case writes(String?)
  /// It reads what is not open to queries.
  case reads(String)
  /// There is no statement in the text.
  case empty
  /// There is more than one statement in the text.
  case several
  /// SQLite does not understand it, or it fails while it runs.
  case failed(String)
  /// It has another number of parameters than arguments were given.
  case arguments(expected: Int, given: Int)
}
