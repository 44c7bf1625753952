import FeedSync
import Foundation
import Testing

/// K1: what a key-value store holds, and that it comes back as it went in.
@Suite struct PropertyListTests {
  private static let samples: [PropertyListValue] = [
    .bool(true), .bool(false), 0, 1, .integer(.max), .integer(.min), 1.0, -0.0,
    .double(.leastNonzeroMagnitude),
    .double(.greatestFiniteMagnitude), "", "text", "é", "e\u{301}", "$date", "\u{0}\u{10FFFF}",
    .date(Date(timeIntervalSinceReferenceDate: 0)),
    .date(Date(timeIntervalSinceReferenceDate: 804_000_000.123_456_7)),
    .date(Date(timeIntervalSinceReferenceDate: -1e300)), .data(Data()), .data(Data(0...255)),
    [], [1, 1.0, "x", [], [:]], [:], ["a": ["b": [.date(.distantPast), .data(Data([0]))]]],
    ["$date": 1], ["$data": "AA=="], ["$": 1], ["$$": 1, "$x": 2], ["$\u{301}": 1],
    [.date(.now), ["$date": .date(.distantFuture)]],
  ]

  @Test func k1_everyValueComesBackAsItWas() throws {
    let place = try Place()
    let values = try KeyValueStore(try place.store())
    for (number, value) in Self.samples.enumerated() {
      try values.set(value, forKey: "\(number)")
    }
    let other = try KeyValueStore(try place.store("ben"))
    try other.synchronize()
    for (number, value) in Self.samples.enumerated() {
      for store in [values, other] {
        let read = try #require(try store.value(forKey: "\(number)"))
        #expect(read == value)
        #expect(read.date == value.date)
        #expect(read.data == value.data)
      }
    }
    #expect(try other.contents().entries.count == Self.samples.count)
  }

  @Test func k1_theTypesStayApart() {
    #expect(Set(Self.samples).count == Self.samples.count)
    #expect(PropertyListValue.integer(1) != 1.0)
    #expect(PropertyListValue.integer(1).double == 1.0)
    #expect(PropertyListValue.double(1).integer == nil)
    #expect(PropertyListValue.bool(true).integer == nil)
  }

  @Test func k1_whatIsNoPropertyListIsRefusedAndChangesNothing() throws {
    let place = try Place()
    let values = try KeyValueStore(try place.store())
    let refused: [PropertyListValue] = [
      .double(.infinity), .double(.nan), [["x": .double(-.infinity)]],
      .date(Date(timeIntervalSinceReferenceDate: .nan)), nested(63),
    ]
    for value in refused {
      let error = #expect(throws: FeedSyncError.self) { try values.set(value, forKey: "a") }
      #expect(error?.code == .badInput)
    }
    #expect(try values.contents().entries.isEmpty)
    try values.set(nested(62), forKey: "a")
    #expect(try values.value(forKey: "a") == nested(62))
  }

  private func nested(_ depth: Int) -> PropertyListValue {
    (1..<depth).reduce(into: []) { value, _ in value = [value] }
  }

  /// What others put into the collection is neither shown as something else, nor in the way.
  @Test func whatNoKeyValueStoreWroteIsNamedAndCanBeSetAnew() throws {
    let place = try Place()
    let store = try place.store()
    let values = try KeyValueStore(store)
    let bodies: [JSON] = [
      .object([:]), .object(["value": 1]), .object(["value": [1, 2]]),
      .object(["value": [.null]]), .object(["value": [1], "more": 1]),
      .object(["value": [.object(["$date": "x"])]]), .object(["value": [.object(["$later": 1])]]),
      .object(["value": [.object(["$data": "?"])]]), .object(["value": [JSON(UInt64.max)]]),
      .object(["value": [.object(["é": 1, "e\u{301}": 2])]]),
    ]
    try store.write { writer in
      for (number, body) in bodies.enumerated() {
        try writer.put(body, at: "\(number)", in: "feedsync.kv.default")
      }
    }
    try values.set("fine", forKey: "a")
    let contents = try values.contents()
    #expect(contents.unreadable == bodies.indices.map { "\($0)" })
    #expect(contents.entries.map(\.key) == ["a"])
    for number in bodies.indices {
      let error = #expect(throws: FeedSyncError.self) { try values.value(forKey: "\(number)") }
      #expect(error?.code == .badInput)
      try values.set(1, forKey: "\(number)")
      #expect(try values.value(forKey: "\(number)") == 1)
    }
    #expect(try values.contents().unreadable.isEmpty)
  }
}
