import CanonicalJSON
import Foundation
import Testing

@Suite("The command sql") struct SQLCommandTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.feedsync("put", "articles", "b", #"{"feed":"f1","n":2,"title":"Two\tand\nmore"}"#)
    try machine.feedsync("put", "articles", "a", #"{"feed":"f1","n":1.0,"read":true}"#)
    try machine.feedsync("put", "feeds", "f1", #"{"url":"https://example.org/"}"#)
  }

  @Test("prints tab-separated values, a row a line")
  func text() throws {
    let sql = """
      SELECT id, body ->> '$.n', body ->> '$.title', body ->> '$.read', x'00FF', 1e20,
        -1.5e300*1e300, body FROM documents WHERE collection = 'articles' ORDER BY id
      """
    let run = try machine.feedsync("sql", sql)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(
      run.output == """
        a\t1.0\t\t1\t00ff\t1e+20\t-Inf\t{"feed":"f1","n":1.0,"read":true}
        b\t2\tTwo\\tand\\nmore\t\t00ff\t1e+20\t-Inf\t{"feed":"f1","n":2,"title":"Two\\tand\\nmore"}

        """)
  }

  @Test("prints one canonical object a row with --format json, repeated names told apart")
  func json() throws {
    let sql = "SELECT 2 AS b, id, NULL AS a, 1 AS b, x'0A' AS b, 9e999 AS z FROM documents LIMIT 1"
    let run = try machine.feedsync("sql", sql, "--format", "json")
    #expect(run.status == 0)
    #expect(run.output == #"{"a":null,"b":2,"b:1":1,"b:2":"0a","id":"a","z":null}"# + "\n")
  }

  @Test("exits with 64 where the statement writes, looks behind the view, or is none")
  func refused() throws {
    let before = try machine.feedsync("dump").output
    let never = machine.root.appending(path: "never").path
    for sql in [
      "DELETE FROM documents", "DELETE FROM main.documents", "INSERT INTO documents VALUES (1,2,3)",
      "UPDATE documents SET body = '{}'", "DROP VIEW documents", "PRAGMA journal_mode = DELETE",
      "ATTACH '\(never)' AS x", "VACUUM INTO '\(never)'", "BEGIN",
      "SELECT * FROM main.documents", "SELECT * FROM sqlite_master", "SELECT 1; SELECT 2",
      "WITH x AS (SELECT 1) DELETE FROM main.collections", "", "SELEC",
      "SELECT title FROM documents",
      "SELECT ?", "SELECT load_extension('x')", "SELECT json('{')",
    ] {
      let run = try machine.feedsync("sql", sql)
      #expect(run.status == 64, "\(sql)")
      #expect(run.output == "", "\(sql)")
      let inJSON = try machine.feedsync("sql", sql, "--format", "json")
      #expect(try inJSON.error()["code"] == .integer(64), "\(sql)")
    }
    #expect(try machine.feedsync("dump").output == before)
    #expect(!FileManager.default.fileExists(atPath: never))
  }

  @Test("counts the rows of common table expressions, and of no other table")
  func commonTables() throws {
    let counted: [(sql: String, output: String)] = [
      (
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5)
        SELECT count(*) FROM n
        """, "5\n"
      ),
      (
        """
        WITH a AS MATERIALIZED (SELECT id FROM documents LIMIT 2),
          b AS MATERIALIZED (SELECT 1 UNION SELECT 2)
        SELECT count(*) FROM a, b
        """, "4\n"
      ),
      ("WITH streams AS MATERIALIZED (SELECT 1) SELECT count(*) FROM streams", "1\n"),
    ]
    for (sql, output) in counted {
      let run = try machine.feedsync("sql", sql)
      #expect(run.output == output, "\(sql): \(run.errors)")
    }
    let one = "AS MATERIALIZED (SELECT 1)"
    for sql in [
      "SELECT count(*) FROM streams", "SELECT count(*) FROM sqlite_schema",
      "SELECT count(*) FROM pragma_table_list", "SELECT count(*) FROM main.documents",
      "SELECT count(*) FROM streams, (WITH streams \(one) SELECT 1 FROM streams)",
      "WITH n \(one) SELECT count(*) FROM n, archive",
      "WITH n \(one) SELECT count(*) FROM n, pragma_table_list",
    ] {
      #expect(try machine.feedsync("sql", sql).status == 64, "\(sql)")
    }
  }

  @Test("works while the folder is away")
  func folderAway() throws {
    try FileManager.default.removeItem(at: machine.folder)
    let run = try machine.feedsync("sql", "SELECT count(*) FROM documents")
    #expect(run.status == 0)
    #expect(run.output == "3\n")
    #expect(run.errors.contains("warning"))
  }
}

@Suite("The command index") struct IndexCommandTests {
  private let machine: Machine
  private let query = "SELECT id FROM documents WHERE collection = 'a' AND body ->> '$.n' = 7"

  init() throws {
    machine = try Machine()
    for number in 5...8 { try machine.feedsync("put", "a", "\(number)", #"{"n":\#(number)}"#) }
  }

  private func explained() throws -> JSONObject {
    try #require(
      try machine.feedsync("sql", "--explain", query, "--format", "json").json().object)
  }

  @Test("makes an index that explain names, and takes it away")
  func life() throws {
    #expect(try explained()["verdict"] == .string("scan"))
    #expect(try explained()["suggestion"] == .string("/n"))
    let hint = try machine.feedsync("sql", "--explain", query)
    #expect(
      hint.lines == [
        "scans every document of a collection",
        "an index would help: feedsync index create a /n",
      ])
    #expect(try explained()["collection"] == .string("a"))
    let any = "SELECT id FROM documents WHERE body ->> '$.n' = 7"
    for sql in [any, any + " AND collection IN ('a', 'b')"] {
      #expect(
        try machine.feedsync("sql", "--explain", sql).lines.last
          == "an index would help: feedsync index create COLLECTION /n, with the collection's name"
          + " for COLLECTION", "\(sql)")
    }
    #expect(try machine.feedsync("index", "create", "a", "n").output == "created\n")
    #expect(try machine.feedsync("index", "create", "a", "/n").output == "exists\n")
    #expect(try machine.feedsync("index", "create", "b", "$.x.y").output == "created\n")
    #expect(try machine.feedsync("index", "list").output == "a\t/n\nb\t/x/y\n")
    #expect(
      try machine.feedsync("sql", "--explain", query).lines == [
        "finds documents by the index on /n"
      ])
    #expect(try explained()["verdict"] == .string("index"))
    #expect(try machine.feedsync("sql", query).output == "7\n")
    try machine.feedsync("put", "a", "new", #"{"n":7}"#)
    try machine.feedsync("patch", "a", "7", #"{"n":null}"#)
    #expect(try machine.feedsync("sql", query).output == "new\n")
    #expect(try machine.feedsync("index", "remove", "a", "n").status == 0)
    #expect(try machine.feedsync("index", "remove", "a", "n").status == 1)
    #expect(try explained()["verdict"] == .string("scan"))
    #expect(try machine.feedsync("sql", query).output == "new\n")
  }

  @Test("says in JSON which expressions the index serves")
  func json() throws {
    let run = try machine.feedsync("index", "create", "a", "n", "--format", "json")
    #expect(
      run.output == """
        {"collection":"a","created":true,\
        "expressions":["body ->> '$.n'","json_extract(body, '$.n')","body ->> 'n'"],"path":"/n"}

        """)
  }

  @Test("refuses what cannot be indexed with 64, and a collection's name with 65")
  func refused() throws {
    for path in ["", "$", "/a~2", "$.a[0]", "say \"x\""] {
      #expect(try machine.feedsync("index", "create", "a", path).status == 64, "\(path)")
    }
    #expect(try machine.feedsync("index", "create", "No", "n").status == 65)
    #expect(try machine.feedsync("index", "list").output == "")
  }
}
