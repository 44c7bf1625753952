import FeedReading
import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

/// Finding feeds and items.
@Suite struct ListingTests {
  let house: Household
  let library: Library
  let news: FeedKey
  let blog: FeedKey

  init() throws {
    house = try Household()
    library = try house.library("ann")
    news = try library.subscribe(
      to: Subscription(url: "https://news.org/rss", title: "The News", tags: ["daily"])
    ).feed.key
    blog = try library.subscribe(to: Subscription(url: "https://blog.org/rss")).feed.key
    try library.fetch(
      (1...3).map {
        Item(
          id: "\($0)", title: "Headline \($0)", content: "<p>Élan &amp; vigour</p>",
          published: Int64($0) * 1_000)
      }, of: news, at: house.now)
    try library.receive(
      FetchedChannel(
        feed: blog,
        channel: Channel(
          [Item(id: "a", title: "A \"quoted\" NEAR title", published: 2_500)], title: "My Blog"),
        fetched: house.now))
  }

  private func titles(_ change: (inout ItemQuery) -> Void) throws -> [String] {
    var query = ItemQuery()
    change(&query)
    return try library.items(query).compactMap(\.title)
  }

  @Test func theLatestComeFirst() throws {
    #expect(
      try titles { _ in } == [
        "Headline 3", "A \"quoted\" NEAR title", "Headline 2", "Headline 1",
      ])
    #expect(try titles { ($0.limit, $0.offset) = (1, 2) } == ["Headline 2"])
    #expect(try library.items(ItemQuery()).map(\.feedTitle).prefix(2) == ["The News", "My Blog"])
  }

  @Test("Items without dates are listed as their feed has them")
  func itemsWithoutDatesAreInTheOrderOfTheFeed() throws {
    let names = (0..<20).map { "Undated \($0)" }
    let items = names.map { Item(id: $0, title: $0) }
    try library.fetch(Array(items.suffix(15)), of: blog, at: house.now)
    let later = FeedInstant(secondsSince1970: house.now.secondsSince1970 + 60)
    try library.fetch(items, of: blog, at: later)
    #expect(try titles { ($0.feeds, $0.limit) = ([blog], 20) } == names)
  }

  @Test func itemsAreChosenByFeedStateAgeAndTag() throws {
    let first = try #require(try library.items(ItemQuery()).last)
    try library.mark([first.reference], .read(true))
    try library.mark([first.reference], .starred(true))
    try library.mark([first.reference], .tagged("later", true))
    #expect(try titles { ($0.feeds, $0.isRead) = ([news], false) } == ["Headline 3", "Headline 2"])
    #expect(try titles { $0.isRead = true } == ["Headline 1"])
    #expect(try titles { $0.isStarred = true } == ["Headline 1"])
    #expect(try titles { $0.before = FeedInstant(secondsSince1970: 2_000) } == ["Headline 1"])
    #expect(try titles { $0.tag = "later" } == ["Headline 1"])
    #expect(try titles { $0.tag = "daily" }.count == 3)
    #expect(try titles { $0.tag = "none" }.isEmpty)
    #expect(try titles { $0.feeds = [] }.isEmpty)
  }

  @Test func aSearchFindsWordsWhateverTheirAccentsAndNoOperators() throws {
    #expect(try titles { $0.words = "elan vig" }.count == 3)
    #expect(try titles { $0.words = "headline 2" } == ["Headline 2"])
    #expect(try titles { $0.words = "\"quoted\" NEAR" }.count == 1)
    #expect(try titles { $0.words = "headline OR quoted" }.isEmpty)
    #expect(try titles { $0.words = "amp" }.isEmpty)
    for words in ["\"", "*", "(", "title:x", "^a", "- -", "\0", "'"] {
      _ = try titles { $0.words = words }
    }
    // An edit is found by its new words alone.
    try library.fetch([Item(id: "1", title: "Renamed")], of: news, at: house.now)
    #expect(try titles { $0.words = "renamed" } == ["Renamed"])
    #expect(try titles { $0.words = "elan" }.count == 2)
  }

  @Test func aFeedIsFoundByKeyAddressTitleOrAPartOfIt() throws {
    for name in [news.text, "http://news.org/rss", "news.org/rss", "the news", "New"] {
      #expect(try library.feed(named: name).key == news, "\(name)")
    }
    #expect(try library.feed(named: "my blog").key == blog)
    let error = #expect(throws: LibraryError.self) { try library.feed(named: "nothing") }
    #expect(error?.code == .notFound && error?.hint != nil)
    try library.subscribe(to: Subscription(url: "https://c.org/", title: "More News"))
    let several = #expect(throws: LibraryError.self) { try library.feed(named: "news") }
    #expect(several?.code == .usage)
  }

  @Test func feedsAreCounted() throws {
    try library.mark(ItemQuery(), .read(true))
    try library.fetch([Item(id: "4", title: "Headline 4")], of: news, at: house.now)
    let feeds = try library.feeds()
    #expect(feeds.map(\.title) == ["My Blog", "The News"])
    #expect(feeds.map(\.itemCount) == [1, 4])
    #expect(feeds.map(\.unreadCount) == [0, 1])
  }

  @Test func anItemIsFoundByItsNumberAndItsReference() throws {
    let line = try #require(try library.items(ItemQuery()).first)
    let item = try library.item(named: "\(line.number)")
    #expect(item == (try library.item(named: "\(line.reference)")))
    #expect(item.content.content == "<p>Élan &amp; vigour</p>")
    for name in ["999", "-1", "x", "AAAAAAAA/AAAAAAAA", "99999999999999999999"] {
      let error = #expect(throws: LibraryError.self) { try library.item(named: name) }
      #expect(error?.code == .notFound)
    }
    #expect(try library.reference(named: "AAAAAAAA/AAAAAAAA").item.text == "AAAAAAAA")
  }

  @Test func theChannelIsThereAtOnceAndTheFetchTellsWhatIsNew() throws {
    let before = try library.channel(of: news)
    #expect(before.items.count == 3)
    let update = try library.fetch(
      [Item(id: "9", title: "New"), Item(id: "3", title: "Headline 3")], of: news, at: house.now)
    #expect(update.before == before)
    #expect(update.new.count == 1)
    #expect(update.after.items.count == 4)
    #expect(update.after == (try library.channel(of: news)))
  }

  @Test func theStateOfFetchingIsKeptAndGivenBack() throws {
    #expect(try library.fetchState(of: news) == nil)
    try library.setFetchState(Data([1, 2, 3]), of: news)
    try library.fetch([], of: news, at: house.now)
    #expect(try library.fetchState(of: news) == Data([1, 2, 3]))
    #expect(try library.fetchState(of: blog) == nil)
  }

  @Test func whatIsNotSubscribedToIsNotMerged() throws {
    try library.unsubscribe(news)
    let error = #expect(throws: LibraryError.self) {
      try library.fetch([], of: news, at: house.now)
    }
    #expect(error?.code == .notFound)
    #expect(try titles { _ in }.count == 1)
  }

  @Test func theCacheIsItsOwnersAlone() throws {
    let folder = house.cache("ann") + "/" + library.store.container.id
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      #expect(try mode(folder + "/" + name) == 0o600, "\(name)")
    }
  }

  @Test func aCacheOfANewerVersionIsLeftAlone() throws {
    let file = house.cache("ann") + "/" + library.store.container.id + "/cache.sqlite"
    let cache = try CacheDatabase(directory: URL(filePath: file).deletingLastPathComponent().path)
    try cache.write("test") { try $0.execute(sql: "PRAGMA user_version = 99") }
    let error = #expect(throws: LibraryError.self) { try house.library("ann") }
    #expect(error?.cause == .newerCache && error?.code == .configuration)
  }

  @Test func aDamagedCacheSaysWhatToDo() throws {
    let folder = house.cache("ben") + "/" + library.store.container.id
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(repeating: 0x41, count: 8_192).write(
      to: URL(filePath: folder + "/cache.sqlite"))
    let error = #expect(throws: LibraryError.self) { try house.library("ben") }
    #expect(error?.code == .cannotRead)
    #expect(error?.subject?.hasSuffix("cache.sqlite") == true)
    #expect(error?.hint?.contains("remove the file") == true)
  }

  @Test func aCacheThatCannotBeOpenedOrWrittenIsNotToBeRemoved() throws {
    let folder = house.cache("ben") + "/" + library.store.container.id
    try FileManager.default.createDirectory(
      atPath: folder + "/cache.sqlite", withIntermediateDirectories: true)
    let closed = #expect(throws: LibraryError.self) { try house.library("ben") }
    let cache = try CacheDatabase(directory: house.cache("cem"))
    let full = #expect(throws: LibraryError.self) {
      try cache.write("test") { db in
        try db.execute(sql: "PRAGMA max_page_count = 1")
        try db.execute(sql: "CREATE TABLE large AS SELECT zeroblob(1000000) AS value")
      }
    }
    for error in [closed, full] {
      #expect(error?.code == .cannotWrite)
      #expect(error?.hint?.contains("make room") == true)
      #expect(error?.hint?.contains("remove") == false)
    }
  }
}
