import FeedSync
import Foundation
import TestSupport
import Testing

/// S2, S5, S6 and S8: what a program that follows a store is told, and in which order.
@Suite(.watchesAlone, .serialized, .timeLimit(.minutes(5))) struct TransitionTests {
  let place: Place
  let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
  }

  @Test func s2_importsAreToldOnceTheyCanBeReadAndOwnWritesAreNoImports() async throws {
    let ben = try place.store("ben")
    var changes = store.changes.makeAsyncIterator()
    try await store.write { try $0.put(Note(title: "own"), at: "a", in: "notes") }
    guard case .local = try #require(try await changes.next()).origin else {
      Issue.record("an own write came as an import")
      return
    }
    try await ben.write { try $0.put(Note(title: "x"), at: "b", in: "notes") }
    let change = try #require(try await changes.next())
    #expect(change.origin == .imported([ben.container.thisDevice]))
    #expect(try await store.read { try $0.document("b", in: "notes") } != nil)
  }

  @Test func s5_s6_theFolderGoesAndComesBackInThisOrder() async throws {
    let ben = try place.store("ben")
    try await ben.write { try $0.put(Note(title: "x"), at: "y", in: "other") }
    try await store.importAll()
    var transitions = store.transitions.makeAsyncIterator()
    // Until the import runs: what is gone before is no transition.
    try await waitForImport(from: ben)
    try place.setFolder(isAway: true)
    #expect(try await transitions.next() == .accountRemoved)
    try await store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    #expect(try await store.read { try $0.ids(in: "notes") } == ["a"])
    try place.setFolder(isAway: false)
    #expect(try await transitions.next() == .accountAdded)
  }

  @Test func s5_s8_theFirstImportIsToldOnceAndLaterOnesAreNot() async throws {
    let ben = try place.store("ben")
    try await ben.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    var transitions = store.transitions.makeAsyncIterator()
    #expect(try await transitions.next() == .initialImportCompleted)
    #expect(try await store.read { try $0.ids(in: "notes") } == ["a"])
    let changes = store.changes(isImporting: false)
    try await ben.write { try $0.put(Note(title: "y"), at: "b", in: "notes") }
    for try await change in changes where change.affects("notes") { break }
    try place.setFolder(isAway: true)
    #expect(try await transitions.next() == .accountRemoved)
  }

  @Test func s5_s8_theFirstImportIsToldWhoeverMakesIt() async throws {
    let ben = try place.store("ben")
    try await ben.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    try place.setFolder(isAway: true)
    var transitions = store.transitions.makeAsyncIterator()
    try await waitUntil { store.importFailure != nil }
    try place.setFolder(isAway: false)
    // Before the follower's own import looks again.
    try await place.store().importAll()
    var told: Set<StoreTransition> = []
    for _ in 0..<2 {
      told.insert(
        try #require(
          try await transitions.next(), "\(told), \(String(describing: store.importFailure))"))
    }
    #expect(told == [.initialImportCompleted, .accountAdded])
    let changes = store.changes(isImporting: false)
    try await ben.write { try $0.put(Note(title: "y"), at: "b", in: "notes") }
    for try await change in changes where change.affects("notes") { break }
    try place.setFolder(isAway: true)
    #expect(try await transitions.next() == .accountRemoved)
  }

  @Test func s6_thatTheFolderIsAwayAtTheStartIsNoTransition() async throws {
    try place.setFolder(isAway: true)
    var transitions = store.transitions.makeAsyncIterator()
    try await waitUntil { store.importFailure != nil }
    try place.setFolder(isAway: false)
    #expect(try await transitions.next() == .accountAdded)
  }

  @Test func anotherContainerEndsIt() async throws {
    var transitions = store.transitions.makeAsyncIterator()
    try place.setFolder(isAway: true)
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(place.folder.path, state: place.state("other"))
    let error = await #expect(throws: FeedSyncError.self) {
      while try await transitions.next() != nil {}
    }
    #expect(error?.code == .noContainer)
  }

  /// Lets something be imported, which only a running import does.
  private func waitForImport(from ben: DocumentStore) async throws {
    let changes = store.changes
    try await ben.write { try $0.put(Note(title: "x"), at: "z", in: "other") }
    for try await change in changes where change.affects("other") { return }
  }
}
