import FeedReading
import Testing

@testable import FeedLibrary

/// What makes an item the same one.
@Suite struct IdentityTests {
  private func key(_ item: Item) -> ItemKey? { ItemIdentity.keys(of: [item]).first ?? nil }

  @Test("Lesson 26: an item is known by its id, whatever else changes")
  func anItemIsKnownByItsID() {
    let one = Item(id: "x:1", title: "A", link: "https://a.org/1", content: "old", published: 1)
    let two = Item(id: "x:1", title: "B", link: "https://a.org/2", content: "new", published: 2)
    #expect(key(one) == key(two))
    #expect(key(one) != key(Item(id: "x:2", title: "A", link: "https://a.org/1", published: 1)))
  }

  @Test("Lesson 26: without an id by its link, and without that by title and date")
  func withoutAnIDByItsLinkThenByTitleAndDate() {
    let linked = Item(title: "A", link: "https://a.org/1", published: 1)
    #expect(key(linked) == key(Item(title: "B", link: "https://a.org/1", published: 2)))
    let bare = Item(title: "A", content: "old", published: 1)
    #expect(key(bare) == key(Item(title: "A", content: "new", published: 1)))
    #expect(key(bare) != key(Item(title: "A", content: "old", published: 2)))
    #expect(key(Item(content: "nothing but text")) == nil)
  }

  @Test func httpAndHTTPSAreTheSame() {
    #expect(key(Item(id: "http://A.org/?p=1")) == key(Item(id: "https://a.org/?p=1")))
    #expect(key(Item(link: "http://a.org:80/1")) == key(Item(link: "https://a.org/1")))
    #expect(key(Item(link: "http://a.org/1#c2")) != key(Item(link: "http://a.org/1")))
    #expect(FeedKey(address: "http://a.org") == FeedKey(address: "https://A.org/"))
    #expect(FeedKey(address: "http://a.org/feed") != FeedKey(address: "http://a.org/Feed"))
  }

  @Test func oneIDOnAllItemsIdentifiesNone() {
    let items = (1...3).map {
      Item(id: "https://a.org/", title: "T\($0)", link: "https://a.org/\($0)")
    }
    #expect(Set(ItemIdentity.keys(of: items)).count == 3)
  }

  @Test("One id and one link on all items identify none, where titles and dates tell them apart")
  func oneIDAndOneLinkOnAllItemsIdentifyNone() {
    let news = "https://a.org/news"
    let items = (1...3).map {
      Item(id: news, title: "T\($0)", link: news, published: Int64($0))
    }
    #expect(Set(ItemIdentity.keys(of: items)).count == 3)
    // The next post leaves the others what they were.
    let next = Item(id: news, title: "T4", link: news, published: 4)
    let keys = ItemIdentity.keys(of: [next] + items)
    #expect(Array(keys.dropFirst()) == ItemIdentity.keys(of: items))
    #expect(Set(keys).count == 4)
  }

  @Test("What comes twice, with another title or at another date, is one item")
  func whatDiffersInItsTitleOrDateAloneIsOneItem() {
    let first = Item(id: "x:1", title: "A", link: "https://a.org/1", published: 1)
    let edited = Item(id: "x:1", title: "B", link: "https://a.org/1", published: 1)
    let again = Item(id: "x:1", title: "A", link: "https://a.org/1", published: 2)
    let bare = Item(id: "x:1", title: "C", link: "https://a.org/1")
    #expect(Set(ItemIdentity.keys(of: [first, edited, again, bare])).count == 1)
  }

  @Test func oneLinkOnAllItemsIdentifiesNone() {
    let items = (1...3).map { Item(title: "T\($0)", link: "https://a.org/", published: 1) }
    #expect(Set(ItemIdentity.keys(of: items)).count == 3)
  }

  @Test("One link on all items identifies none, where dates alone tell them apart")
  func oneLinkAndNoTitlesIdentifyNone() {
    let items = (1...3).map { Item(link: "https://a.org/", content: "\($0)", published: Int64($0)) }
    #expect(Set(ItemIdentity.keys(of: items)).count == 3)
    let daily = (1...3).map { Item(title: "Weather", link: "https://a.org/", published: Int64($0)) }
    #expect(Set(ItemIdentity.keys(of: daily)).count == 3)
  }

  @Test("An item with a link that others have, and nothing else, is not lost")
  func anItemWithNothingButASharedLinkIsThere() {
    let others = (1...2).map { Item(title: "T\($0)", link: "https://a.org/") }
    let keys = ItemIdentity.keys(of: others + [Item(link: "https://a.org/", content: "text")])
    #expect(Set(keys.compactMap { $0 }).count == 3)
  }

  @Test("A link to the feed's own page identifies no item")
  func aLinkToTheFeedsPageIdentifiesNone() {
    func key(_ item: Item) -> ItemKey? {
      ItemIdentity.keys(of: [item], site: "http://a.org").first ?? nil
    }
    let first = Item(title: "A", link: "https://a.org/", published: 1)
    #expect(key(first) != key(Item(title: "B", link: "https://a.org/", published: 2)))
    let page = Item(title: "A", link: "https://a.org/1", published: 1)
    #expect(key(page) == key(Item(title: "B", link: "https://a.org/1", published: 2)))
    #expect(key(Item(link: "https://a.org/", content: "text")) != nil)
  }

  @Test func anItemThatComesTwiceInADocumentIsOne() {
    let item = Item(id: "x:1", title: "A", link: "https://a.org/1")
    let edited = Item(id: "x:1", title: "A, corrected", link: "https://a.org/1")
    #expect(Set(ItemIdentity.keys(of: [item, edited, item])).count == 1)
  }

  @Test(arguments: [
    ("example.org/rss", "https://example.org/rss"), (" feed://a.org/rss ", "https://a.org/rss"),
    ("feed:http://a.org/rss", "http://a.org/rss"), ("http://a.org/rss", "http://a.org/rss"),
    ("a.org:8080/rss", "https://a.org:8080/rss"),
    ("itunes:topsongs?limit=5", "itunes:topsongs?limit=5"),
    ("file:///tmp/a.xml", "file:///tmp/a.xml"),
    ("https://ann:p@x@a.org/rss?a@b", "https://a.org/rss?a@b"), ("ann@a.org/x", "https://a.org/x"),
  ])
  func anAddressIsMeantAsItIsTyped(_ typed: String, _ meant: String) {
    #expect(WebIdentity.subscribable(typed) == meant)
  }

  @Test func aKeyIsEightCharactersThatNothingHasToEscape() {
    for number in 0..<1_000 {
      let text = FeedKey(address: "https://example.org/\(number)").text
      #expect(text.utf8.count == 8 && FeedKey(text: text)?.text == text)
      #expect(!text.contains { "/~-\"\\ ".contains($0) })
    }
    #expect(ItemKey(text: "short") == nil)
    #expect(ItemReference("AAAAAAAA/BBBBBBBB")?.description == "AAAAAAAA/BBBBBBBB")
    #expect(ItemReference("AAAAAAAA") == nil)
    #expect(ItemReference("AAAAAAAA/BBBBBBBB/") == nil)
  }

  /// Another value would make every mark that was ever made meaningless.
  @Test func keysAreTheSameForEver() {
    #expect(
      FeedKey(address: "https://example.org/feed").text
        == ShortDigest.text(of: "//example.org/feed"))
    #expect(ShortDigest.text(of: "abc") == "ungWv48B")
    #expect(key(Item(id: "abc"))?.text == ShortDigest.text(of: "iabc"))
  }
}
