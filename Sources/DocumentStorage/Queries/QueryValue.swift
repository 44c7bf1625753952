import CanonicalJSON

/// A value that goes into a query or comes out of it, in SQLite's five types.
package enum QueryValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  /// Text; what SQL makes that is not UTF-8 comes out with U+FFFD in it.
  case text(ByteString)
  case blob([UInt8])
}

/// A row of a query's answer.
package struct QueryRow: Sendable {
  /// The columns' names as the statement gives them; they may repeat.
  package let columns: [ByteString]
  package let values: [QueryValue]
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
