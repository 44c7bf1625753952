import FeedReading
import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

/// Two devices with real stores on one folder.
@Suite struct TwoDevicesTests {
  let house: Household
  let ann: Library
  let ben: Library
  let feed: FeedKey
  private let items = (1...6).map { Item(id: "\($0)", title: "\($0)") }

  init() throws {
    house = try Household()
    ann = try house.library("ann")
    ben = try house.library("ben")
    feed = try ann.subscribe(to: Subscription(url: "http://example.org/feed")).feed.key
    try Household.meet(ann, ben)
  }

  private func reference(_ number: Int) throws -> ItemReference {
    ItemReference(feed, try #require(ItemIdentity.keys(of: [items[number - 1]])[0]))
  }

  private func fetchBoth() throws {
    try ann.fetch(items, of: feed, at: house.now)
    try ben.fetch(items.reversed(), of: feed, at: house.now)
  }

  @Test func aSubscriptionOfOneIsOneOfTheOther() throws {
    #expect(try ben.feeds().map(\.key) == [feed])
    #expect(try ben.feeds().map(\.subscription.url) == ["http://example.org/feed"])
    try ben.unsubscribe(feed)
    try Household.meet(ben, ann)
    #expect(try ann.feeds().isEmpty)
  }

  @Test("An address that is not read, as a newer version may write it, takes no items away")
  func anAddressThatIsNotRead() throws {
    try fetchBoth()
    _ = try ann.store.write {
      try $0.patch(["url": .integer(7)], at: feed.text, in: SyncedCollections.subscriptions)
    }
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      #expect(try library.feeds().map(\.key) == [feed])
      #expect(try library.items(ItemQuery()).count == items.count)
    }
    try ben.unsubscribe(feed)
    try Household.meet(ben, ann)
    for library in [ann, ben] { #expect(try library.items(ItemQuery()).isEmpty) }
  }

  @Test func whatBothSubscribeToAtOnceIsOneFeedWithoutAConflict() throws {
    let tags: ReplicatedSet = ["x"]
    try ann.subscribe(to: Subscription(url: "https://a.org/rss", tags: tags))
    try ben.subscribe(to: Subscription(url: "https://a.org/rss", tags: tags))
    try ben.subscribe(to: Subscription(url: "http://b.org/rss"))
    try ann.subscribe(to: Subscription(url: "https://b.org/rss"))
    try Household.meet(ann, ben)
    #expect(try ann.feeds().count == 3)
    #expect(try ann.feeds().map(\.subscription) == ben.feeds().map(\.subscription))
  }

  @Test func aMarkThatIsUndoneIsGoneOnEachAndCanBeMadeAgain() throws {
    try fetchBoth()
    try ann.mark([try reference(1)], .read(true))
    let summary = try ann.mark([try reference(2)], .read(true))
    try Household.meet(ann, ben)
    #expect(try ben.unreadTitles() == ["3", "4", "5", "6"])
    try ann.store.undo(try #require(summary.transaction))
    try Household.meet(ann, ben)
    let cem = try house.library("cem")
    try cem.synchronize()
    try cem.fetch(items, of: feed, at: house.now)
    for library in [ann, ben, cem] {
      #expect(try library.unreadTitles() == ["2", "3", "4", "5", "6"])
    }
    #expect(try ann.mark([try reference(2)], .read(true)).transaction != nil)
    try Household.meet(ann, ben, cem)
    for library in [ann, ben, cem] {
      #expect(try library.unreadTitles() == ["3", "4", "5", "6"])
    }
  }

  @Test func marksThatAreUndoneAreGoneOnEachAlsoWhereTheyWereTooManyToBeNamed() throws {
    let many = (0..<12_000).map { Item(id: "m\($0)", title: "m\($0)") } + items
    for library in [ann, ben] { try library.fetch(many, of: feed, at: house.now) }
    try ann.mark([try reference(1)], .read(true))
    let summary = try ann.mark(ItemQuery(), .read(true))
    try Household.meet(ann, ben)
    #expect(try ben.unreadTitles().isEmpty)
    try ann.store.undo(try #require(summary.transaction))
    try Household.meet(ann, ben)
    for library in [ann, ben] { #expect(try library.unreadTitles().count == many.count - 1) }
    #expect(try ann.mark(ItemQuery(), .read(true)).changed == many.count - 1)
  }

  @Test func marksThatAreUndoneAreGoneOnEachAlsoWhereTheyWereAllOfTheirMonth() throws {
    try fetchBoth()
    try ann.mark([try reference(1)], .read(true))
    house.advance(days: 40)
    let summary = try ann.mark(ItemQuery(), .read(true))
    try Household.meet(ann, ben)
    #expect(try ben.unreadTitles().isEmpty)
    try ann.store.undo(try #require(summary.transaction))
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      #expect(try library.unreadTitles() == ["2", "3", "4", "5", "6"])
    }
  }

  @Test func whatIsReadOnOneIsReadOnTheOther() throws {
    try fetchBoth()
    try ann.mark([try reference(1), try reference(2)], .read(true))
    #expect(try ben.unreadTitles().count == 6)
    try Household.meet(ann, ben)
    #expect(try ben.unreadTitles() == ["3", "4", "5", "6"])
    try ben.mark([try reference(2)], .read(false))
    try Household.meet(ben, ann)
    #expect(try ann.unreadTitles() == ["2", "3", "4", "5", "6"])
  }

  @Test("Lesson 27: marks of items that have not been fetched yet wait for them")
  func marksWaitForTheirItems() throws {
    try ann.fetch(items, of: feed, at: house.now)
    try ann.mark([try reference(1)], .read(true))
    try ann.mark([try reference(2)], .starred(true))
    try ann.mark([try reference(3)], .tagged("later", true))
    try Household.meet(ann, ben)
    let update = try ben.fetch(items, of: feed, at: house.now)
    #expect(update.new.count == 6)
    #expect(try ben.unreadTitles() == ["2", "3", "4", "5", "6"])
    #expect(try ben.item(named: "\(try reference(2))").isStarred)
    #expect(try ben.item(named: "\(try reference(3))").tags == ["later"])
  }

  @Test func marksMadeOnBothWhileApartAreAllThereWhenTheyMeet() throws {
    try fetchBoth()
    try ann.mark([try reference(1), try reference(2)], .read(true))
    try ann.mark([try reference(1)], .tagged("a", true))
    try ben.mark([try reference(2), try reference(3)], .read(true))
    try ben.mark([try reference(1)], .tagged("b", true))
    try ben.mark([try reference(4)], .starred(true))
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      #expect(try library.unreadTitles() == ["4", "5", "6"])
      #expect(try library.item(named: "\(try reference(1))").tags == ["a", "b"])
      #expect(try library.item(named: "\(try reference(4))").isStarred)
      // Both wrote the same for item 2: that is nothing to decide.
      #expect(try library.store.status().conflicts == 0)
    }
  }

  @Test("Lesson 28: a device that was idle brings nothing back")
  func anIdleDeviceBringsNothingBack() throws {
    try fetchBoth()
    try Household.meet(ann, ben)
    try ann.mark(ItemQuery(), .read(true))
    // Ben has seen nothing of it, fetches, and marks something else.
    try ben.fetch(items, of: feed, at: house.now)
    try ben.mark([try reference(1)], .starred(true))
    try Household.meet(ben, ann)
    for library in [ann, ben] { #expect(try library.unreadTitles().isEmpty) }
  }

  @Test func aFeedThatMovesKeepsItsMarks() throws {
    try fetchBoth()
    try ann.mark([try reference(1)], .read(true))
    try ann.receive(
      FetchedChannel(
        feed: feed, channel: Channel(items), fetched: house.now,
        movedTo: "https://elsewhere.net/atom"))
    try Household.meet(ann, ben)
    #expect(try ben.feeds().map(\.subscription.url) == ["https://elsewhere.net/atom"])
    #expect(try ben.unreadTitles() == ["2", "3", "4", "5", "6"])
    // Neither address is subscribed to a second time.
    #expect(try ben.subscribe(to: Subscription(url: "elsewhere.net/atom")).isNew == false)
    #expect(try ben.subscribe(to: Subscription(url: "https://example.org/feed")).isNew == false)
  }

  @Test func whoSubscribesAgainFindsTheMarks() throws {
    try fetchBoth()
    try ann.mark([try reference(1)], .read(true))
    try ann.unsubscribe(feed)
    #expect(try ann.items(ItemQuery()).isEmpty)
    try ann.subscribe(to: Subscription(url: "https://example.org/feed"))
    try ann.fetch(items, of: feed, at: house.now)
    #expect(try ann.unreadTitles() == ["2", "3", "4", "5", "6"])
  }

  @Test func aCacheThatIsLostIsMadeAgainWithItsMarks() throws {
    try fetchBoth()
    try ann.mark([try reference(1)], .read(true))
    try Household.meet(ann, ben)
    try FileManager.default.removeItem(atPath: house.cache("ben"))
    let again = try house.library("ben")
    #expect(try again.feeds().map(\.key) == [feed])
    try again.fetch(items, of: feed, at: house.now)
    #expect(try again.unreadTitles() == ["2", "3", "4", "5", "6"])
  }

  @Test func aStoreThatIsMadeAnewTakesNothingFromTheCacheBeforeItHasImported() throws {
    try fetchBoth()
    try Household.meet(ann, ben)
    try ben.fetch([], of: feed, at: house.now)
    try FileManager.default.removeItem(atPath: house.state("ben"))
    let again = try house.library("ben")
    #expect(try again.store.status().devices.allSatisfy { $0.transactions == 0 })
    #expect(try again.items(ItemQuery()).count == items.count)
    try Household.meet(ann, again)
    #expect(try again.items(ItemQuery()).count == items.count)
    // And what was unsubscribed from while it was away goes.
    try FileManager.default.removeItem(atPath: house.state("ben"))
    try ann.unsubscribe(feed)
    try ann.synchronize()
    let last = try house.library("ben")
    #expect(try last.items(ItemQuery()).count == items.count)
    try last.synchronize()
    #expect(try last.items(ItemQuery()).isEmpty)
  }

  @Test func whatIsImportedByAnotherProcessIsTakenIn() throws {
    try fetchBoth()
    try ann.mark([try reference(1)], .read(true))
    try DocumentStore(ben.store.container).importAll()
    #expect(try ben.unreadTitles() == ["2", "3", "4", "5", "6"])
  }
}
