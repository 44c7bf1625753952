import DocumentStorage
import Syncing
import Testing

@Suite("A query that does more than read documents") struct QueryRefusalTests {
  private let ann: Peer

  init() throws {
    ann = try World().loner()
    try ann.put("x", #"{"a":1}"#)
  }

  private func refusal(_ sql: String) throws -> QueryError? {
    do {
      try ann.device.database.query(sql) { _ in }
      return nil
    } catch let error as QueryError {
      return error
    }
  }

  @Test(
    "is refused by what it does, however it is written",
    arguments: [
      "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "CREATE VIEW v AS SELECT 1",
      "CREATE TRIGGER t AFTER INSERT ON collections BEGIN SELECT 1; END",
      "DROP TABLE main.documents", "DROP VIEW documents", "DROP INDEX main.conflicted",
      "INSERT INTO main.collections(name) VALUES ('x')", "INSERT INTO documents VALUES (1, 2, 3)",
      "UPDATE main.documents SET visible = 0", "DELETE FROM main.documents",
      "REPLACE INTO main.collections VALUES (1, 'x')",
      "WITH x AS (SELECT 1) DELETE FROM main.documents", "/* SELECT */ DELETE FROM main.streams",
      "ATTACH ':memory:' AS other", "DETACH main", "PRAGMA user_version = 7", "PRAGMA user_version",
      "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
      "VACUUM", "VACUUM INTO 'never.sqlite'", "REINDEX", "ANALYZE",
      "ALTER TABLE main.documents RENAME TO d", "EXPLAIN DELETE FROM main.documents",
      "EXPLAIN QUERY PLAN UPDATE main.device SET clock = 0",
    ])
  func writes(sql: String) throws {
    let before = try ann.dump()
    switch try refusal(sql) {
    case .writes: break
    case let other: Issue.record("\(sql): \(String(describing: other))")
    }
    #expect(try ann.dump() == before)
  }

  @Test(
    "is refused where it looks behind the view",
    arguments: [
      "SELECT * FROM main.documents", "SELECT state FROM main.documents",
      "SELECT count(*) FROM main.documents", "SELECT 1 FROM main.documents",
      "SELECT * FROM main.device", "SELECT count(*) FROM main.outbox",
      "SELECT * FROM sqlite_master", "SELECT * FROM sqlite_temp_master",
      "SELECT * FROM sqlite_schema", "SELECT * FROM collections",
      "WITH documents AS (SELECT * FROM main.documents) SELECT * FROM documents",
      "WITH d AS (SELECT state FROM main.documents) SELECT 1 FROM d, documents",
      "SELECT (SELECT clock FROM main.device) FROM documents",
      "SELECT id FROM documents WHERE id IN (SELECT name FROM main.streams)",
      "SELECT feedsync_body(x'01')", "SELECT load_extension('x')", "SELECT sqlite_log(1, 'x')",
      "SELECT fts3_tokenizer('simple')",
    ])
  func reads(sql: String) throws {
    switch try refusal(sql) {
    case .reads: break
    case let other: Issue.record("\(sql): \(String(describing: other))")
    }
  }

  @Test(
    "is refused where the table tells of the database",
    arguments: [
      "pragma_table_info('device')", "pragma_database_list", "dbstat", "sqlite_dbpage",
      "sqlite_stmt", "bytecode('SELECT 1')",
    ])
  func tables(table: String) throws {
    #expect(try refusal("SELECT * FROM \(table)") != nil)
  }

  @Test("is one statement, which SQLite understands")
  func one() throws {
    #expect(try refusal("") == .empty)
    #expect(try refusal(" -- nothing\n ; ; /* */") == .empty)
    #expect(try refusal("SELECT 1; SELECT 2") == .several)
    #expect(try refusal("SELECT 1; DELETE FROM main.documents") == .writes("DELETE"))
    #expect(try refusal("SELECT 1;; -- one\n") == nil)
    #expect(try refusal("SELEC 1") == .failed(#"near "SELEC": syntax error"#))
    #expect(try refusal("SELECT 1\0") != nil)
    #expect(try refusal("SELECT writefile('/tmp/feedsync-never', 'x')") != nil)
  }

  @Test("leaves the database as fit for queries as before")
  func after() throws {
    #expect(try refusal("DELETE FROM main.documents") == .writes("DELETE"))
    #expect(try ann.rows("SELECT id, body FROM documents") == [#"x|{"a":1}"#])
  }

  @Test("is given as many arguments as it has parameters")
  func arguments() throws {
    #expect(try refusal("SELECT ?, ?") == .arguments(expected: 2, given: 0))
    #expect(throws: QueryError.arguments(expected: 0, given: 1)) {
      try ann.rows("SELECT 1", .integer(1))
    }
  }
}
