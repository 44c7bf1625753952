import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import TestSupport
import Testing

@Suite("A declared index") struct DeclaredIndexTests {
  private let ann: Peer
  private let feed: MemberPath
  private let number: MemberPath

  init() throws {
    ann = try World().loner()
    feed = try MemberPath("feed")
    number = try MemberPath("n")
    for number in 0..<20 {
      try ann.put("d\(number)", #"{"feed":"f\#(number % 5)","n":\#(number),"tags":[1,2]}"#)
    }
    try ann.createIndex("feed")
    try ann.createIndex("n")
  }

  private func steps(_ condition: String) throws -> [QueryPlan.Step] {
    try ann.explain("SELECT id FROM documents WHERE collection = 'notes' \(condition)").plan.steps
  }

  @Test("answers by value, in every spelling")
  func value() throws {
    for expression in [
      "body ->> '$.feed'", "json_extract(body, '$.feed')", "body ->> 'feed'",
    ] {
      #expect(try steps("AND \(expression) = 'f1'") == [.index(feed, .value)])
      #expect(try steps("AND \(expression) IN ('f1', 'f2')") == [.index(feed, .value)])
      #expect(try steps("AND \(expression) = ?") == [.index(feed, .value)])
      #expect(try steps("AND \(expression) IS NULL") == [.index(feed, .value)])
    }
  }

  @Test("answers by range and in order")
  func ranges() throws {
    for condition in ["< 3", "> 3", "BETWEEN 3 AND 5", ">= ? AND body ->> '$.n' < 9"] {
      #expect(try steps("AND body ->> '$.n' \(condition)") == [.index(number, .range)])
    }
    for limit in ["", "LIMIT 1", "LIMIT 2", "LIMIT 100"] {
      for order in ["", "DESC"] {
        let sql =
          "SELECT id, body FROM documents WHERE collection = 'notes'"
          + " ORDER BY body ->> '$.n' \(order) \(limit)"
        let plan = try ann.explain(sql).plan
        #expect(plan.steps == [.index(number, .order)], "\(sql)")
        #expect(plan.sorts == [], "\(sql)")
      }
    }
    let page = "AND body ->> '$.feed' = 'f1' AND body ->> '$.n' > 3 ORDER BY id"
    #expect(try steps(page) == [.index(feed, .value)])
  }

  @Test("is used in joins, parts and counts, and where no collection is named")
  func shapes() throws {
    let count = "SELECT count(*) FROM documents WHERE body ->> '$.feed' = 'f1'"
    #expect(try ann.explain(count).plan.steps == [.index(feed, .value)])
    #expect(try ann.explain(count).plan.readsEveryCollection)
    #expect(try ann.explain(count).plan.details.allSatisfy { !$0.contains("BLOOM") })
    let join = """
      SELECT a.id, b.id FROM documents a JOIN documents b ON b.body ->> '$.n' = a.body ->> '$.n'
      WHERE a.collection = 'notes' AND b.collection = 'notes' AND a.body ->> '$.feed' = 'f1'
      """
    #expect(try ann.explain(join).plan.steps == [.index(feed, .value), .index(number, .value)])
    #expect(try ann.rows(join).count == 4)
    let part = """
      SELECT * FROM (SELECT id, body ->> '$.feed' AS feed FROM documents) WHERE feed = 'f1'
      """
    #expect(try ann.explain(part).plan.verdict == .index)
    let groups = """
      SELECT body ->> '$.feed', count(*) FROM documents WHERE collection = 'notes' GROUP BY 1
      """
    #expect(try ann.rows(groups) == (0..<5).map { "f\($0)|4" })
  }

  @Test("does not change what a query answers, not even of arrays")
  func subtypes() throws {
    try ann.createIndex("tags")
    let sql = """
      SELECT json_array(json_extract(body, '$.tags')),
        json_object('t', json_extract(body, '$.tags'))
      FROM documents WHERE collection = 'notes' AND json_extract(body, '$.tags') > '' LIMIT 1
      """
    #expect(try ann.explain(sql).plan.verdict == .index)
    #expect(try ann.rows(sql) == [#"[[1,2]]|{"t":[1,2]}"#])
  }

  @Test("is named by explain where it would spare a scan, and only there")
  func suggestion() throws {
    let base = "SELECT id FROM documents WHERE collection = 'notes' AND"
    #expect(try ann.explain("\(base) body ->> '$.tags' = 'x'").suggestion == MemberPath("tags"))
    #expect(try ann.explain("\(base) body ->> 'of' > 'x'").suggestion == MemberPath("of"))
    #expect(try ann.explain("\(base) body ->> '$.feed' = 'x'").suggestion == nil)
    #expect(try ann.explain("\(base) upper(body ->> '$.tags') = 'X'").suggestion == nil)
    #expect(try ann.explain("\(base) body LIKE '%x%'").suggestion == nil)
    let sorted =
      "SELECT id FROM documents WHERE collection = 'notes' ORDER BY body ->> '$.at' LIMIT 3"
    #expect(try ann.explain(sorted).suggestion == MemberPath("at"))
  }

  @Test("is explained in SQLite's words without a name that changes")
  func details() throws {
    let sql = "SELECT 1 FROM json_each('[1]') j LEFT JOIN documents d ON d.id = j.value"
    let first = try ann.explain(sql).plan
    #expect(first.verdict == .scan)
    #expect(try ann.explain(sql).plan == first)
  }

  @Test("is not needed to find documents by their ids")
  func ids() throws {
    #expect(try steps("AND id = 'd1'") == [.document])
    #expect(try steps("AND id > 'd1' ORDER BY id LIMIT 2") == [.ids])
    #expect(try steps("") == [.scan])
    #expect(try ann.explain("SELECT 1").plan.verdict == .nothing)
    #expect(try ann.explain("SELECT * FROM documents").plan.readsEveryCollection)
  }

  @Test("is listed, is declared once, and goes when it is removed for the last collection")
  func declared() throws {
    let database = ann.device.database
    let other = DeclaredIndex(collection: "other", member: feed)
    let own = DeclaredIndex(collection: "notes", member: feed)
    #expect(try database.createIndex(other))
    #expect(try !database.createIndex(own))
    #expect(
      try database.indexes()
        == [own, DeclaredIndex(collection: "notes", member: number), other])
    #expect(try database.removeIndex(own))
    #expect(try !database.removeIndex(own))
    #expect(try steps("AND body ->> '$.feed' = 'f1'") == [.index(feed, .value)])
    #expect(try database.removeIndex(other))
    #expect(try steps("AND body ->> '$.feed' = 'f1'") == [.scan])
    #expect(try ann.rows("SELECT count(*) FROM documents WHERE body ->> '$.feed' = 'f1'") == ["4"])
  }

  @Test("survives that the database is opened again, and is kept up then")
  func reopened() throws {
    let directory = try TemporaryDirectory()
    let world = try World()
    let folder = try world.folder("ann")
    let sql = "SELECT id FROM documents WHERE collection = 'notes' AND body ->> '$.a' = 1"
    do {
      let peer = try world.peer(
        "ann", in: folder, database: try StoreDatabase(directory: directory.path))
      try peer.put("x", #"{"a":1}"#)
      try peer.createIndex("a")
      // A connection that stays while the schema changes under it.
      let each = "SELECT key FROM documents, json_each(body)"
      for path in ["b", "c"] {
        #expect(try peer.rows(sql) == ["x"])
        #expect(try peer.rows(each) == ["a"])
        try peer.createIndex(path)
      }
    }
    let peer = try world.peer(
      "ann", in: folder, database: try StoreDatabase(directory: directory.path))
    try peer.put("y", #"{"a":1}"#)
    try peer.put("x", #"{"a":2}"#)
    #expect(try peer.rows(sql) == ["y"])
    #expect(try peer.explain(sql).plan.verdict == .index)
  }
}
