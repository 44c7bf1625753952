import FeedReading
import FeedSync
import Testing

@testable import FeedLibrary

/// Ten thousand marks at once.
@Suite struct ManyMarksTests {
  private static let count = 10_000
  /// What a mark may take in the folder once it is rolled up.
  private static let bytesPerMark = 50

  @Test func tenThousandItemsAreMarkedInOneTransactionOfAFewBytesEach() throws {
    let house = try Household()
    let (ann, ben) = (try house.library("ann"), try house.library("ben"))
    let feed = try ann.subscribe(to: Subscription(url: "https://example.org/feed")).feed.key
    try Household.meet(ann, ben)
    let items = (0..<Self.count).map { Item(id: "tag:example.org,2026:\($0)", title: "\($0)") }
    try ann.fetch(items, of: feed, at: house.now)
    try ben.fetch(items, of: feed, at: house.now)
    let before = try house.logBytes()
    let start = try ann.store.committedChanges(after: nil).position
    let summary = try ann.mark(ItemQuery(), .read(true))
    #expect(summary.changed == Self.count)
    #expect(try ann.store.committedChanges(after: start).changes.count == 1)
    #expect(try ann.unreadTitles().isEmpty)
    let bytes = try house.logBytes() - before
    #expect(bytes <= Self.count * Self.bytesPerMark, "\(bytes) bytes")
    try Household.meet(ann, ben)
    #expect(try ben.unreadTitles().isEmpty)
    // Again, it is nothing.
    #expect(try ben.mark(ItemQuery(), .read(true)).transaction == nil)
  }

  @Test func aMarkIsAnOperationOnItsItemAlone() throws {
    let house = try Household()
    let ann = try house.library("ann")
    let feed = try ann.subscribe(to: Subscription(url: "https://example.org/feed")).feed.key
    let items = (0..<100).map { Item(id: "\($0)", title: "\($0)") }
    try ann.fetch(items, of: feed, at: house.now)
    try ann.mark(ItemQuery(), .read(true))
    let start = try ann.store.committedChanges(after: nil).position
    let one = try #require(try ann.items(ItemQuery()).first)
    try ann.mark([one.reference], .read(false))
    let change = try #require(try ann.store.committedChanges(after: start).changes.first)
    #expect(
      change.extent
        == .documents([
          DocumentChange(
            collection: SyncedCollections.read, id: "\(feed)/2026-11", isDeleted: false,
            fields: ["/\(one.reference.item)"])
        ]))
  }
}
