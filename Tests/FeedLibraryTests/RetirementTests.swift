import FeedReading
import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

/// Marks of items long gone go, in the same way on every machine.
@Suite struct RetirementTests {
  let house: Household
  let ann: Library
  let ben: Library
  let feed: FeedKey
  /// In every document.
  private let evergreen = Item(id: "evergreen", title: "evergreen")

  init() throws {
    house = try Household()
    ann = try house.library("ann")
    ben = try house.library("ben")
    feed = try ann.subscribe(to: Subscription(url: "https://example.org/feed")).feed.key
    try Household.meet(ann, ben)
  }

  private func months(_ library: Library) throws -> [String] {
    try library.store.shards().filter { $0.feed == feed }.map(\.shard.name).sorted()
  }

  /// Lets months go by, in each of which an item came and was read, as marks say that a device
  /// made in all that time; and fetches the last document.
  private func read(months: Int, on library: Library) throws {
    let first = MarkShard.month(ofSecond: house.now.secondsSince1970)
    house.advance(days: 31 * months)
    try library.fetch(
      [Item(id: "\(months - 1)", title: "\(months - 1)"), evergreen], of: feed, at: house.now)
    try library.store.write { writer in
      for number in 0..<months {
        let read = number == 0 ? [evergreen, Item(id: "0")] : [Item(id: "\(number)")]
        let members = ItemIdentity.keys(of: read).compactMap { $0 }.map {
          (ByteString($0.text), MarkValue.read)
        }
        let shard = FeedShard(feed, MarkShard(month: first + number))
        try writer.patch(
          .object(try #require(JSONObject(members))), at: shard.id, in: SyncedCollections.read)
      }
    }
  }

  @Test func theLatestMonthsStayAndTheOlderOnesGoOnBoth() throws {
    try read(months: 26, on: ann)
    #expect(try months(ann).count == 26)
    try Household.meet(ann, ben)
    #expect(try months(ann).count == MarkLimits.months)
    #expect(try months(ann) == months(ben))
    #expect(try months(ann).first == "2027-02")
    #expect(try ann.store.status().conflicts == 0)
    #expect(try ann.retireMarks() == 0)
  }

  @Test func whatWasReadStaysReadWhenItsMarkIsRetired() throws {
    try read(months: 26, on: ann)
    try Household.meet(ann, ben)
    #expect(try months(ann).count == MarkLimits.months)
    #expect(try ann.unreadTitles().isEmpty)
    // A device that has never fetched the feed finds what the feed still offers marked as read.
    try ben.fetch([evergreen, Item(id: "25", title: "25")], of: feed, at: house.now)
    #expect(try ben.unreadTitles().isEmpty)
  }

  @Test func aDeviceThatHasNotFetchedAFeedLeavesItsMarksAlone() throws {
    try read(months: 26, on: ann)
    try ann.store.importAll()
    try ben.synchronize()
    #expect(try ben.retireMarks() == 0)
    #expect(try months(ben).count == 26)
    try ann.synchronize()
    try ben.synchronize()
    #expect(try months(ben).count == MarkLimits.months)
  }

  @Test func aDeviceThatHasLongNotBeenLetInLeavesMarksAlone() throws {
    try ben.fetch([Item(id: "before", title: "before")], of: feed, at: house.now)
    try read(months: 26, on: ann)
    try ann.store.importAll()
    // What came since, and is still offered, Ben has never seen.
    try ben.synchronize()
    #expect(try months(ben).count == 26)
    try ben.setFetchState(Data(), of: feed)
    #expect(try ben.retireMarks() == 0)
    // As a server says that nothing has changed.
    try ben.setFetchState(Data(), of: feed, unchanged: house.now)
    #expect(try ben.retireMarks() > 0)
  }

  @Test func whatAFeedOfferedAWhileAgoIsMarkedAgainThoughItIsEmptyNow() throws {
    try read(months: 26, on: ann)
    house.advance(days: 1)
    try ann.fetch([], of: feed, at: house.now)
    try ann.synchronize()
    #expect(try months(ann).count == MarkLimits.months)
    let cem = try house.library("cem")
    try cem.synchronize()
    try cem.fetch([evergreen], of: feed, at: house.now)
    #expect(try cem.unreadTitles().isEmpty)
  }

  @Test func marksOfAFeedThatNobodyReadsAnyMoreGoWithoutBeingFetched() throws {
    try read(months: 26, on: ann)
    try ann.unsubscribe(feed)
    try ann.store.importAll()
    try ben.synchronize()
    #expect(try months(ben).count == MarkLimits.months)
  }

  @Test func aDeviceThatLacksWhoSubscribedLeavesMarksAlone() throws {
    try read(months: 26, on: ben)
    try ben.store.importAll()
    // The syncer has not brought what Ann wrote.
    let logs = house.root.appending(path: "folder/logs")
    let directory = logs.appending(path: ann.store.container.thisDevice.id)
    let aside = house.root.appending(path: "aside")
    try FileManager.default.moveItem(at: directory, to: aside)
    let cem = try house.library("cem")
    try cem.synchronize()
    #expect(try months(cem).count == 26)
    try FileManager.default.moveItem(at: aside, to: directory)
    try cem.synchronize()
    try cem.fetch([Item(id: "25", title: "25"), evergreen], of: feed, at: house.now)
    try cem.synchronize()
    #expect(try months(cem).count == MarkLimits.months)
    #expect(try cem.unreadTitles().isEmpty)
  }

  @Test func aDeviceThatComesBackLosesNothingThatIsStillOffered() throws {
    try ben.fetch([Item(id: "old", title: "old"), evergreen], of: feed, at: house.now)
    try ben.mark(ItemQuery(), .read(true))
    // Ben is away for more than two years, and has published nothing of it.
    try read(months: 26, on: ann)
    try ann.synchronize()
    try Household.meet(ben, ann)
    #expect(try months(ann) == months(ben))
    #expect(try months(ann).count == MarkLimits.months)
    for library in [ann, ben] { #expect(try library.unreadTitles().isEmpty) }
    try ann.fetch([Item(id: "25", title: "25"), evergreen], of: feed, at: house.now)
    #expect(try ann.unreadTitles().isEmpty)
  }

  @Test func aWrongClockMakesNobodyForget() throws {
    try read(months: 3, on: ann)
    house.setClock(of: "ben", to: 4_102_444_800)  // 2100
    try Household.meet(ann, ben)
    try ben.fetch([Item(id: "x", title: "x"), evergreen], of: feed, at: house.now)
    try ben.mark(ItemQuery(), .read(true))
    try Household.meet(ben, ann)
    #expect(try months(ann).count == 4)
    #expect(try months(ann) == months(ben))
    // What the year 2100 marked, a right clock takes back.
    try ann.fetch([Item(id: "x", title: "x"), evergreen], of: feed, at: house.now)
    var query = ItemQuery()
    query.words = "x"
    try ann.mark(query, .read(false))
    try Household.meet(ann, ben)
    #expect(try ben.unreadTitles() == ["x"])
    #expect(try ann.unreadTitles() == ["x"])
  }

  @Test func starsAndTagsAreNeverRetired() throws {
    try ann.fetch([Item(id: "old", title: "old")], of: feed, at: house.now)
    try ann.mark(ItemQuery(), .starred(true))
    try ann.mark(ItemQuery(), .tagged("keep", true))
    try read(months: 26, on: ann)
    try Household.meet(ann, ben)
    try ben.fetch([Item(id: "old", title: "old")], of: feed, at: house.now)
    let item = try #require(try ben.items(ItemQuery()).first)
    #expect(item.isStarred && item.tags == ["keep"])
  }
}
