import FeedSync
import Foundation
import TestSupport
import Testing

/// Following a store: what any process or device commits comes, whole and in order.
@Suite(.watchesAlone, .serialized, .timeLimit(.minutes(5))) struct ChangesTests {
  let place: Place
  let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
  }

  @Test func ownWritesComeInOrderWithWhatTheyChanged() async throws {
    var changes = store.changes.makeAsyncIterator()
    let first = try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    try await store.write { try $0.delete(at: "a", in: "notes") }
    let put = try #require(try await changes.next())
    #expect(put.origin == .local(first.transaction))
    #expect(
      put.extent
        == .documents([change("a", fields: ["/isDone", "/title"])]))
    #expect(put.affects("notes"))
    #expect(!put.affects("feeds"))
    let deletion = try #require(try await changes.next())
    #expect(deletion.extent == .documents([change("a", isDeleted: true)]))
  }

  @Test func whatWasWrittenBetweenTheSequenceAndItsIterationIsNotMissed() async throws {
    let changes = store.changes
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    for try await change in changes {
      #expect(change.affects("notes"))
      break
    }
  }

  @Test func writesOfAnotherProcessComeAsSoonAsTheyAreCommitted() async throws {
    var changes = store.changes(isImporting: false).makeAsyncIterator()
    try place.feedsync("put", "notes", "a", #"{"title":"x"}"#)
    let change = try #require(try await changes.next())
    #expect(change.extent == .documents([self.change("a", fields: ["/title"])]))
    guard case .local = change.origin else {
      Issue.record("not local: \(change.origin)")
      return
    }
  }

  /// One commit and no second one behind it: nothing is published.
  @Test func aSingleCommitOfAnotherProcessIsNotOverlooked() async throws {
    try place.setFolder(isAway: true)
    var changes = store.changes(isImporting: false).makeAsyncIterator()
    for number in 0..<10 {
      try place.feedsync("put", "notes", "a\(number)", #"{"title":"x"}"#)
      let change = try #require(try await changes.next())
      #expect(
        change.extent == .documents([self.change("a\(number)", fields: ["/title"])]))
    }
  }

  @Test func everyFollowerIsToldWhenAnotherContainerTakesThePlace() async throws {
    var first = store.changes.makeAsyncIterator()
    var second = store.changes.makeAsyncIterator()
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    _ = try await first.next()
    _ = try await second.next()
    try place.setFolder(isAway: true)
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(place.folder.path, state: place.state("other"))
    let error = await #expect(throws: FeedSyncError.self) { try await first.next() }
    #expect(error?.code == .noContainer)
    await #expect(throws: FeedSyncError.self) { try await second.next() }
    #expect(try await first.next() == nil)
  }

  @Test func importsOfThisProcessAndOfOthersCome() async throws {
    let other = try place.store("ben")
    var importing = store.changes.makeAsyncIterator()
    var following = try place.store().changes(isImporting: false).makeAsyncIterator()
    try await other.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    for change in [try await importing.next(), try await following.next()] {
      let change = try #require(change)
      #expect(change.origin == .imported([other.container.thisDevice]))
      #expect(change.extent == .documents([self.change("a", fields: ["/isDone", "/title"])]))
    }
  }

  @Test func anImportByTheCommandComesToo() async throws {
    let other = try place.store("ben")
    try await other.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    var changes = store.changes(isImporting: false).makeAsyncIterator()
    try place.feedsync("import", "--once")
    #expect(try #require(try await changes.next()).affects("notes"))
  }

  @Test func aTransactionOfManyDocumentsIsOneChange() async throws {
    let other = try place.store("ben")
    var changes = store.changes.makeAsyncIterator()
    for round in 1...20 {
      try await other.write { writer in
        for id in ["a", "b", "c"] {
          try writer.put(Note(title: "\(round)"), at: id, in: "notes")
        }
      }
    }
    var last = ""
    while last != "20" {
      _ = try await changes.next()
      let titles = try await store.read { reader in
        try ["a", "b", "c"].map { try reader.get(Note.self, at: $0, in: "notes")?.title }
      }
      #expect(Set(titles).count == 1, "half a transaction: \(titles)")
      last = titles[0] ?? ""
    }
  }

  @Test func aPositionGoesOnWhereAnEarlierRunEnded() async throws {
    var changes = store.changes.makeAsyncIterator()
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let first = try #require(try await changes.next())
    try await store.write { try $0.put(Note(title: "y"), at: "b", in: "notes") }
    let kept = try JSONEncoder().encode(first.position)

    let position = try JSONDecoder().decode(ChangePosition.self, from: kept)
    var later = try place.store().changes(after: position).makeAsyncIterator()
    let next = try #require(try await later.next())
    #expect(next.extent == .documents([change("b", fields: ["/isDone", "/title"])]))
  }

  @Test func moreDocumentsThanCanBeNamedAreToldAsCollections() async throws {
    var changes = store.changes.makeAsyncIterator()
    try await store.write { writer in
      for number in 0..<3000 {
        try writer.put(Note(title: "x"), at: "\(number)", in: number % 2 == 0 ? "even" : "odd")
      }
    }
    #expect(try #require(try await changes.next()).extent == .collections(["even", "odd"]))
  }

  @Test func aPositionThatTheStoreDoesNotKnowMeansThatAnythingMayHaveChanged() async throws {
    let position = try JSONDecoder().decode(
      ChangePosition.self, from: Data(#"{"rawValue":1000000}"#.utf8))
    var changes = store.changes(after: position).makeAsyncIterator()
    let missed = try #require(try await changes.next())
    #expect(missed.extent == .everything)
    #expect(missed.origin == .unknown)
    try await store.write { try $0.put(Note(title: "x"), at: "b", in: "notes") }
    #expect(try #require(try await changes.next()).extent != .everything)
  }

  @Test func whenTheFolderIsAwayLocalChangesGoOnAndTheFailureIsTold() async throws {
    try place.setFolder(isAway: true)
    var changes = store.changes.makeAsyncIterator()
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    #expect(try #require(try await changes.next()).affects("notes"))
    try await waitUntil { store.importFailure != nil }
    #expect(store.importFailure?.code == .noContainer)
  }

  /// The import of the one before is still ending when the next begins.
  @Test func whoeverFollowsAnewAtOnceIsToldOfImportsToo() async throws {
    let other = try place.store("ben")
    for round in 0..<5 {
      var changes = store.changes.makeAsyncIterator()
      try await other.write { try $0.put(Note(title: "\(round)"), at: "a", in: "notes") }
      #expect(try #require(try await changes.next()).affects("notes"))
    }
  }

  @Test func cancellingTheTaskEndsTheSequence() async throws {
    let store = store
    let task = Task {
      var count = 0
      for try await _ in store.changes { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value == 0)
  }

  @Test func cancellingTheTaskEndsTheSequenceWhileItWaitsForTheNextChange() async throws {
    let changes = store.changes
    let (firsts, continuation) = AsyncStream<Void>.makeStream()
    let task = Task {
      var count = 0
      for try await _ in changes {
        count += 1
        continuation.yield()
      }
      return count
    }
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    for await _ in firsts { break }
    task.cancel()
    #expect(try await task.value == 1)
  }

  private func change(
    _ id: String, isDeleted: Bool = false, fields: [String] = []
  ) -> DocumentChange {
    DocumentChange(collection: "notes", id: id, isDeleted: isDeleted, fields: fields)
  }
}
