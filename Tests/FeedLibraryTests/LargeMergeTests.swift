import FeedReading
import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

/// A document with so much in it that others would wait for long while it is merged.
@Suite struct LargeMergeTests {
  private struct Interruption: Error {}

  private let house: Household
  private let ann: Library
  private let feed: FeedKey
  private let items = (0..<35).map { Item(id: "\($0)", title: "\($0)", published: Int64($0)) }
  private let limits = PartLimits(items: 10)

  init() throws {
    house = try Household()
    ann = try house.library("ann")
    feed = try ann.subscribe(to: Subscription(url: "https://e.org/feed")).feed.key
  }

  private func document(_ items: [Item]) -> FetchedChannel {
    FetchedChannel(
      feed: feed, channel: Channel(items), fetched: house.now, fetchState: Data([1]))
  }

  @Test("Others have their turns between its parts, and what they mark stays so")
  func othersHaveTheirTurns() throws {
    let now = house.now
    let hasty = try Library(ann.store.container, cache: house.cache("ann"), busySeconds: 0) { now }
    let keys = ItemIdentity.keys(of: items).compactMap { $0 }.map { ItemReference(feed, $0) }
    // The latest come last.
    let marked = [keys[0], keys[34]]
    var counts: [Int] = []
    let update = try ann.receive(document(items), limits: limits) {
      counts.append(try hasty.count(ItemQuery()))
      try hasty.mark(marked, .read(true))
      try hasty.mark([keys[20]], .starred(true))
    }
    #expect(counts == [10, 20, 30])
    #expect(update.new.map { ItemReference(feed, $0) } == keys)
    #expect(update.before.items.isEmpty && update.after.items.count == 35)
    #expect(update.after.items.filter(\.isRead).map(\.reference) == marked.reversed())
    #expect(try hasty.items(ItemQuery()).filter(\.isStarred).map(\.reference) == [keys[20]])
    #expect(try ann.items(ItemQuery()).map(\.title) == (0..<35).reversed().map { "\($0)" })
  }

  @Test("What is left of it when it is interrupted is there once, after it has come again")
  func itIsInterrupted() throws {
    #expect(throws: LibraryError.self) {
      try ann.receive(document(items), limits: limits) { throw Interruption() }
    }
    #expect(try ann.count(ItemQuery()) == 10)
    // It is asked for whole again.
    #expect(try ann.fetchState(of: feed) == nil && ann.feeds().first?.fetched == nil)
    let update = try ann.receive(document(items), limits: limits, afterEachPart: {})
    #expect(update.new.count == 25 && update.after.items.count == 35)
    #expect(try ann.fetchState(of: feed) == Data([1]))
    let edited = items.map { Item(id: $0.id, title: "new", published: 1) }
    let second = try ann.receive(document(edited), limits: limits, afterEachPart: {})
    #expect(second.new.isEmpty && second.edited.count == 35)
    #expect(second.after.items.allSatisfy { $0.content.title?.text == "new" && $0.isOffered })
  }

  @Test("What it has still is not written again, and what it has no more was there until now")
  func whatItHasStill() throws {
    try ann.receive(document(items))
    let first = house.now
    house.advance(days: 10)
    func changes() throws -> Int { try ann.cache.read("count") { $0.totalChangesCount } }
    let before = try changes()
    try ann.receive(document(items))
    // The feed itself, and its state.
    #expect(try changes() - before == 2)
    house.advance(days: 10)
    let update = try ann.receive(document(Array(items.dropFirst())))
    let dropped = try #require(update.after.items.first { !$0.isOffered })
    #expect(dropped.content.id == "0" && dropped.lastOffered == house.now)
    #expect(dropped.firstSeen == first)
    #expect(update.after.items.count { $0.isOffered } == 34)
  }

  @Test("It is merged into what another process has made of the feed meanwhile")
  func anotherProcessMerges() throws {
    let other = try house.library("ann")
    let update = try ann.receive(document(items), limits: limits) {
      try other.fetch(Array(items[15...]), of: feed, at: house.now)
    }
    #expect(update.after.items.count == 35 && update.after.items.allSatisfy(\.isOffered))
    #expect(try other.count(ItemQuery()) == 35)
  }

  @Test("It goes nowhere where its subscription is ended meanwhile")
  func itsSubscriptionIsEnded() throws {
    let error = #expect(throws: LibraryError.self) {
      try ann.receive(document(items), limits: limits) { try ann.unsubscribe(feed) }
    }
    #expect(error?.cause == .noSuchFeed(feed.text))
    #expect(try ann.count(ItemQuery()) == 0)
  }

  @Test("A part has so many items, or as many as say so much, and at least one")
  func aPartIsLimited() throws {
    let texts = [5, 1, 1, 9, 1, 1, 1, 1].enumerated().map { number, count in
      Item(
        id: "\(number)", content: String(repeating: "x", count: count),
        published: Int64(100 - number))
    }
    try ann.fetch(texts, of: feed, at: house.now)
    let cached = try ann.channel(of: feed).items
    let parts = PartLimits(items: 3, bytes: 5).parts(of: cached)
    #expect(parts.map(\.count) == [1, 3, 3, 1])
    #expect(parts.flatMap { $0 } == cached)
  }
}
