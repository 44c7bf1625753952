import FeedReading
import FeedSync
import Testing

@testable import FeedLibrary

/// Long lists come in parts, which stay the same while items come and go.
@Suite struct PagingTests {
  private let library: Library
  private let feed: FeedKey
  private let household: Household

  init() throws {
    household = try Household()
    library = try household.library("ann")
    feed = try library.subscribe(to: Subscription(url: "https://e.org/feed")).feed.key
    // Two of each date, so that dates alone do not tell places.
    let items = (0..<20).map { number in
      Item(
        id: "x:\(number)", title: "\(number)",
        published: Household.start - 86_400 + Int64(number / 2) * 60)
    }
    try library.fetch(items, of: feed, at: household.now)
  }

  private func titles(_ change: (inout ItemQuery) -> Void) throws -> [String] {
    var query = ItemQuery()
    change(&query)
    return try library.items(query).compactMap(\.title)
  }

  @Test func partsBehindOneAnotherAreTheWholeList() throws {
    let all = try titles { _ in }
    var parts: [String] = []
    var place: ItemPlace?
    repeat {
      var query = ItemQuery()
      (query.limit, query.behind) = (3, place)
      let part = try library.items(query)
      parts += part.compactMap(\.title)
      place = part.last?.place
    } while place != nil
    #expect(parts == all)
    #expect(all.count == 20)
  }

  @Test func whatIsInFrontOfAPlaceIsInTheOrderOfTheList() throws {
    let all = try titles { _ in }
    let tenth = try library.items(ItemQuery())[10].place
    let found = try titles {
      ($0.inFrontOf, $0.isFromEnd, $0.limit) = (tenth, true, 4)
    }
    #expect(found == Array(all[6..<10]))
  }

  @Test func theEndIsReachedWithoutALookAtTheRest() throws {
    let all = try titles { _ in }
    #expect(try titles { ($0.isFromEnd, $0.limit) = (true, 3) } == Array(all.suffix(3)))
  }

  @Test func aPlaceStaysWhenNewerItemsCome() throws {
    var query = ItemQuery()
    query.limit = 5
    let place = try #require(library.items(query).last?.place)
    let before = try titles { $0.behind = place }
    try library.fetch([Item(id: "x:new", title: "new")], of: feed, at: household.now)
    #expect(try titles { $0.behind = place } == before)
  }

  @Test func unreadItemsAreCounted() throws {
    let first = try library.items(ItemQuery())[0].reference
    try library.mark([first], .read(true))
    var query = ItemQuery()
    query.isRead = false
    #expect(try library.count(query) == 19)
  }

  @Test func anotherProcessesChangesAreNoticed() throws {
    let version = try library.cacheVersion()
    #expect(try library.cacheVersion() == version)
    let other = try household.library("ann")
    try other.fetch([Item(id: "x:new", title: "new")], of: feed, at: household.now)
    #expect(try library.cacheVersion() != version)
  }

  /// As ``FeedSummary`` has it, though SQLite puts it together here.
  @Test func aFeedIsCalledWhatItsUserCallsIt() throws {
    func title() throws -> String? { try library.items(ItemQuery()).first?.feedTitle }
    #expect(try title() == "Example")
    try library.update(feed) { $0.title = "Mine" }
    #expect(try title() == "Mine")
    #expect(try library.feeds().first?.title == "Mine")
  }
}
