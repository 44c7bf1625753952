import FeedSync
import Foundation
import Testing

/// Counters and sets through the library, on two devices that write at once.
@Suite struct ReplicatedMemberTests {
  struct Plan: Codable, Equatable {
    var title = "Picnic"
    var votes = Counter()
    var tags: ReplicatedSet<String> = []
    var byDay: [String: Counter]?
  }

  let place: Place
  let ann: DocumentStore
  let bob: DocumentStore

  init() throws {
    place = try Place()
    ann = try place.store("ann")
    bob = try place.store("bob")
  }

  /// Each brings in what the other wrote.
  private func exchange() throws {
    for store in [ann, bob, ann] { try store.importAll() }
  }

  private func body(_ store: DocumentStore) throws -> String? {
    try store.read { try $0.document("p", in: "plans") }?.body.canonical
  }

  private func update(_ store: DocumentStore, _ change: (inout Plan) -> Void) throws {
    try store.write { writer in
      try writer.update(Plan.self, at: "p", in: "plans") { change(&$0) }
    }
  }

  private func begin(_ plan: Plan = Plan(votes: 10, tags: ["a", "b"])) throws {
    try ann.write { try $0.put(plan, at: "p", in: "plans") }
    try exchange()
  }

  @Test func propertiesAreWrittenAsWhatWasDoneToThem() throws {
    try begin()
    try update(ann) {
      $0.votes += 2
      $0.tags.insert("c")
      $0.tags.remove("a")
      $0.title = "Feast"
    }
    try update(bob) {
      $0.votes -= 1
      $0.votes += 6
      $0.tags.insert("d")
    }
    try exchange()
    let expected = #"{"tags":["b","c","d"],"title":"Feast","votes":17}"#
    #expect(try body(ann) == expected)
    #expect(try body(bob) == expected)
    #expect(try ann.status().conflicts == 0)
  }

  @Test func aNewCounterInItsPlaceStartsAnew() throws {
    try begin()
    try update(ann) { $0.votes = Counter(0) }
    try update(bob) { $0.votes = 0 }
    try exchange()
    #expect(try body(ann) == #"{"tags":["a","b"],"title":"Picnic","votes":0}"#)
    #expect(try ann.status().conflicts == 0)
    try update(ann) { $0.votes = 100 }
    try update(bob) { $0.votes += 3 }
    try exchange()
    #expect(try body(bob) == #"{"tags":["a","b"],"title":"Picnic","votes":103}"#)
  }

  @Test func whatIsPutIsACounterAndASetFromTheStart() throws {
    try begin()
    // Not converted first, which would be two operations more.
    let before = try #require(
      try ann.write { try $0.increment("votes", at: "p", in: "plans") }
        .transaction)
    #expect(before.sequence == 2)
    try bob.write { try $0.increment("/votes", by: 5, at: "p", in: "plans") }
    try exchange()
    #expect(try body(bob) == #"{"tags":["a","b"],"title":"Picnic","votes":16}"#)
  }

  @Test func countersInDictionariesComeMoveAndGo() throws {
    try begin(Plan(votes: 1, byDay: ["mo": 1, "tu": 2]))
    try update(ann) { $0.byDay?["mo"]? += 4 }
    try update(bob) {
      $0.byDay?["mo"]? += 5
      let tuesday = $0.byDay?["tu"]
      $0.byDay?["we"] = tuesday
      $0.byDay?["tu"] = nil
    }
    try exchange()
    let expected = #"{"byDay":{"mo":10,"we":2},"tags":[],"title":"Picnic","votes":1}"#
    #expect(try body(ann) == expected)
    #expect(try body(bob) == expected)
    // What was copied counts on where it is.
    try update(ann) { $0.byDay?["we"]? += 1 }
    try update(bob) { $0.byDay?["we"]? += 1 }
    try exchange()
    #expect(try body(ann)?.contains(#""we":4"#) == true)
  }

  @Test func plainMembersOfOlderProgramsAreTakenOver() throws {
    let old: JSON = ["title": "x", "votes": 3, "tags": ["b", "a", "b"]]
    try ann.write { try $0.put(old, at: "p", in: "plans") }
    try exchange()
    try update(ann) {
      $0.votes += 1
      $0.tags.insert("c")
    }
    try update(bob) {
      $0.votes += 1
      $0.tags.insert("d")
    }
    try exchange()
    #expect(try body(ann) == #"{"tags":["a","b","c","d"],"title":"x","votes":5}"#)
    #expect(try body(bob) == (try body(ann)))
  }

  class Poll: Codable { var votes: Counter = 0 }

  final class Ballot: Poll {
    var paper = 0
    /// As the superclass's counter is called, in its own object.
    enum Keys: String, CodingKey { case paper = "votes" }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      paper = try container.decode(Int.self, forKey: .paper)
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(paper, forKey: .paper)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func thoseOfASuperclassAreKnownBesideMembersOfTheSameName() throws {
    try ann.write { try $0.put(Ballot(), at: "p", in: "plans") }
    try exchange()
    for (store, papers) in [(ann, 1), (bob, 0)] {
      try store.write { writer in
        try writer.update(Ballot.self, at: "p", in: "plans") {
          $0.votes += 2
          $0.paper += papers
        }
      }
    }
    try exchange()
    let expected = #"{"super":{"votes":4},"votes":1}"#
    #expect(try body(ann) == expected)
    #expect(try body(bob) == expected)
    #expect(try ann.status().conflicts == 0)
  }

  @Test func inAnArrayTheyAreOneValueWithIt() throws {
    struct Row: Codable { var rows: [Counter] }
    try ann.write { try $0.put(Row(rows: [1, 2]), at: "r", in: "plans") }
    try ann.write { writer in
      try writer.update(Row.self, at: "r", in: "plans") { $0.rows[0] += 1 }
    }
    let document = try #require(try ann.read { try $0.document("r", in: "plans") })
    #expect(document.body.canonical == #"{"rows":[2,2]}"#)
  }

  @Test func elementsOfAnyTypeComeBack() throws {
    struct Point: Codable, Hashable { var x: Int }
    struct Holder: Codable, Equatable {
      var points: ReplicatedSet<Point>
      var dates: ReplicatedSet<Date>
    }
    let holder = Holder(
      points: [Point(x: 2), Point(x: 1)], dates: [Date(timeIntervalSince1970: 0.5)])
    try ann.write { try $0.put(holder, at: "h", in: "plans") }
    #expect(try ann.read { try $0.get(Holder.self, at: "h", in: "plans") } == holder)
    try ann.write { writer in
      try writer.update(Holder.self, at: "h", in: "plans") { $0.points.remove(Point(x: 2)) }
    }
    let document = try #require(try ann.read { try $0.document("h", in: "plans") })
    #expect(
      document.body.canonical == #"{"dates":["1970-01-01T00:00:00.500Z"],"points":[{"x":1}]}"#)
  }

  @Test func functionsEditAnyDocument() throws {
    let changes = try ann.write { writer in
      [
        try writer.increment("/a/n", by: -2, at: "p", in: "plans"),
        try writer.insert([1, 2, 1], into: "$.a.s", at: "p", in: "plans"),
        try writer.insert([2], into: "/a/s", at: "p", in: "plans"),
        try writer.remove([1, 9], from: "/a/s", at: "p", in: "plans"),
        try writer.increment("/a/n", by: 0, at: "p", in: "plans"),
      ]
    }
    #expect(changes.value == [true, true, false, true, false])
    #expect(try body(ann) == #"{"a":{"n":-2,"s":[2]}}"#)
  }

  @Test(arguments: [
    (FeedSyncError.Code.badInput, "title"), (.badInput, "/title/deeper"), (.usage, ""),
    (.usage, "/~2"), (.usage, "$.a[0]"),
  ])
  func whatCannotBeEditedIsRefused(code: FeedSyncError.Code, path: String) throws {
    try begin()
    for edit in [
      { (writer: WriteTransaction) in try writer.increment(path, at: "p", in: "plans") },
      { (writer: WriteTransaction) in try writer.insert(["x"], into: path, at: "p", in: "plans") },
    ] {
      let error = #expect(throws: FeedSyncError.self) { try ann.write(edit) }
      #expect(error?.code == code)
    }
  }

  @Test func whereOneEditIsRefusedNoneIsMade() throws {
    // A double, which another program wrote, is no counter.
    let body = try JSON(parsing: Array(#"{"tags":["a"],"title":"x","votes":1.0}"#.utf8))
    try ann.write { try $0.put(body, at: "p", in: "plans") }
    let result = try ann.write { writer in
      try writer.patch(["seen": true], at: "q", in: "plans")
      #expect(throws: (any Error).self) {
        try writer.update(Plan.self, at: "p", in: "plans") {
          $0.title = "y"
          $0.tags.insert("b")
          $0.votes += 1
        }
      }
      #expect(try writer.body(at: "p", in: "plans") == body)
      try writer.patch(["seen": false], at: "q", in: "plans")
    }
    #expect(result.changedCount == 1)
    #expect(try self.body(ann) == body.canonical)
    let other = try #require(try ann.read { try $0.document("q", in: "plans") })
    #expect(other.body.canonical == #"{"seen":false}"#)
  }

  @Test func elementsHaveALimit() throws {
    let long = String(repeating: "x", count: 1022)
    try ann.write { try $0.insert([long], into: "s", at: "p", in: "plans") }
    let error = #expect(throws: FeedSyncError.self) {
      try ann.write { try $0.insert([long + "x"], into: "s", at: "p", in: "plans") }
    }
    #expect(error?.code == .badInput)
    #expect(throws: FeedSyncError.self) {
      try ann.write { writer in
        try writer.update(Sized.self, at: "p", in: "plans") { $0.s.insert(long + "y") }
      }
    }
  }

  struct Sized: Codable { var s: ReplicatedSet<String> }

  @Test func aCounterStaysWithinItsRange() throws {
    var counter = Counter(.max)
    counter += 1
    #expect(counter.value == .max)
    counter -= .min
    #expect(counter.value == .max)
    counter = Counter(-1)
    counter -= .min
    #expect(counter.value == .max)
    let large: JSON = ["n": .unsigned(.max)]
    struct Holder: Codable { var n: Counter }
    try ann.write { try $0.put(large, at: "p", in: "plans") }
    try ann.write { writer in
      try writer.update(Holder.self, at: "p", in: "plans") { $0.n -= 5 }
    }
    #expect(try body(ann) == #"{"n":18446744073709551610}"#)
  }
}
