import FeedReading
import Testing

@testable import FeedLibrary

/// How much is kept of what a feed has no more.
@Suite struct RetentionLimitTests {
  private static let feed = FeedKey(address: "https://example.org/feed")
  private static let start: Int64 = 1_000_000

  /// What is kept of a feed that offers two other items each time.
  private func cached(afterFetches count: Int) -> [CachedItem] {
    var cached = CachedChannel(feed: Self.feed)
    for fetch in 0..<count {
      let items = (0..<2).map { Item(id: "\(fetch)-\($0)", content: "text of ten") }
      cached =
        ChannelMerge(
          Channel(items), into: cached,
          at: FeedInstant(secondsSince1970: Self.start + Int64(fetch)), known: KnownStates()
        ).merged
    }
    return cached.items
  }

  private func expired(
    _ items: [CachedItem], _ change: (inout ItemRetention.Limits) -> Void
  ) -> [String] {
    var limits = ItemRetention.Limits()
    change(&limits)
    let now = FeedInstant(secondsSince1970: Self.start + 100)
    let keys = Set(ItemRetention.expired(items, days: nil, now: now, limits: limits))
    return items.filter { keys.contains($0.reference.item) }.compactMap(\.content.id).sorted()
  }

  @Test("Of a feed with other items each time those that it had last are kept, up to a number")
  func soManyAreKept() {
    let items = cached(afterFetches: 5)
    #expect(items.count == 10)
    #expect(expired(items) { $0.items = 4 } == ["0-0", "0-1", "1-0", "1-1"])
    #expect(expired(items) { $0.items = 8 }.isEmpty)
    #expect(expired(items) { _ in }.isEmpty)
    // What is offered stays, however little is to be kept.
    #expect(expired(items) { $0.items = 0 }.count == 8)
  }

  @Test("So much text is kept of what a feed has no more")
  func soMuchTextIsKept() {
    let items = cached(afterFetches: 5)
    #expect(expired(items) { $0.bytes = 4 * 11 } == ["0-0", "0-1", "1-0", "1-1"])
    #expect(expired(items) { $0.bytes = 8 * 11 }.isEmpty)
  }

  @Test("What is starred or tagged is kept besides")
  func marksKeepItems() {
    var items = cached(afterFetches: 5)
    for index in items.indices {
      items[index].isStarred = items[index].content.id == "0-0"
      items[index].tags = items[index].content.id == "0-1" ? ["later"] : []
    }
    #expect(expired(items) { $0.items = 4 } == ["1-0", "1-1"])
  }

  @Test("Of what was let go that is remembered which went last")
  func soManyAreRemembered() throws {
    let house = try Household()
    let library = try house.library("ann")
    let feed = try library.subscribe(to: Subscription(url: "https://a.org/rss")).feed.key
    let items = (0..<6).map { Item(id: "\($0)") }
    try library.fetch(items, of: feed, at: house.now)
    let keys = ItemIdentity.keys(of: items).compactMap { $0 }
    try library.cache.write("let go") { db in
      for (second, key) in keys.enumerated() {
        let time = FeedInstant(secondsSince1970: Self.start + Int64(second))
        try db.forget([key], of: feed, now: time, limit: 4)
      }
      #expect(Set(try db.remembered(of: feed).keys) == Set(keys.suffix(4)))
    }
  }
}
