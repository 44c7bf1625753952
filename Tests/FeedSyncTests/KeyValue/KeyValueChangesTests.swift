import FeedSync
import Foundation
import TestSupport
import Testing

/// K5 to K7, K12: who follows a store is told of what others do, and why; never of itself.
@Suite(.watchesAlone, .serialized, .timeLimit(.minutes(5))) struct KeyValueChangesTests {
  let place: Place
  let values: KeyValueStore

  init() throws {
    place = try Place()
    values = try KeyValueStore(try place.store())
  }

  private func other() throws -> KeyValueStore { try KeyValueStore(try place.store("ben")) }

  @Test func k6_changesOfOtherDevicesComeWithTheReasonAndTheKeys() async throws {
    let other = try other()
    try await other.set(1, forKey: "a")
    try await values.synchronize()
    var changes = values.changes.makeAsyncIterator()
    try await other.set(2, forKey: "a")
    #expect(try await changes.next() == change(.serverChange, "a"))
    #expect(try await values.value(forKey: "a") == 2)
    try await other.remove(forKey: "a")
    #expect(try await changes.next() == change(.serverChange, "a"))
    #expect(try await values.value(forKey: "a") == nil)
  }

  @Test func k6_whatIsNotNamedKeyByKeyIsComparedAsAWhole() async throws {
    let other = try other()
    for key in ["gone", "kept", "new"] { try await other.set(1, forKey: key) }
    try await values.synchronize()
    var changes = values.changes(isImporting: false).makeAsyncIterator()
    // One commit of more documents than are named.
    try place.setFolder(isAway: true)
    try await other.store.write { writer in
      for number in 0..<3000 { try writer.put(.object([:]), at: "\(number)", in: "notes") }
    }
    try await other.set(2, forKey: "new")
    try await other.remove(forKey: "gone")
    try place.setFolder(isAway: false)
    try await other.synchronize()
    try place.feedsync("import", "--once")
    #expect(try await changes.next() == change(.serverChange, "gone", "new"))
  }

  @Test func k7_theFirstImportIsToldAsSuch() async throws {
    let other = try other()
    try await other.set(1, forKey: "a")
    try await values.set("default", forKey: "mine")
    var changes = values.changes.makeAsyncIterator()
    #expect(try await changes.next() == change(.initialSyncChange, "a"))
    try await other.set(2, forKey: "a")
    #expect(try await changes.next() == change(.serverChange, "a"))
    // Nothing is discarded.
    #expect(try await values.value(forKey: "mine") == "default")
  }

  /// As Apple's advice for this reason is: read what is there, then decide.
  @Test func k7_whoSynchronizesFirstSeesWhatIsThere() async throws {
    try await other().set("dark", forKey: "theme")
    try await values.synchronize()
    #expect(try await values.value(forKey: "theme") == "dark")
  }

  @Test func k7_anotherContainerUnderThePathIsAnAccountChange() async throws {
    for key in ["a", "b"] { try await values.set(1, forKey: key) }
    var changes = values.changes.makeAsyncIterator()
    try place.setFolder(isAway: true)
    try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(place.folder.path, state: place.state("other"))
    #expect(try await changes.next() == change(.accountChange, "a", "b"))
    let error = await #expect(throws: FeedSyncError.self) { try await changes.next() }
    #expect(error?.code == .noContainer)
    #expect(throws: FeedSyncError.self) { try values.set(2, forKey: "a") }
    #expect(try await values.value(forKey: "a") == 1)
    // Opened anew, the folder has the other container's values, for who says that this is meant.
    let refused = #expect(throws: FeedSyncError.self) {
      try UbiquityContainer.join(place.folder.path, state: place.state("ann"))
    }
    #expect(refused?.code == .noContainer)
    let container = try UbiquityContainer.join(
      place.folder.path, isCreating: false, state: place.state("ann"))
    let anew = try KeyValueStore(DocumentStore(container))
    #expect(try await anew.contents().entries.isEmpty)
  }

  @Test func k5_aRefusedWriteIsToldAsAViolation() async throws {
    var changes = values.changes.makeAsyncIterator()
    let large = PropertyListValue.string(String(repeating: "x", count: 1_000_000))
    #expect(throws: FeedSyncError.self) { try values.set(large, forKey: "a") }
    #expect(try await changes.next() == change(.quotaViolation, "a"))
    // No key at all, so nothing that a quota could be about.
    #expect(throws: FeedSyncError.self) { try values.set(1, forKey: "") }
    try place.feedsync("kv", "set", "b", "1")
    #expect(try await changes.next() == change(.serverChange, "b"))
  }

  @Test func k12_ownWritesNeverCome() async throws {
    var changes = values.changes.makeAsyncIterator()
    for number in 0..<20 {
      try await values.set(.integer(Int64(number)), forKey: "a")
      try await values.set(.integer(Int64(number)), forKey: "b\(number)")
    }
    try await values.remove(forKey: "a")
    try place.feedsync("kv", "set", "theirs", "1")
    #expect(try await changes.next() == change(.serverChange, "theirs"))
  }

  @Test func k12_ownWritesNeverComeBesideSuchAsChangeNothing() async throws {
    let values = values
    try await values.set(true, forKey: "same")
    var changes = values.changes.makeAsyncIterator()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<100 {
            let isNothing = writer.isMultiple(of: 2)
            try await values.set(
              isNothing ? true : .integer(Int64(number)), forKey: isNothing ? "same" : "a\(writer)")
          }
        }
      }
      try await group.waitForAll()
    }
    try place.feedsync("kv", "set", "theirs", "1")
    #expect(try await changes.next() == change(.serverChange, "theirs"))
  }

  @Test func k12_anOwnWriteBehindOneThatWaitsDoesNotCome() async throws {
    let following = values.changes(isImporting: false)
    try place.feedsync("kv", "set", "a", "1")
    try place.feedsync("kv", "set", "b", "1")
    try await values.set(2, forKey: "a")
    try await values.remove(forKey: "b")
    // It begins only now, and finds the own values where the others wrote before.
    var changes = following.makeAsyncIterator()
    try place.feedsync("kv", "set", "theirs", "1")
    #expect(try await changes.next() == change(.serverChange, "theirs"))
  }

  @Test func k12_anOwnValueThatOthersBringBackComes() async throws {
    var changes = values.changes(isImporting: false).makeAsyncIterator()
    try await values.set(2, forKey: "a")
    for value in ["1", "2"] {
      try place.feedsync("kv", "set", "a", value)
      #expect(try await changes.next() == change(.serverChange, "a"))
    }
  }

  @Test func k12_aWriteOfOthersThatLosesDoesNotCome() async throws {
    let other = try other()
    try place.setFolder(isAway: true)
    try await other.set("earlier", forKey: "a")
    later()
    try await values.set("later", forKey: "a")
    try place.setFolder(isAway: false)
    var changes = values.changes(isImporting: false).makeAsyncIterator()
    try await other.synchronize()
    try await values.synchronize()
    #expect(try await values.value(forKey: "a") == "later")
    #expect(try await values.store.conflictedDocuments().count == 1)
    try await other.set("theirs", forKey: "b")
    try await values.synchronize()
    #expect(try await changes.next()?.keys == ["b"])
  }

  @Test func writesOfAnotherObjectComeAsSomebodyElses() async throws {
    var changes = values.changes(isImporting: false).makeAsyncIterator()
    try await KeyValueStore(values.store).set(1, forKey: "a")
    #expect(try await changes.next() == change(.serverChange, "a"))
  }

  @Test func otherStoresAndCollectionsDoNotCome() async throws {
    var changes = values.changes(isImporting: false).makeAsyncIterator()
    try await values.store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    try await KeyValueStore(values.store, name: "other").set(1, forKey: "a")
    try place.feedsync("kv", "set", "b", "1")
    #expect(try await changes.next() == change(.serverChange, "b"))
  }

  @Test func cancellingTheTaskEndsTheSequence() async throws {
    let values = values
    let task = Task {
      var count = 0
      for try await _ in values.changes { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value == 0)
  }

  private func change(_ reason: KeyValueChange.Reason, _ keys: String...) -> KeyValueChange {
    KeyValueChange(reason: reason, keys: keys)
  }
}
