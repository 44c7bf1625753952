import FeedReading
import Testing

@testable import FeedLibrary

/// A fetched channel merged into the cached one.
@Suite struct MergingTests {
  private static let feed = FeedKey(address: "https://example.org/feed")
  private static let now = FeedInstant(secondsSince1970: 1_000_000)

  private func merge(
    _ items: [Item], into cached: CachedChannel = CachedChannel(feed: feed),
    at now: FeedInstant = now, known: KnownStates = KnownStates()
  ) -> ChannelMerge {
    ChannelMerge(Channel(items), into: cached, at: now, known: known)
  }

  @Test func theFirstFetchIsAllNew() {
    let merge = merge([Item(id: "1", published: 5), Item(id: "2", published: 9)])
    #expect(merge.new.count == 2)
    #expect(merge.merged.items.map(\.content.id) == ["2", "1"])
    #expect(merge.merged.items.allSatisfy { !$0.isRead && $0.isOffered })
    #expect(merge.merged.channel?.title?.text == "Example")
    #expect(merge.merged.channel?.items.isEmpty == true)
  }

  @Test("Lesson 26: an edited item keeps its marks, and is not new")
  func anEditedItemKeepsItsMarks() {
    var first = merge([Item(id: "1", title: "A", content: "old")]).merged
    first.items[0].isRead = true
    first.items[0].isStarred = true
    let second = merge([Item(id: "1", title: "B", content: "new")], into: first)
    #expect(second.new.isEmpty)
    #expect(second.edited == first.items.map(\.reference.item))
    #expect(second.merged.items.count == 1)
    #expect(second.merged.items[0].isRead && second.merged.items[0].isStarred)
    #expect(second.merged.items[0].content.content == "new")
  }

  @Test func theSameDocumentAgainChangesNothing() {
    let items = [Item(id: "1", title: "A", content: "x", published: 3), Item(id: "2", title: "B")]
    let first = merge(items)
    let second = merge(items.reversed(), into: first.merged)
    #expect(second.new.isEmpty && second.edited.isEmpty)
    #expect(second.merged == first.merged)
  }

  @Test func anItemThatIsGoneStaysAndIsNotNewWhenItComesAgain() {
    let first = merge([Item(id: "1"), Item(id: "2")]).merged
    let without = merge([Item(id: "2")], into: first).merged
    #expect(without.items.map(\.isOffered).filter { $0 }.count == 1)
    #expect(without.items.count == 2)
    let again = merge([Item(id: "1"), Item(id: "2")], into: without)
    #expect(again.new.isEmpty)
    #expect(again.merged.items.allSatisfy { $0.isOffered })
  }

  @Test func anItemOnceLetGoIsNotNewAndStaysRead() throws {
    let key = try #require(ItemIdentity.keys(of: [Item(id: "1")])[0])
    let merge = merge([Item(id: "1")], known: KnownStates(remembered: [key: true]))
    #expect(merge.new.isEmpty)
    #expect(merge.merged.items[0].isRead)
  }

  @Test func duplicatesInADocumentAreOneItem() {
    let merge = merge([
      Item(id: "1", title: "first"), Item(id: "1", title: "second"), Item(id: "1"),
    ])
    #expect(merge.new.count == 1)
    #expect(merge.merged.items.map(\.content.title?.text) == ["first"])
  }

  @Test func anItemThatGetsAnIDOrLosesItIsTheSame() {
    var first = merge([Item(title: "A", link: "http://a.org/1")]).merged
    first.items[0].isRead = true
    let named = merge([Item(id: "x:1", title: "A", link: "https://a.org/1")], into: first)
    #expect(named.new.isEmpty && named.merged.items.count == 1)
    #expect(named.merged.items[0].isRead)
    #expect(named.merged.items[0].reference == first.items[0].reference)
    let bare = merge([Item(title: "A", link: "https://a.org/1")], into: named.merged)
    #expect(bare.new.isEmpty && bare.merged.items.count == 1)
  }

  @Test func aLinkThatSeveralItemsHaveMakesThemNotTheSame() {
    let first = merge([
      Item(id: "1", link: "https://a.org/"), Item(id: "2", link: "https://a.org/"),
    ])
    let second = merge([Item(id: "3", link: "https://a.org/")], into: first.merged)
    #expect(second.new.count == 1)
    #expect(second.merged.items.count == 3)
  }

  @Test("Lesson 26: where all items have one link, a new one does not take a dropped one's place")
  func aLinkThatIsOnEveryItemTellsNothing() throws {
    func item(_ id: Int) -> Item { Item(id: "\(id)", title: "\(id)", link: "https://a.org/") }
    var cached = merge([item(3), item(2), item(1)]).merged
    for index in cached.items.indices { cached.items[index].isRead = true }
    for last in 4...6 {
      let step = merge([item(last), item(last - 1), item(last - 2)], into: cached)
      #expect(step.new.count == 1, "item \(last)")
      let found = try #require(step.merged.items.first { $0.content.id == "\(last)" })
      #expect(!found.isRead, "item \(last)")
      #expect(step.merged.items.count == last)
      cached = step.merged
    }
  }

  @Test("Lesson 26: where a feed has but one item, at one link, each is new, with an id of its own")
  func aFeedOfOneItemAtOneLink() throws {
    func item(_ id: Int) -> Item {
      Item(id: "\(id)", title: "Day \(id)", link: "https://a.org/today")
    }
    var cached = merge([item(1)]).merged
    for index in cached.items.indices {
      cached.items[index].isRead = true
      cached.items[index].isStarred = true
    }
    for day in 2...4 {
      let step = merge([item(day)], into: cached)
      #expect(step.new.count == 1, "day \(day)")
      #expect(step.merged.items.first { $0.content.id == "\(day)" }?.isRead == false)
      #expect(step.merged.items.first { $0.content.id == "1" }?.isStarred == true)
      cached = step.merged
    }
    // A feed that writes other ids has the same titles.
    let once = merge([item(1)]).merged
    var renamed = item(1)
    renamed.id = "urn:1"
    #expect(merge([renamed], into: once).new.isEmpty)
  }

  @Test("Lesson 26: of items without ids at one link each stays what it is, however many come")
  func itemsAtOneLinkThatComeAndGo() throws {
    func item(_ day: Int) -> Item { Item(title: "Day \(day)", link: "https://a.org/today") }
    var cached = merge([item(1)]).merged
    for days in [[2, 1], [2], [3, 2], [3], [3, 2, 1]] {
      let step = merge(days.map(item), into: cached)
      #expect(step.new.count == (cached.items.count < days[0] ? 1 : 0), "days \(days)")
      #expect(step.edited.isEmpty)
      cached = step.merged
    }
    #expect(Set(cached.items.map(\.content.title?.text)) == ["Day 1", "Day 2", "Day 3"])
    #expect(cached.items.count == 3)
  }

  @Test("Lesson 26: where a feed has but one item, at its own page and without an id, each is new")
  func aFeedOfOneItemAtItsOwnPage() {
    var cached = CachedChannel(feed: Self.feed)
    for day in 1...3 {
      var channel = Channel([Item(title: "Day \(day)", link: "https://a.org/")])
      channel.link = "http://a.org"
      let step = ChannelMerge(channel, into: cached, at: Self.now, known: KnownStates())
      #expect(step.new.count == 1 && step.edited.isEmpty, "day \(day)")
      cached = step.merged
    }
    #expect(cached.items.count == 3)
  }

  @Test("Lesson 27: a mark that was there before its item is its mark")
  func aMarkThatWasThereBeforeItsItemIsItsMark() throws {
    let key = try #require(ItemIdentity.keys(of: [Item(id: "1")])[0])
    let read = ReadMarks([MarkShard(month: 1): [.init(key.text): MarkValue.read]])
    let known = KnownStates(read: read, starred: [key], tags: [key: ["later"]])
    let item = merge([Item(id: "1"), Item(id: "2")], known: known).merged.items
      .first { $0.reference.item == key }
    #expect(item?.isRead == true)
    #expect(item?.isStarred == true)
    #expect(item?.tags == ["later"])
  }

  @Test func anItemFromTheFutureDoesNotStayOnTop() {
    let merge = merge([Item(id: "1", published: 9_000_000), Item(id: "2", published: 5)])
    #expect(merge.merged.items.map(\.date) == [Self.now, FeedInstant(secondsSince1970: 5)])
  }

  @Test func onlyWhatTheFeedHasNoMoreAndNobodyMarkedIsLetGo() {
    var cached = merge((1...5).map { Item(id: "\($0)") }).merged
    cached.items[0].isStarred = true
    cached.items[1].tags = ["keep"]
    let later = FeedInstant(secondsSince1970: 1_000_000 + 31 * 86_400)
    let offered = cached.items[2].content
    // The feed had them until then, be it that it was not read for long.
    let dropped = merge([offered], into: cached, at: Self.now).merged
    let merged = merge([offered], into: dropped, at: later).merged
    #expect(ItemRetention.expired(merged.items, days: 30, now: later).count == 2)
    #expect(ItemRetention.expired(merged.items, days: 31, now: later).isEmpty)
    #expect(ItemRetention.expired(merged.items, days: nil, now: later).isEmpty)
  }

  @Test func whatAFeedHadUntilNowIsNotLetGoBecauseItDidNotChangeForLong() {
    let cached = merge([Item(id: "1"), Item(id: "2")]).merged
    let later = FeedInstant(secondsSince1970: 1_000_000 + 400 * 86_400)
    let merged = merge([Item(id: "3")], into: cached, at: later).merged
    #expect(merged.items.count == 3)
    #expect(ItemRetention.expired(merged.items, days: 7, now: later).isEmpty)
  }
}
