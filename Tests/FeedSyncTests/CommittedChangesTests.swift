import FeedSync
import Foundation
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

  private func write(_ store: DocumentStore, times: Int) throws {
    for _ in 0..<times {
      try store.write { try $0.increment("n", at: "a", in: "notes") }
    }
  }

  /// The store as it is after a backup of its device's state was put in the place of what became
  /// of it.
  private func restored(_ backup: URL) throws -> DocumentStore {
    let state = place.state("ann")
    try FileManager.default.removeItem(atPath: state)
    try FileManager.default.copyItem(atPath: backup.path, toPath: state)
    return DocumentStore(try UbiquityContainer(place.folder.path, state: state))
  }

  @Test func afterARestoredBackupAnythingMayHaveChanged() throws {
    let backup = place.root.appending(path: "backup")
    try write(store, times: 3)
    try FileManager.default.copyItem(atPath: place.state("ann"), toPath: backup.path)
    try write(store, times: 3)
    let kept = try store.committedChanges(after: nil).position
    let restored = try restored(backup)
    try restored.importAll()
    try write(restored, times: 6)
    let news = try restored.committedChanges(after: kept)
    #expect(news.changes.map(\.extent) == [.everything])
    #expect(news.position.rawValue > kept.rawValue)
    try write(restored, times: 2)
    #expect(try restored.committedChanges(after: news.position).changes.count == 2)
  }

  @Test(arguments: [true, false])
  func aKeptPointIsToldExactlyTheNextCommits(isOfAnOlderVersion: Bool) throws {
    try write(store, times: 2)
    let kept = try JSONEncoder().encode(try store.committedChanges(after: nil).position)
    // Which knew nothing but the number.
    let old = Data(#"{"rawValue":2}"#.utf8)
    let point = try JSONDecoder().decode(
      ChangePosition.self, from: isOfAnOlderVersion ? old : kept)
    try write(store, times: 3)
    let news = try store.committedChanges(after: point)
    #expect(news.changes.map(\.position.rawValue) == [3, 4, 5])
    #expect(news.changes.allSatisfy { $0.extent != .everything })
  }

  @Test func aPointBeforeTheFirstCommitIsToldAllOfThem() throws {
    let kept = try JSONEncoder().encode(try store.committedChanges(after: nil).position)
    let point = try JSONDecoder().decode(ChangePosition.self, from: kept)
    try write(store, times: 2)
    #expect(try store.committedChanges(after: point).changes.map(\.position.rawValue) == [1, 2])
  }
}
