import FeedReading
import FeedSync
import Testing

@testable import FeedLibrary

/// Another process has the cache for longer than anybody waits.
@Suite struct BusyCacheTests {
  @Test("What is safe in the store has not failed, and is there once the cache is free")
  func whatIsSafeHasNotFailed() throws {
    let house = try Household()
    let ann = try house.library("ann")
    let feed = try ann.subscribe(to: Subscription(url: "https://e.org")).feed.key
    try ann.fetch([Item(id: "1", title: "1")], of: feed, at: house.now)
    let item = try #require(try ann.items(ItemQuery()).first).reference
    let now = house.now
    let hasty = try Library(ann.store.container, cache: house.cache("ann"), busySeconds: 0) { now }
    try hasty.refresh()
    try ann.cache.write("keep the cache") { _ in
      let summary = try hasty.mark([item], .read(true))
      #expect(summary.changed == 1 && summary.transaction != nil)
      // This one depends on what the cache has, so it is refused before anything is written.
      let error = #expect(throws: LibraryError.self) { try hasty.mark([item], .read(false)) }
      #expect(error?.cause == .busyCache)
    }
    #expect(try hasty.items(ItemQuery()).map(\.isRead) == [true])
    let changed = try ann.cache.write("keep the cache") { _ in
      try hasty.update(feed) { $0.title = "Mine" }
    }
    #expect(changed.key == feed && changed.subscription.title == "Mine")
    #expect(try ann.feeds().map(\.title) == ["Mine"])
    let list = OPMLDocument(outlines: [.feed(.init(url: "https://e.org/other"))])
    let added = try ann.cache.write("keep the cache") { _ in try hasty.subscribe(to: list).added }
    #expect(added.count == 1)
    #expect(try ann.feeds().count == 2)
    let isGone = try ann.cache.write("keep the cache") { _ in try hasty.unsubscribe(feed) }
    #expect(isGone)
    #expect(try hasty.feeds().map(\.key) == added.map(\.key))
  }

  @Test("What others did is imported, and is in the cache once that is free")
  func whatOthersDidIsImported() throws {
    let house = try Household()
    let (ann, ben) = (try house.library("ann"), try house.library("ben"))
    try ben.subscribe(to: Subscription(url: "https://e.org", title: "Ben's"))
    let now = house.now
    let hasty = try Library(ann.store.container, cache: house.cache("ann"), busySeconds: 0) { now }
    let summary = try ann.cache.write("keep the cache") { _ in try hasty.synchronize() }
    #expect(summary.documents == 1)
    #expect(try hasty.feeds().map(\.title) == ["Ben's"])
  }
}
