import DocumentStorage
import FeedSync
import Foundation
import GRDB
import TestSupport
import Testing

/// Live queries: what is shown now, and after each change of it, whoever makes it.
@Suite("A live query", .watchesAlone, .serialized, .timeLimit(.minutes(5))) struct LiveQueryTests {
  let place: Place
  let store: DocumentStore
  let open = DocumentQuery("notes").filtered(by: "NOT body ->> '$.isDone'").ordered(by: "title")

  init() throws {
    place = try Place()
    store = try place.store()
    try put("b", "Bread", in: store)
  }

  private func put(
    _ id: String, _ title: String, isDone: Bool = false, in store: DocumentStore,
    collection: String = "notes"
  ) throws {
    try store.write {
      try $0.put(Note(title: title, isDone: isDone), at: id, in: collection)
    }
  }

  private func ids(_ result: LiveResult?) -> [String]? { result?.documents.map(\.id) }

  @Test("shows the present result first, then what this process changes, and nothing else")
  func ownChanges() async throws {
    var results = store.observe(open).makeAsyncIterator()
    let first = try await results.next()
    #expect(ids(first) == ["b"])
    #expect(first?.added.map(\.document.id) == ["b"])
    // None of these matters: the next value is that of the last write.
    try put("x", "Done", isDone: true, in: store)
    try put("b", "Apples", in: store, collection: "others")
    try await store.write { try $0.delete(at: "x", in: "notes") }
    try put("a", "Apples", in: store)
    let second = try await results.next()
    #expect(ids(second) == ["a", "b"])
    #expect(second?.added.map(\.position) == [0])
    try put("b", "Bread", isDone: true, in: store)
    #expect(try await results.next()?.removed == ["b"])
  }

  @Test("misses nothing that is written between the sequence and its first value, or after it")
  func noGap() async throws {
    let sequence = store.observe(open)
    try put("c", "Cheese", in: store)
    var results = sequence.makeAsyncIterator()
    try put("d", "Dates", in: store)
    #expect(ids(try await results.next()) == ["b", "c", "d"])
    try put("a", "Apples", in: store)
    #expect(ids(try await results.next()) == ["a", "b", "c", "d"])
  }

  @Test("shows what another process writes, and what another device wrote once it is imported")
  func others() async throws {
    let other = try place.store("ben")
    var results = store.observe(open).makeAsyncIterator()
    _ = try await results.next()
    try place.feedsync("put", "notes", "a", #"{"title":"Apples","isDone":false}"#)
    #expect(ids(try await results.next()) == ["a", "b"])
    try put("c", "Cheese", in: other)
    #expect(ids(try await results.next()) == ["a", "b", "c"])
  }

  @Test("never shows half a transaction")
  func wholeTransactions() async throws {
    let other = try place.store("ben")
    let query = DocumentQuery("pairs").ordered(by: "title", descending: true).limited(to: 2)
    var results = store.observe(query).makeAsyncIterator()
    #expect(ids(try await results.next()) == [])
    for round in 10...40 {
      try await other.write { writer in
        for id in ["a", "b", "c"] {
          try writer.put(Note(title: "\(round)"), at: id, in: "pairs")
        }
      }
    }
    var last = ""
    while last != "40" {
      let documents = try #require(try await results.next()).documents
      let titles = try documents.map { try $0.decode(Note.self).title }
      #expect(titles.count == 2 && Set(titles).count == 1, "half a transaction: \(titles)")
      last = titles[0]
    }
  }

  @Test("lets the next documents move up into its limit")
  func limit() async throws {
    for (id, title) in [("a", "A"), ("c", "C"), ("d", "D")] { try put(id, title, in: store) }
    var results = store.observe(open.limited(to: 2)).makeAsyncIterator()
    #expect(ids(try await results.next()) == ["a", "b"])
    try put("e", "E", in: store)
    try await store.write { try $0.delete(at: "a", in: "notes") }
    let moved = try await results.next()
    #expect(ids(moved) == ["b", "c"])
    #expect(moved?.removed == ["a"])
    #expect(moved?.added.map(\.position) == [1])
  }

  @Test("takes in a transaction of more documents than a commit names")
  func many() async throws {
    var results = store.observe(open).makeAsyncIterator()
    _ = try await results.next()
    try await store.write { writer in
      for number in 0..<3000 { try writer.put(Note(title: "x"), at: "\(number)", in: "notes") }
    }
    #expect(try await results.next()?.added.count == 3000)
  }

  @Test("binds the condition's arguments, in the first result and in later ones")
  func arguments() async throws {
    let query = DocumentQuery("notes").filtered(by: "body ->> '$.title' > ?", [.text("C")])
    var results = store.observe(query.limited(to: 5)).makeAsyncIterator()
    #expect(ids(try await results.next()) == [])
    try put("d", "Dates", in: store)
    #expect(ids(try await results.next()) == ["d"])
  }

  @Test(
    "ends with an error when another process makes the database anew", arguments: [true, false])
  func rebuilt(isImporting: Bool) async throws {
    var results = store.observe(open, isImporting: isImporting).makeAsyncIterator()
    #expect(ids(try await results.next()) == ["b"])
    try place.feedsync("rebuild")
    let error = await #expect(throws: FeedSyncError.self) { try await results.next() }
    #expect(error?.code == .tryAgain)
    let again = DocumentStore(
      try UbiquityContainer(place.folder.path, state: place.state("ann")))
    #expect(try again.result(of: open).map(\.id) == ["b"])
  }

  @Test("does not begin in a database in whose place another process has made one anew")
  func rebuiltBefore() async throws {
    try place.feedsync("rebuild")
    for store in [store, DocumentStore(store.container)] {
      var results = store.observe(open, isImporting: false).makeAsyncIterator()
      let error = await #expect(throws: FeedSyncError.self) { try await results.next() }
      #expect(error?.code == .tryAgain)
    }
  }

  @Test("shows what there is once a backup was put back into the database, and more written")
  func restored() async throws {
    let file = try #require(
      FileManager.default.subpaths(atPath: place.state("ann"))?.first {
        $0.hasSuffix("/store.sqlite")
      })
    let database = try DatabaseQueue(path: place.state("ann") + "/" + file)
    let backup = try DatabaseQueue()
    try database.backup(to: backup)
    for id in ["a", "c"] { try put(id, "Apples", in: store) }
    var results = store.observe(open, isImporting: false).makeAsyncIterator()
    #expect(ids(try await results.next()) == ["a", "c", "b"])
    try backup.backup(to: database)
    // More than there were: by its number, the last one that was shown is there again.
    for id in ["x", "y", "z"] { try put(id, "Dates", in: store) }
    let shown = ids(try await results.next())
    #expect(shown == (try store.result(of: open).map(\.id)))
    #expect(shown?.suffix(3) == ["x", "y", "z"])
  }

  @Test("ends when the task is cancelled")
  func cancellation() async throws {
    let (store, open) = (store, open)
    let (firsts, continuation) = AsyncStream<Void>.makeStream()
    let task = Task {
      for try await _ in store.observe(open) { continuation.yield() }
    }
    for await _ in firsts { break }
    task.cancel()
    try await task.value
  }

  @Test(
    "refuses a condition that is wrong, or looks beyond its document",
    arguments: [
      "1) OR (1", "nonsense(", "'open", "1; DELETE", "1 -- x", "?1 = 1", "body ->> '$.a' = ?",
      "EXISTS (SELECT 1 FROM documents)", "id IN (SELECT id FROM 'documents')",
      "id IN (SELECT id FROM \"Documents\")", "id IN (SELECT name FROM sqlite_master)",
      "nobody = 1", "('notes', 'b', '{}') IN 'documents'", "(id, id, id) NOT IN\n\t'Documents'",
      "('notes', 'b', '{}') IN 'temp' . 'documents'", "(id, id, id) IN temp.'documents'",
      "('notes', 'b', '{}') IN \u{FEFF}'documents'", "EXISTS (SELECT 1 FROM \u{FEFF}documents)",
    ])
  func refusals(condition: String) async throws {
    var results = store.observe(DocumentQuery("notes").filtered(by: condition)).makeAsyncIterator()
    let error = await #expect(throws: FeedSyncError.self) { try await results.next() }
    #expect(error?.code == .usage)
    #expect(try await results.next() == nil)
    #expect(throws: FeedSyncError.self) {
      try store.result(of: DocumentQuery("notes").filtered(by: condition))
    }
  }

  @Test("says that a condition is wrong which fails on a document alone, now or later")
  func failure() async throws {
    let query = DocumentQuery("paths").filtered(by: "json_extract(body, body ->> '$.path') = 1")
    var results = store.observe(query).makeAsyncIterator()
    #expect(ids(try await results.next()) == [])
    let unreadable: JSON = ["path": "no path"]
    try await store.write { try $0.put(unreadable, at: "p", in: "paths") }
    let later = await #expect(throws: FeedSyncError.self) { try await results.next() }
    #expect(later?.code == .usage)
    let now = #expect(throws: FeedSyncError.self) { try store.result(of: query) }
    #expect(now?.code == .usage)
  }

  @Test("lets a condition look into arrays, and at literals of any text")
  func arrays() throws {
    let tagged: JSON = ["tags": ["x", "documents"]]
    try store.write { try $0.put(tagged, at: "t", in: "notes") }
    let query = DocumentQuery("notes").filtered(
      by: "EXISTS (SELECT 1 FROM json_each(body, '$.tags') WHERE value = ?)", ["documents"])
    #expect(try store.result(of: query).map(\.id) == ["t"])
    let literal = DocumentQuery("notes").filtered(by: "body ->> '$.title' <> 'documents'")
    #expect(try store.result(of: literal).map(\.id) == ["b"])
    let listed = DocumentQuery("notes").filtered(by: "body ->> '$.title' IN ('documents', 'Bread')")
    #expect(try store.result(of: listed).map(\.id) == ["b"])
  }
}
