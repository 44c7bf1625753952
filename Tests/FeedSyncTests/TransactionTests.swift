import FeedSync
import Foundation
import Testing

/// Reading and writing through the library.
@Suite struct TransactionTests {
  let place: Place
  let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
  }

  @Test func whatIsPutIsReadBack() throws {
    let note = Note(title: "Groceries", rating: 1)
    let result = try store.write { try $0.put(note, at: "a", in: "notes") }
    #expect(result.value)
    #expect(result.changedCount == 1)
    #expect(result.transaction?.sequence == 1)
    #expect(result.publishingFailure == nil)
    #expect(try store.read { try $0.get(Note.self, at: "a", in: "notes") } == note)
    let body = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(body.canonical == #"{"isDone":false,"rating":1.0,"title":"Groceries"}"#)
  }

  @Test func puttingTheSameAgainChangesNothing() throws {
    try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let again = try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    #expect(!again.value)
    #expect(again.transaction == nil)
  }

  @Test func aTransactionThatThrowsWritesNothing() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { writer in
        try writer.put(Note(title: "x"), at: "a", in: "notes")
        throw Stop()
      }
    }
    #expect(try store.read { try $0.collections() } == [])
    #expect(try store.status().unpublished == 0)
  }

  @Test func aTransactionReadsWhatItHasWritten() throws {
    try store.write { writer in
      try writer.put(Note(title: "x"), at: "a", in: "notes")
      #expect(try writer.get(Note.self, at: "a", in: "notes")?.title == "x")
      try writer.delete(at: "a", in: "notes")
      #expect(try writer.body(at: "a", in: "notes") == nil)
    }
  }

  @Test func updatingLeavesMembersAloneThatTheTypeDoesNotKnow() throws {
    let body = try JSON(parsing: Array(#"{"title":"x","isDone":false,"color":"red"}"#.utf8))
    try store.write { try $0.put(body, at: "a", in: "notes") }
    let isThere = try store.write { writer in
      try writer.update(Note.self, at: "a", in: "notes") { $0.isDone = true }
    }
    #expect(isThere.value)
    let after = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(after.canonical == #"{"color":"red","isDone":true,"title":"x"}"#)
    try store.write { writer in
      try writer.update(Note.self, at: "a", in: "notes") { $0.rating = 2.5 }
      try writer.update(Note.self, at: "a", in: "notes") { $0.rating = nil }
      #expect(try writer.update(Note.self, at: "none", in: "notes") { _ in } == false)
    }
    let last = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(last == after)
  }

  @Test func updatingLeavesConflictsOfOtherMembersAlone() throws {
    let ben = try place.store("ben")
    try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    try ben.importAll()
    try ben.write { try $0.patch(["title": "of ben"], at: "a", in: "notes") }
    try store.write { try $0.patch(["title": "of ann"], at: "a", in: "notes") }
    try store.importAll()
    #expect(try store.status().conflicts == 1)
    try store.write { writer in
      try writer.update(Note.self, at: "a", in: "notes") { $0.isDone = true }
      try writer.update(Note.self, at: "a", in: "notes") { _ in }
    }
    #expect(try store.status().conflicts == 1)
    #expect(try store.read { try $0.get(Note.self, at: "a", in: "notes") }?.isDone == true)
    try store.write { writer in
      try writer.update(Note.self, at: "a", in: "notes") { $0.title = "settled" }
    }
    #expect(try store.status().conflicts == 0)
  }

  @Test func updatingLeavesMembersOfArrayElementsAlone() throws {
    struct List: Codable {
      struct Item: Codable { var name: String }
      var items: [Item]
    }
    let body = try JSON(
      parsing: Array(#"{"items":[{"name":"a","color":1},{"name":"b","color":2}],"n":null}"#.utf8))
    try store.write { try $0.put(body, at: "a", in: "notes") }
    try store.write { writer in
      try writer.update(List.self, at: "a", in: "notes") { $0.items[1].name = "c" }
    }
    let after = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(
      after.canonical == #"{"items":[{"color":1,"name":"a"},{"color":2,"name":"c"}],"n":null}"#)
  }

  @Test func aWriteOnAnOldVersionIsMergedWithWhatCameSince() throws {
    try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let read = try #require(try store.read { try $0.document("a", in: "notes") })
    try store.write { try $0.patch(["rating": 3], at: "a", in: "notes") }
    var note = try read.decode(Note.self)
    note.title = "y"
    try store.write { try $0.put(note, at: "a", in: "notes", basedOn: read.version) }
    let now = try store.read { try $0.get(Note.self, at: "a", in: "notes") }
    #expect(now == Note(title: "y", rating: 3))
  }

  @Test func aWriteOnADeletedVersionIsRefusedAsStale() throws {
    try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let read = try #require(try store.read { try $0.document("a", in: "notes") })
    try store.write { try $0.delete(at: "a", in: "notes") }
    try store.write { try $0.put(Note(title: "z"), at: "a", in: "notes") }
    let error = #expect(throws: FeedSyncError.self) {
      try store.write {
        try $0.put(Note(title: "y"), at: "a", in: "notes", basedOn: read.version)
      }
    }
    #expect(error?.code == .tryAgain)
  }

  @Test func aTransactionInsideAnotherIsRefusedInsteadOfHanging() throws {
    let error = #expect(throws: FeedSyncError.self) {
      try store.write { _ in _ = try store.read { try $0.collections() } }
    }
    #expect(error?.code == .usage)
    #expect(try store.read { try $0.collections() } == [])
    try store.read { reader in
      #expect(throws: FeedSyncError.self) { try store.status() }
      #expect(throws: FeedSyncError.self) { try store.indexes() }
      #expect(throws: FeedSyncError.self) { try store.renameThisDevice(to: "x") }
      #expect(throws: FeedSyncError.self) { try DocumentStore(store.container).read { _ in } }
    }
  }

  @Test func aTransactionThatIsOverCannotBeUsed() throws {
    var kept: WriteTransaction?
    try store.write { kept = $0 }
    let writer = try #require(kept)
    let error = #expect(throws: FeedSyncError.self) {
      try writer.put(Note(title: "x"), at: "a", in: "notes")
    }
    #expect(error?.code == .usage)
    let reader = try store.read { $0 }
    #expect(throws: FeedSyncError.self) { try reader.collections() }
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { writer in
        kept = writer
        throw Stop()
      }
    }
    #expect(throws: FeedSyncError.self) { try kept?.delete(at: "a", in: "notes") }
  }

  @Test(arguments: [("Notes", "a"), ("notes", ""), ("notes", "a\u{7}"), ("", "a")])
  func namesOverTheLimitsAreRefused(_ collection: String, _ id: String) throws {
    let error = #expect(throws: FeedSyncError.self) {
      try store.write { try $0.put(Note(title: "x"), at: id, in: collection) }
    }
    #expect(error?.code == .badInput)
  }

  @Test func aBodyThatIsTooDeepOrNoObjectIsRefused() throws {
    var deep = JSON.array([])
    for _ in 0..<64 { deep = .array([deep]) }
    for body in [["a": deep], JSON.integer(1)] {
      let error = #expect(throws: FeedSyncError.self) {
        try store.write { try $0.put(body, at: "a", in: "notes") }
      }
      #expect(error?.code == .badInput)
    }
  }

  @Test func writingGoesOnWhileTheFolderIsAwayAndIsPublishedLater() throws {
    try place.setFolder(isAway: true)
    let result = try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    #expect(result.publishingFailure?.code == .noContainer)
    #expect(try store.status().unpublished == 1)
    try place.setFolder(isAway: false)
    #expect(try store.importAll().published == 1)
    #expect(try store.status().unpublished == 0)
  }

  @Test func anotherContainerUnderThePathStopsEveryWrite() throws {
    try place.setFolder(isAway: true)
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(place.folder.path, state: place.state("other"))
    let error = #expect(throws: FeedSyncError.self) {
      try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    }
    #expect(error?.code == .noContainer)
    #expect(try store.read { try $0.collections() } == [])
  }

  @Test func theAsynchronousFormsDoTheSame() async throws {
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let other = try place.store("ben")
    let summary = try await other.importAll()
    #expect(summary.documents == 1)
    let ids = try await other.read { try $0.ids(in: "notes") }
    #expect(ids == ["a"])
    #expect(try await other.status().devices.count == 2)
  }

  @Test func everyDocumentIsGoneThroughInOrder() throws {
    try store.write { writer in
      for id in ["b", "a"] { try writer.put(Note(title: id), at: id, in: "notes") }
      try writer.put(Note(title: "c"), at: "c", in: "feeds")
    }
    var seen: [String] = []
    try store.read { reader in
      try reader.forEachDocument { collection, id, _ in seen.append("\(collection)/\(id)") }
    }
    #expect(seen == ["feeds/c", "notes/a", "notes/b"])
  }
}
