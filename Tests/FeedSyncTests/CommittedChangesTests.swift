import FeedSync
import Testing

/// Going on from where a program was when it last ran.
@Suite struct CommittedChangesTests {
  let place: Place
  let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
  }

  @Test func withoutAPointAnythingMayHaveChanged() throws {
    let all = try store.committedChanges(after: nil)
    #expect(all.changes.map(\.extent) == [.everything])
    #expect(try store.committedChanges(after: all.position).changes.isEmpty)
  }

  @Test func whatWasCommittedSinceAPointComesOnceAndInOrder() throws {
    let start = try store.committedChanges(after: nil).position
    for number in 0..<300 {
      try store.write { try $0.put(Note(title: "\(number)"), at: "a", in: "notes") }
    }
    let news = try store.committedChanges(after: start)
    #expect(news.changes.count == 300)
    #expect(news.changes.map(\.position.rawValue) == Array(1...300))
    #expect(try store.committedChanges(after: news.position).changes.isEmpty)
  }

  @Test func whatAnotherDeviceWroteComesWithItsMembers() throws {
    let ben = try place.store("ben")
    let start = try store.committedChanges(after: nil).position
    try ben.write { try $0.patch(["x": 1], at: "a", in: "notes") }
    #expect(try store.committedChanges(after: start).changes.isEmpty)
    try store.importAll()
    let change = try #require(try store.committedChanges(after: start).changes.first)
    #expect(
      change.extent
        == .documents([
          DocumentChange(collection: "notes", id: "a", isDeleted: false, fields: ["/x"])
        ]))
  }
}
