import GRDB

// Preparing a statement costs more than most of ours take to run, so each connection keeps them.
// Where rows are read one by one while other statements run, a statement of its own is needed.
extension Database {
  /// A statement that is compiled once a connection.
  func prepared(_ sql: String) throws -> Statement { try cachedStatement(sql: sql) }

  /// Runs a statement that is compiled once a connection.
  func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
    try cachedStatement(sql: sql).execute(arguments: arguments)
  }
}
