import CanonicalJSON
import DocumentStorage
import FeedSync
import TestSupport
import Testing

/// What a change of documents makes of a live query's window, decided without a database.
@Suite("A query's window") struct QueryWindowTests {
  private func match(_ id: String, _ key: QueryValue, body: String = "{}") -> QueryWindow.Match {
    QueryWindow.Match(id: ByteString(id), body: Array(body.utf8), keys: [key])
  }

  private func window(
    _ matches: [QueryWindow.Match], descending: Bool = false, limit: Int? = nil
  ) -> QueryWindow {
    QueryWindow(matches, directions: [descending], limit: limit)
  }

  /// The ids after a change; nil if the window cannot know, or stays as it is.
  private func ids(_ outcome: QueryWindow.Outcome) -> [String]? {
    guard case .changed(let window) = outcome else { return nil }
    return window.matches.map(\.id.description)
  }

  private func isSame(_ outcome: QueryWindow.Outcome) -> Bool {
    if case .same = outcome { true } else { false }
  }

  private func isUnknown(_ outcome: QueryWindow.Outcome) -> Bool {
    if case .unknown = outcome { true } else { false }
  }

  @Test("stays as it is for documents that match neither before nor after")
  func unrelated() {
    #expect(isSame(window([match("a", 1)]).updated(["x"], present: [])))
  }

  @Test("stays as it is where a document is what it was")
  func unchanged() {
    #expect(isSame(window([match("a", 1)]).updated(["a"], present: [match("a", 1)])))
  }

  @Test("takes documents to their places, by their keys and then by their ids")
  func places() {
    let before = window([match("a", 1), match("c", 2), match("d", 2)])
    #expect(ids(before.updated(["b"], present: [match("b", 2)])) == ["a", "b", "c", "d"])
    #expect(ids(before.updated(["a"], present: [match("a", 3)])) == ["c", "d", "a"])
    #expect(ids(before.updated(["c"], present: [])) == ["a", "d"])
  }

  @Test("turns ids around with the last key that descends")
  func descending() {
    let before = window([match("c", 2), match("a", 2)], descending: true)
    #expect(ids(before.updated(["b"], present: [match("b", 2)])) == ["c", "b", "a"])
  }

  @Test("does not look at what comes behind a full limit")
  func behindTheLimit() {
    let before = window([match("a", 1), match("b", 2)], limit: 2)
    #expect(isSame(before.updated(["x"], present: [match("x", 3)])))
    #expect(ids(before.updated(["x"], present: [match("x", 1.5)])) == ["a", "x"])
  }

  @Test("knows that it does not know what moves up when a full limit loses a document")
  func movingUp() {
    let before = window([match("a", 1), match("b", 2)], limit: 2)
    #expect(isUnknown(before.updated(["a"], present: [])))
    #expect(isUnknown(before.updated(["b"], present: [match("b", 9)])))
    #expect(ids(before.updated(["a", "x"], present: [match("x", 0)])) == ["x", "b"])
  }

  @Test("knows everything while the limit is not reached")
  func belowTheLimit() {
    let before = window([match("a", 1), match("b", 2)], limit: 3)
    #expect(ids(before.updated(["a"], present: [])) == ["b"])
    #expect(ids(before.updated(["x"], present: [match("x", 9)])) == ["a", "b", "x"])
  }

  @Test("sorts values as SQLite does: null, numbers, texts by bytes, blobs")
  func valueOrder() {
    let big = Int64(1) << 53
    let sorted: [QueryValue] = [
      .null, .real(-.infinity), .integer(.min), .real(-1.5), .integer(-1), 0, 0.5, 1,
      .real(Double(big)), .integer(big + 1), .integer(.max), .real(0x1p63), .text("A"),
      .text("a"), .text("ab"), .text("ä"), .blob([]), .blob([0]),
    ]
    var shown = window([])
    let ids = sorted.indices.map { String(UnicodeScalar(UInt8(97 + $0))) }
    for (id, key) in zip(ids, sorted).reversed() {
      guard case .changed(let next) = shown.updated([ByteString(id)], present: [match(id, key)])
      else {
        Issue.record("\(key) changed nothing")
        return
      }
      shown = next
    }
    #expect(shown.matches.map(\.keys) == sorted.map { [$0] })
  }

  @Test("tells what was added, changed and removed, so that a list can follow")
  func differences() {
    let old = [match("a", 1), match("b", 2), match("c", 3)]
    let new = [match("c", 0, body: #"{"n":1}"#), match("a", 1), match("d", 4)]
    let result = LiveResult(new, before: old)
    #expect(result.added.map(\.document.id) == ["d"])
    #expect(result.added.map(\.position) == [2])
    #expect(result.changed.map(\.document.id) == ["c"])
    #expect(result.changed.map(\.position) == [0])
    #expect(result.removed == ["b"])
  }

  @Test("makes the new list out of the old one by what was removed, changed and added")
  func following() {
    let ids = ["a", "b", "c", "d", "e"]
    let all = Set(ids.map { ByteString($0) })
    var chance = SeededGenerator(seed: 7)
    var shown = window([])
    var list: [LiveResult.Document] = []
    for _ in 0..<200 {
      var present: [QueryWindow.Match] = []
      for id in ids where Bool.random(using: &chance) {
        let number = Int64(chance.below(3))
        present.append(match(id, .integer(number), body: #"{"n":\#(number)}"#))
      }
      guard case .changed(let next) = shown.updated(all, present: present) else { continue }
      let result = LiveResult(next.matches, before: shown.matches)
      let gone = Set(result.removed + result.changed.map(\.document.id))
      list.removeAll { gone.contains($0.id) }
      for placed in (result.added + result.changed).sorted(by: { $0.position < $1.position }) {
        list.insert(placed.document, at: placed.position)
      }
      #expect(list == result.documents)
      #expect(list.map(\.id) == next.matches.map(\.id.description))
      shown = next
    }
  }
}
