import FeedSync
import Foundation
import GRDB
import Testing

/// Conflicts through the library.
@Suite struct ConflictsTests {
  let place: Place
  let ann: DocumentStore
  let ben: DocumentStore

  init() throws {
    place = try Place()
    ann = try place.store()
    ben = try place.store("ben")
    try ann.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    try ben.importAll()
  }

  /// Both write the title, and learn of one another.
  private func collide(_ round: Int = 0, at id: String = "a") throws {
    try ann.write { try $0.patch(["title": .text("ann \(round)")], at: id, in: "notes") }
    try ben.write { try $0.patch(["title": .text("ben \(round)")], at: id, in: "notes") }
    for store in [ann, ben, ann] { try store.importAll() }
  }

  @Test func aConflictIsTheSameOnBothAndNamesWhoWroteWhat() throws {
    try collide()
    let conflict = try #require(try ann.conflicts(of: "a", in: "notes").first)
    #expect(try ben.conflicts(of: "a", in: "notes") == [conflict])
    #expect(try ann.conflictedDocuments().map(\.id) == ["a"])
    #expect(conflict.path == "/title")
    #expect(conflict.kind == .value)
    #expect(Set(conflict.values.map(\.content)) == [.text("ann 0"), .text("ben 0")])
    for value in conflict.values {
      let name = try #require(value.device?.name)
      #expect(value.content == .text("\(name) 0"))
      let time = try #require(value.time)
      #expect(abs(time.timeIntervalSinceNow) < 3600)
    }
  }

  @Test func whoeverSettlesItSettlesItForAll() throws {
    try collide()
    let conflict = try #require(try ann.conflicts(of: "a", in: "notes").first)
    let loser = try #require(conflict.values.last)
    try ben.resolve(conflict, by: .choosing(loser))
    try ann.importAll()
    #expect(try ann.conflictedDocuments() == [])
    let note = try ann.read { try $0.get(Note.self, at: "a", in: "notes") }
    #expect(note.map { .text($0.title) } == loser.content)
    let error = #expect(throws: FeedSyncError.self) { try ann.resolve(conflict, by: .shown) }
    #expect(error?.code == .notFound)
  }

  @Test func aValueThatIsNoneOfTheConflictsAnyMoreIsRefused() throws {
    try collide()
    let old = try #require(try ann.conflicts(of: "a", in: "notes").first)
    try ann.resolve(old, by: .value("other"))
    try collide(1)
    let error = #expect(throws: FeedSyncError.self) {
      try ann.resolve(old, by: .choosing(old.values[0]))
    }
    #expect(error?.code == .tryAgain)
    #expect(try ann.conflictedDocuments().count == 1)
  }

  /// Nobody has chosen against what came after they had looked.
  @Test func whatCarlHasWrittenMeanwhileIsNotSettledWithTheOthers() throws {
    let carl = try place.store("carl")
    try carl.importAll()
    try collide()
    let old = try #require(try ann.conflicts(of: "a", in: "notes").first)
    try carl.write { try $0.patch(["title": "carl"], at: "a", in: "notes") }
    // He has not seen theirs: they come with the next import.
    try carl.importAll()
    try ann.importAll()
    for resolution: ConflictResolution in [.shown, .choosing(old.values[1]), .value("other")] {
      let error = #expect(throws: FeedSyncError.self) { try ann.resolve(old, by: resolution) }
      #expect(error?.code == .tryAgain)
    }
    let new = try #require(try ann.conflicts(of: "a", in: "notes").first)
    #expect(new.values.count == 3)
    try ann.resolve(new, by: .choosing(new.values[2]))
    #expect(try ann.conflictedDocuments() == [])
  }

  @Test func newConflictsAreTold() async throws {
    try collide()
    var conflicts = ann.newConflicts(isImporting: false).makeAsyncIterator()
    try await ann.write { try $0.put(Note(title: "y"), at: "b", in: "notes") }
    try collide(1)
    let conflict = try #require(try await conflicts.next())
    #expect(Set(conflict.values.map(\.content)) == [.text("ann 1"), .text("ben 1")])
  }

  @Test("New conflicts: of a document that changes, those that were told are not told again")
  func knownAreNotToldAgain() async throws {
    try collide()
    var conflicts = ann.newConflicts(isImporting: false).makeAsyncIterator()
    try await ann.write { try $0.patch(["rating": 2.5], at: "a", in: "notes") }
    try collide(1, at: "b")
    #expect(try await conflicts.next()?.id == "b")
    let settled = try #require(try ann.conflicts(of: "a", in: "notes").first)
    try ann.resolve(settled, by: .shown)
    try await ben.importAll()
    try collide(2)
    let again = try #require(try await conflicts.next())
    #expect(again.id == "a")
    #expect(Set(again.values.map(\.content)) == [.text("ann 2"), .text("ben 2")])
  }

  @Test("New conflicts: what a commit has left alone is not read")
  func onlyWhatChangedIsRead() async throws {
    try collide()
    var conflicts = ann.newConflicts(isImporting: false).makeAsyncIterator()
    let folders = try FileManager.default.contentsOfDirectory(atPath: place.state("ann"))
    let container = try #require(folders.first { $0.count == 32 })
    try DatabaseQueue(path: "\(place.state("ann"))/\(container)/store.sqlite").inDatabase { db in
      try db.execute(sql: "UPDATE documents SET state = x'FF' WHERE id = 'a'")
    }
    await #expect(throws: FeedSyncError.self) { try await ann.conflictedDocuments() }
    try collide(1, at: "b")
    #expect(try await conflicts.next()?.id == "b")
  }

  @Test("New conflicts: those of a commit that names no documents, since they are too many")
  func commitsWithoutNames() async throws {
    var conflicts = ann.newConflicts(isImporting: false).makeAsyncIterator()
    try await ann.write { try $0.patch(["title": "ann"], at: "a", in: "notes") }
    try await ben.write { writer in
      try writer.patch(["title": "ben"], at: "a", in: "notes")
      for number in 0..<100 {
        let id = String(repeating: "x", count: 1000) + "\(number)"
        try writer.put(Note(title: "x"), at: id, in: "notes")
      }
    }
    try await ann.importAll()
    #expect(try await conflicts.next()?.id == "a")
  }
}

extension JSON {
  fileprivate static func text(_ text: String) -> JSON { .string(ByteString(text)) }
}
