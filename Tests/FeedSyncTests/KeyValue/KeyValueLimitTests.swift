import FeedSync
import Foundation
import Testing

/// K2 to K5, and keys and names that are none.
@Suite struct KeyValueLimitTests {
  let place: Place
  let values: KeyValueStore

  init() throws {
    place = try Place()
    values = try KeyValueStore(try place.store())
  }

  /// A text whose value takes this many bytes.
  private func text(_ bytes: Int) -> PropertyListValue {
    .string(String(repeating: "x", count: bytes - 2))
  }

  private func refused(_ body: () throws -> Void) {
    let error = #expect(throws: FeedSyncError.self) { try body() }
    #expect(error?.code == .badInput)
  }

  @Test func k2_aStoreHas1024Keys() throws {
    // Faster than a transaction for each.
    try values.store.write { writer in
      for number in 0..<1023 {
        try writer.put(.object(["value": [1]]), at: "\(number)", in: "feedsync.kv.default")
      }
    }
    try values.set(1, forKey: "last")
    refused { try values.set(1, forKey: "more") }
    #expect(try values.contents().usage.keys == 1024)
    try values.set(2, forKey: "last")
    try values.remove(forKey: "0")
    try values.set(1, forKey: "more")
    #expect(try values.contents().usage.keys == 1024)
  }

  @Test func k3_allValuesHaveAMegabyteTogether() throws {
    try values.set(text(600_000), forKey: "a")
    refused { try values.set(text(400_001), forKey: "b") }
    try values.set(text(400_000), forKey: "b")
    #expect(try values.contents().usage.bytes == 1_000_000)
    refused { try values.set(true, forKey: "c") }
    // What makes it no larger goes.
    try values.set(text(599_999), forKey: "a")
    try values.set(1, forKey: "c")
  }

  @Test func k4_oneValueHasAMegabyte() throws {
    refused { try values.set(text(1_000_001), forKey: "a") }
    try values.set(text(1_000_000), forKey: "a")
    #expect(try values.value(forKey: "a") == text(1_000_000))
    try values.set(.data(Data(count: 749_988 / 4 * 3)), forKey: "a")
  }

  @Test func k5_aWriteOverTheQuotaFailsAndChangesNothing() throws {
    let before = try values.set(text(900_000), forKey: "a")
    refused { try values.set(text(1_000_001), forKey: "a") }
    refused { try values.set(text(200_000), forKey: "b") }
    #expect(try values.contents().entries.map(\.key) == ["a"])
    #expect(try values.value(forKey: "a") == text(900_000))
    let after = try values.set(1, forKey: "a")
    #expect(after.transaction?.sequence == before.transaction.map { $0.sequence + 1 })
  }

  /// Limits bind those who write; what has been written is never refused when it comes together.
  @Test func k5_whatTwoDevicesWriteAtOnceMayPassTheQuotaAndCanOnlyShrinkThen() throws {
    let other = try KeyValueStore(try place.store("ben"))
    try values.set(text(600_000), forKey: "a")
    try other.set(text(600_000), forKey: "b")
    for store in [values, other, values] { try store.synchronize() }
    for store in [values, other] {
      #expect(try store.contents().usage.bytes == 1_200_000)
      refused { try store.set(1, forKey: "c") }
    }
    try values.set(text(500_000), forKey: "a")
    refused { try values.set(text(500_001), forKey: "a") }
    try values.remove(forKey: "b")
    try values.set(1, forKey: "c")
  }

  @Test func keysHave64BytesAndNoControlCharacters() throws {
    let longest = String(repeating: "é", count: 32)
    try values.set(1, forKey: longest)
    try values.set(2, forKey: " /.$")
    for key in ["", longest + "x", "a\nb", "a\u{7F}", "a\u{85}"] {
      refused { try values.set(1, forKey: key) }
      refused { try values.remove(forKey: key) }
      refused { _ = try values.value(forKey: key) }
    }
    #expect(try values.contents().entries.map(\.key) == [" /.$", longest])
  }

  @Test func namesOfStoresAreThoseOfCollections() throws {
    let longest = String(repeating: "x", count: 52)
    for name in [longest, "a.b_c-9"] {
      try KeyValueStore(values.store, name: name).set(1, forKey: "a")
    }
    for name in ["", longest + "x", "A", "a b", "é", "a/b"] {
      refused { _ = try KeyValueStore(values.store, name: name) }
    }
  }
}
