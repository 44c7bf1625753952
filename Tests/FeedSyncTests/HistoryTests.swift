import FeedSync
import Foundation
import Testing

/// The past through the library.
@Suite struct HistoryTests {
  let place: Place
  let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
  }

  @Test func theHistoryTellsWhoChangedWhatAndWhen() throws {
    let first = try store.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let second = try store.write { try $0.patch(["title": "y"], at: "a", in: "notes") }
    let history = try store.history(of: "a", in: "notes")
    #expect(history.missing == [])
    #expect(history.entries.map(\.transaction) == [first.transaction, second.transaction])
    #expect(history.entries.map(\.event) == [.inserted, .edited])
    #expect(history.entries.map(\.device.name) == ["ann", "ann"])
    let change = try #require(history.entries.last?.changes.first)
    #expect(change.path == "/title")
    #expect((change.old, change.new) == ("x", "y"))
    #expect(change.outcome == .shown)
    #expect(change.kind == .set)
    let before = try #require(history.entries.first)
    let title = try #require(before.changes.first { $0.path == "/title" })
    #expect(title.outcome == second.transaction.map { .superseded(by: $0) })
    let past = try store.body(at: "a", in: "notes", asOf: before.time.addingTimeInterval(-1))
    #expect(past == nil)
    #expect(try store.body(at: "a", in: "notes", asOf: .distantFuture) != nil)
    #expect(try store.history(of: "none", in: "notes").entries.isEmpty)
  }

  @Test func thePastHasNoDatesThatAreNoNumbers() throws {
    let error = #expect(throws: FeedSyncError.self) {
      try store.body(at: "a", in: "notes", asOf: Date(timeIntervalSince1970: .nan))
    }
    #expect(error?.code == .usage)
    for seconds in [-Double.infinity, -1e300, 1e300, .infinity] {
      let date = Date(timeIntervalSince1970: seconds)
      #expect(try store.body(at: "a", in: "notes", asOf: date) == nil)
    }
  }

  @Test func anUndoIsAWriteThatNamesWhatItLeaves() throws {
    try store.write { try $0.put(Note(title: "x", rating: 1), at: "a", in: "notes") }
    let edit = try store.write {
      try $0.patch(["title": "y", "rating": 2], at: "a", in: "notes")
    }
    try store.write { try $0.patch(["rating": 3], at: "a", in: "notes") }
    let undone = try store.undo(try #require(edit.transaction))
    #expect(undone.value.map(\.path) == ["/rating"])
    #expect(undone.changedCount == 1)
    #expect(undone.transaction?.sequence == 4)
    let note = try store.read { try $0.get(Note.self, at: "a", in: "notes") }
    #expect(note == Note(title: "x", rating: 3))
    // A name may be cut: this one must not be the beginning of the device's own.
    let other = "\(try #require(edit.transaction))".hasPrefix("0") ? "1:1" : "0:1"
    let unknown = try #require(TransactionID(other))
    #expect(TransactionID("\(unknown)") == unknown)
    #expect(TransactionID("0:1:2f")?.description == "0:1:2f")
    for text in ["", "0", "0:", ":1", "0:x", "0:1:", "0:1:2:3"] {
      #expect(TransactionID(text) == nil)
    }
    let error = #expect(throws: FeedSyncError.self) { try store.undo(unknown) }
    #expect(error?.code == .notFound)
  }

  @Test func countersAndSetsAreUndoneWhateverOthersDidToThem() throws {
    try store.write { writer in
      try writer.put(["n": 0, "tags": ["a"]] as JSON, at: "a", in: "notes")
      try writer.increment("/n", at: "a", in: "notes")
      try writer.insert(["b"], into: "/tags", at: "a", in: "notes")
    }
    let counted = try store.write { writer in
      try writer.increment("/n", by: 5, at: "a", in: "notes")
      try writer.insert(["c"], into: "/tags", at: "a", in: "notes")
      try writer.remove(["a"], from: "/tags", at: "a", in: "notes")
    }
    try store.write { writer in
      try writer.increment("/n", by: 100, at: "a", in: "notes")
      try writer.insert(["d"], into: "/tags", at: "a", in: "notes")
    }
    let undone = try store.undo(try #require(counted.transaction))
    #expect(undone.value == [])
    let body = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(body.canonical == #"{"n":101,"tags":["a","b","d"]}"#)
    let kinds = try store.history(of: "a", in: "notes").entries.last?.changes.map(\.kind)
    #expect(kinds == [.increment, .add])
  }
}
