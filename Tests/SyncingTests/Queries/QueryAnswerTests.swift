import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import Testing

@Suite("A query over the documents") struct QueryAnswerTests {
  private let world: World
  private let ann: Peer

  init() throws {
    world = try World()
    ann = try world.loner()
  }

  @Test("sees the canonical bodies, and no deleted document")
  func bodies() throws {
    let bodies = [
      "a": #"{}"#, "b": #"{"a":{},"b":{"c":{"d":{},"e":[{"x":1}]}},"f":"é\"\\\n"}"#,
      "c": #"{"":1,"\u0000":2,"\u0001":{"\u0001\u0000":3},"a/b~":4,"ü":null}"#,
      "d": #"{"n":[18446744073709551615,-9223372036854775808,1.0,-0.0,1e+20],"t":true}"#,
      "e": #"{"u":18446744073709551615,"x":-9223372036854775808,"y":1e-07,"z":false}"#,
    ]
    for (id, body) in bodies { try ann.put(id, body) }
    try ann.put("gone", "{}")
    try ann.delete("gone")
    let rows = try ann.rows("SELECT collection, id, body FROM documents ORDER BY id")
    #expect(rows == bodies.sorted { $0.key < $1.key }.map { "notes|\($0.key)|\($0.value)" })
    #expect(try ann.rows("SELECT count(*) FROM documents") == ["5"])
  }

  @Test("has SQLite's JSON functions, in SQLite's types")
  func types() throws {
    try ann.put(
      "x", #"{"b":true,"i":-7,"l":[1,{"k":"v"}],"n":null,"o":{"p":1},"r":2.5,"s":"text"}"#)
    let sql = """
      SELECT body ->> 'b', body ->> 'i', body ->> 'l', body ->> 'n', body ->> '$.o.p',
        body -> 'o', body ->> 'r', body ->> 's', json_extract(body, '$.l[1].k'),
        json_type(body, '$.b'), json_array_length(body, '$.l') FROM documents
      """
    let expected = #"1|-7|[1,{"k":"v"}]|NULL|1|{"p":1}|2.5 real|text|v|true|2"#
    #expect(try ann.rows(sql) == [expected])
    let each = "SELECT key, value FROM documents, json_each(body, '$.l') ORDER BY key"
    #expect(try ann.rows(each) == ["0|1", #"1|{"k":"v"}"#])
    #expect(
      try ann.rows("SELECT x'00ff', 9007199254740993, 1.0") == [
        "[0, 255] blob|9007199254740993|1.0 real"
      ])
  }

  @Test("takes its arguments as values, never as SQL")
  func arguments() throws {
    try ann.put("it's", #"{"a":"'; DROP TABLE x"}"#)
    try ann.put("", #"{"a":1}"#)
    let sql = "SELECT id FROM documents WHERE body ->> 'a' = ?"
    #expect(try ann.rows(sql, .text("'; DROP TABLE x")) == ["it's"])
    #expect(try ann.rows(sql, .integer(1)) == [""])
    let values: [QueryValue] = [
      .null, .integer(.min), .real(0.5), .text(""), .text("ü"), .blob([]), .blob([0, 1]),
    ]
    let rows = try ann.device.database.rows("SELECT ?, ?, ?, ?, ?, ?, ?", arguments: values)
    #expect(rows.map(\.values) == [values])
  }

  @Test("shows of concurrent values the one that the document shows")
  func conflicts() throws {
    let bob = try world.peer("bob", in: try world.folder("bob"))
    try ann.put("x", #"{"a":"ann","o":{"x":1}}"#)
    world.advance(milliseconds: 1)
    try bob.put("x", #"{"a":"bob","o":5}"#)
    for (source, target) in [(ann, bob), (bob, ann)] {
      try source.publish()
      for file in try world.logs(in: source.folder) { try world.deliver(file, to: target.folder) }
      try target.importAll()
    }
    #expect(try ann.device.database.counts().conflicts > 0)
    for peer in [ann, bob] {
      let body = try #require(try peer.body("x"))
      #expect(body.contains("bob"))
      #expect(try peer.rows("SELECT body FROM documents") == [body])
    }
  }

  @Test("brings what is not UTF-8 as text that is")
  func malformedText() throws {
    #expect(try ann.rows("SELECT cast(x'41ff42' AS TEXT)") == ["A\u{FFFD}B"])
  }

  @Test("ends when its reader has enough, and leaves nothing open")
  func ends() throws {
    struct Enough: Error {}
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    var seen = 0
    #expect(throws: Enough.self) {
      try ann.device.database.query(numbers) { _ in
        seen += 1
        if seen == 10 { throw Enough() }
      }
    }
    #expect(try ann.put("x", "{}") == .changed)
  }

  @Test("ends when its task is cancelled, though it never finds a row")
  func cancelled() async throws {
    let database = ann.device.database
    let endless = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0
      """
    let task = Task { try database.rows(endless) }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test("may ask another query about each row")
  func nested() throws {
    try ann.put("x", #"{"of":"y"}"#)
    try ann.put("y", "{}")
    var found: [String] = []
    try ann.device.database.query("SELECT body ->> 'of' FROM documents ORDER BY id") { row in
      let sql = "SELECT id FROM documents WHERE id = ?"
      found += try ann.device.database.rows(sql, arguments: row.values).map { "\($0.values)" }
    }
    #expect(found == [#"[DocumentStorage.QueryValue.text(y)]"#])
  }
}
