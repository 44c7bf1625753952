import FeedSync
import Foundation
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
  private func collide(_ round: Int = 0) throws {
    try ann.write { try $0.patch(["title": .text("ann \(round)")], at: "a", in: "notes") }
    try ben.write { try $0.patch(["title": .text("ben \(round)")], at: "a", in: "notes") }
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
}

extension JSON {
  fileprivate static func text(_ text: String) -> JSON { .string(ByteString(text)) }
}
