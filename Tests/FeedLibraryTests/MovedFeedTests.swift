import FeedReading
import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

/// A feed that has moved, and is subscribed to again.
@Suite struct MovedFeedTests {
  let house: Household
  let ann: Library
  let ben: Library
  let feed: FeedKey
  private let items = (1...3).map { Item(id: "\($0)", title: "\($0)") }
  private let addresses = ["a.org/rss", "b.org/rss", "c.org/rss"].map { "https://" + $0 }

  init() throws {
    house = try Household()
    ann = try house.library("ann")
    ben = try house.library("ben")
    feed = try ann.subscribe(to: Subscription(url: addresses[0])).feed.key
    try ann.fetch(items, of: feed, at: house.now)
    let first = try #require(ItemIdentity.keys(of: items)[0])
    try ann.mark([ItemReference(feed, first)], .read(true))
    try Household.meet(ann, ben)
  }

  private func subscribe(_ library: Library, to url: String) throws -> FeedKey {
    try library.subscribe(to: Subscription(url: url)).feed.key
  }

  @Test("Who subscribes again where the feed has moved finds its marks, on each device")
  func whoSubscribesAgainWhereItHasMovedFindsItsMarks() throws {
    try ann.move(feed, to: addresses[1])
    try ann.unsubscribe(feed)
    try Household.meet(ann, ben)
    #expect(try subscribe(ben, to: "http://b.org/rss") == feed)
    try ben.fetch(items, of: feed, at: house.now)
    #expect(try ben.unreadTitles() == ["2", "3"])
  }

  @Test("After several moves each of its addresses means the feed, and so does the first, again")
  func eachOfItsAddressesMeansTheFeed() throws {
    for address in [addresses[1], addresses[2], addresses[0], addresses[1]] {
      try ann.move(feed, to: address)
    }
    try ann.unsubscribe(feed)
    for address in addresses {
      #expect(try subscribe(ann, to: address) == feed)
      #expect(try ann.feeds().map(\.subscription.url) == [address])
      try ann.unsubscribe(feed)
    }
  }

  @Test("A feed that is at the first address by now is another")
  func aFeedAtTheFirstAddressIsAnother() throws {
    try ann.move(feed, to: addresses[1])
    try ann.unsubscribe(feed)
    #expect(try subscribe(ann, to: addresses[0]) == feed)
    let other = try subscribe(ann, to: addresses[1])
    #expect(other == FeedKey(address: addresses[1]))
    #expect(try ann.feeds().count == 2)
  }

  @Test("Two devices that move feeds to one address at once make no conflict of it")
  func twoDevicesMoveAtOnce() throws {
    let second = try subscribe(ben, to: addresses[2])
    try Household.meet(ann, ben)
    try ann.move(feed, to: addresses[1])
    try ben.move(feed, to: addresses[1])
    try ben.move(second, to: addresses[1])
    try Household.meet(ann, ben)
    let address = FeedKey(address: addresses[1]).text
    for library in [ann, ben] {
      #expect(try library.store.conflicts(of: address, in: SyncedCollections.moves).isEmpty)
    }
    for key in [feed, second] { try ann.unsubscribe(key) }
    try Household.meet(ann, ben)
    let again = try subscribe(ann, to: addresses[1])
    #expect(again == min(feed, second))
    #expect(try subscribe(ben, to: addresses[1]) == again)
  }

  @Test("A subscription that ends while another device follows its feed has ended, on each device")
  func whoFollowsAFeedBringsNoSubscriptionBack() throws {
    try ann.move(feed, to: addresses[1])
    try ben.unsubscribe(feed)
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      #expect(try library.feeds().isEmpty)
      let documents = [SyncedCollections.subscriptions, SyncedCollections.places]
      for name in documents {
        #expect(try library.store.conflicts(of: feed.text, in: name).isEmpty)
      }
    }
    // It is where it is asked for, wherever it was followed to.
    #expect(try subscribe(ben, to: addresses[0]) == feed)
    try Household.meet(ann, ben)
    #expect(try ann.feeds().map(\.subscription.url) == [addresses[0]])
  }

  @Test("What is changed of a subscription while its feed is followed is changed where it is then")
  func whatIsChangedMeanwhileIsKept() throws {
    try ann.move(feed, to: addresses[1])
    try ben.update(feed) { $0.title = "Mine" }
    try Household.meet(ann, ben)
    try ben.move(feed, to: addresses[2])
    try Household.meet(ann, ben)
    for library in [ann, ben] {
      let subscription = try #require(try library.feeds().first).subscription
      #expect(subscription.url == addresses[2] && subscription.title == "Mine")
    }
    // A cache that is new has it from the documents.
    try FileManager.default.removeItem(atPath: house.cache("ann"))
    #expect(try house.library("ann").feeds().map(\.subscription.url) == [addresses[2]])
  }

  @Test("A feed that moves on and on is followed, and noted at so many addresses alone")
  func aFeedThatMovesOnAndOn() throws {
    for number in 1...30 { try ann.move(feed, to: "https://a.org/\(number)") }
    #expect(try ann.feeds().map(\.subscription.url) == ["https://a.org/30"])
    let notes = try ann.store.read { try $0.ids(in: SyncedCollections.moves) }
    #expect(notes.count == MarkLimits.notes)
  }

  @Test("A list of subscriptions finds the marks, too")
  func aListFindsTheMarks() throws {
    try ann.move(feed, to: addresses[1])
    try ann.unsubscribe(feed)
    let feeds = [addresses[1], addresses[2]].map { OPMLDocument.Feed(url: $0) }
    let list = OPMLDocument(title: nil, outlines: feeds.map { .feed($0) })
    let keys = [feed, FeedKey(address: addresses[2])]
    #expect(try ann.subscribe(to: list).added.map(\.key) == keys)
    #expect(try ann.subscribe(to: list).known == 2)
  }

  @Test("A list that has the first address, too, means two feeds, in either order")
  func aListWithBothAddressesMeansTwoFeeds() throws {
    try ann.move(feed, to: addresses[1])
    try ann.unsubscribe(feed)
    let both = [addresses[0], addresses[1]]
    for urls in [both, both.reversed()] {
      let feeds = urls.map { OPMLDocument.Feed(url: $0) }
      let list = OPMLDocument(title: nil, outlines: feeds.map { .feed($0) })
      let added = try ann.subscribe(to: list).added
      #expect(added.map(\.key) == urls.map { FeedKey(address: $0) })
      for feed in added { try ann.unsubscribe(feed.key) }
    }
  }
}
