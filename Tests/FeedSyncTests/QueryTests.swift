import FeedSync
import Testing

/// SQL and declared indexes through the library.
@Suite struct QueryTests {
  let store: DocumentStore
  let place: Place

  init() throws {
    place = try Place()
    store = try place.store()
    try store.write { writer in
      for number in 0..<50 {
        let body: JSON = ["feed": "f\(number % 25)", "n": .integer(Int64(number))]
        try writer.put(body, at: "a\(number)", in: "articles")
      }
    }
  }

  private let statement = """
    SELECT id, body ->> '$.n' AS n FROM documents
    WHERE collection = 'articles' AND body ->> '$.feed' = ? ORDER BY n
    """

  @Test func rowsAreFoundByBoundValues() async throws {
    let rows = try await store.rows(statement, arguments: ["f3"])
    #expect(rows.count == 2)
    #expect(rows.first?["id"] == .text("a3"))
    #expect(rows.first?["n"] == .integer(3))
    #expect(rows.first?["none"] == nil)
  }

  @Test func anIndexIsUsedAndExplained() throws {
    #expect(try store.explain(statement).verdict == .scan)
    #expect(try store.explain(statement).suggestion == "/feed")
    #expect(try store.createIndex(on: "feed", of: "articles"))
    #expect(try !store.createIndex(on: "/feed", of: "articles"))
    #expect(try store.indexes().map(\.path) == ["/feed"])
    let plan = try store.explain(statement)
    #expect(plan.verdict == .index, "\(plan.details)")
    #expect(try store.rows(statement, arguments: ["f3"]).count == 2)
    #expect(try store.removeIndex(on: "/feed", of: "articles"))
    #expect(try store.indexes().isEmpty)
  }

  @Test(arguments: [
    "DELETE FROM documents", "SELECT 1; SELECT 2", "SELECT", "", "PRAGMA user_version",
  ])
  func whatDoesMoreThanReadIsRefused(_ sql: String) throws {
    let error = #expect(throws: FeedSyncError.self) { try store.rows(sql) }
    #expect(error?.code == .usage)
  }

  /// In a document, it may be anybody's.
  @Test(arguments: [("LIKE", "%"), ("GLOB", "*")])
  func aPatternIsRefusedThatAThreadsStackIsTooSmallFor(_ name: String, _ wildcard: String)
    async throws
  {
    let sql = "SELECT ? \(name) ? AS isAlike"
    let pattern = String(repeating: "\(wildcard)a", count: 5_000)
    let arguments = [pattern, pattern + wildcard].map { pattern -> [QueryValue] in
      [.text(ByteString(String(repeating: "a", count: 5_000))), .text(ByteString(pattern))]
    }
    let rows = try await store.rows(sql, arguments: arguments[0])
    #expect(rows.first?["isAlike"] == .integer(1))
    let error = await #expect(throws: FeedSyncError.self) {
      try await store.rows(sql, arguments: arguments[1])
    }
    #expect(error?.code == .usage)
  }

  @Test func whatTheCallersClosureThrowsIsPassedOn() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try store.query("SELECT id FROM documents") { _ in throw Stop() } }
  }

  @Test(.timeLimit(.minutes(5))) func aCancelledTaskEndsItsQuery() async throws {
    let store = store
    let task = Task {
      try await store.rows(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.rows("SELECT 1 AS one").first?["one"] == .integer(1))
  }
}
