import FeedReading
import Foundation
import Testing

/// Lists of subscriptions, from other readers and back.
@Suite struct OPMLTests {
  private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "fixtures/opml")

  private static func fixture(_ name: String) throws -> OPMLDocument {
    let bytes = Array(try Data(contentsOf: fixtures.appending(path: "\(name).opml")))
    return try OPMLDocument(parsing: bytes)
  }

  private static func read(_ body: String) throws -> OPMLDocument {
    try OPMLDocument(parsing: Array("<opml><body>\(body)</body></opml>".utf8))
  }

  @Test func aListOfNetNewsWireHasItsFolders() throws {
    let list = try Self.fixture("netnewswire")
    #expect(list.title == "Subscriptions-OnMyMac.opml")
    #expect(list.entries.map(\.folder) == [[], ["Science & Nature"], ["Science & Nature"]])
    #expect(
      list.entries[1].feed
        == OPMLDocument.Feed(
          url: "https://sky.example.net/atom?a=1&b=2", title: "Stars \"tonight\"",
          site: "https://sky.example.net/?a=1&b=2"))
    #expect(list.entries[2].feed.site == nil)
  }

  @Test func aListOfNewsboatHasItsTags() throws {
    let feeds = try Self.fixture("newsboat").entries.map(\.feed)
    #expect(feeds.map(\.tags) == [["friends", "daily reading"], [], ["friends"]])
    #expect(feeds.map(\.title) == ["Example Weblog", "Étoiles — ce soir", nil])
  }

  @Test func aListOfMinifluxHasItsCategories() throws {
    let list = try Self.fixture("miniflux")
    #expect(list.entries.map(\.folder) == [["All"], ["Naturkunde"], ["Naturkunde"]])
    #expect(list.entries.map(\.feed.title) == ["Example Weblog", "Elche & Hirsche", "天文"])
  }

  @Test(arguments: ["netnewswire", "newsboat", "miniflux"])
  func aListThatIsWrittenReadsBackAsTheSame(_ name: String) throws {
    let list = try Self.fixture(name)
    #expect(list.entries.count == 3)
    #expect(try OPMLDocument(parsing: list.bytes) == list)
    #expect(
      try OPMLDocument(parsing: OPMLDocument(title: list.title, entries: list.entries).bytes)
        == list)
  }

  @Test func hostileNamesComeBackAsTheyWere() throws {
    let name = "</outline> \"&amp;' <b> ]]>"
    let feed = OPMLDocument.Feed(
      url: "https://x.org/?a=1&b='\"", title: name, tags: ["a/b", "c&d"])
    let list = OPMLDocument(title: name, outlines: [.folder(name, [.folder("x", [.feed(feed)])])])
    #expect(try OPMLDocument(parsing: list.bytes) == list)
  }

  @Test("A list that is written drives no terminal, and is XML, whatever its names are")
  func controlsAreNotWritten() throws {
    let name = "a\u{1B}[31m\u{0}\u{9B}2J\u{202E}b\nc \u{FFFF}é"
    let feed = OPMLDocument.Feed(url: "https://x.org/", title: name, tags: [name])
    let list = OPMLDocument(title: name, outlines: [.folder(name, [.feed(feed)])])
    let text = String(decoding: list.bytes, as: UTF8.self)
    let shown = text.unicodeScalars.filter { $0 != "\n" }
    #expect(!shown.contains { $0.value < 0x20 || 0x7F..<0xA0 ~= $0.value || $0 == "\u{202E}" })
    #expect(text.contains("text=\"a[31m&#155;2J&#8238;b c é\""))
    #expect(try OPMLDocument(parsing: list.bytes).entries.map(\.feed.url) == ["https://x.org/"])
  }

  @Test func whatStandsInAFeedStandsBesideItAndEmptyFoldersGo() throws {
    let list = try Self.read(
      "<outline text='a' xmlUrl='http://a.org/'><outline xmlUrl='http://b.org/'/></outline>"
        + "<outline text='empty'/><outline><outline xmlUrl='http://c.org/'/></outline>")
    #expect(list.entries.map(\.feed.url) == ["http://a.org/", "http://b.org/", "http://c.org/"])
    #expect(list.entries.allSatisfy { $0.folder.isEmpty })
  }

  @Test func addressesThatAreNoneOrDoHarmAreLeftOut() throws {
    let list = try Self.read(
      "<outline xmlUrl='javascript:alert(1)'/><outline xmlUrl='exec:rm -rf /'/>"
        + "<outline xmlUrl=''/><outline xmlUrl='itunes:topsongs?limit=5'/>"
        + "<outline xmlUrl='file:///etc/passwd'/>")
    #expect(list.entries.map(\.feed.url) == ["itunes:topsongs?limit=5"])
    #expect(list.refused == ["javascript:alert(1)", "exec:rm -rf /", "file:///etc/passwd"])
    let many = try Self.read(String(repeating: "<outline xmlUrl='file:x'/>", count: 1_000))
    #expect(many.refused.count == FeedLimits.list)
  }

  @Test("Pages and other lists, which a list links to or includes, are no feeds")
  func pagesAndOtherListsAreNoFeeds() throws {
    let list = try Self.read(
      "<outline type='link' url='http://a.org/page'/><outline type='Include' url='http://b.org/'/>"
        + "<outline type='rss' url='http://c.org/rss'/><outline url='http://d.org/rss'/>"
        + "<outline type='link' url='http://e.org/page' xmlUrl='http://e.org/rss'/>")
    #expect(
      list.entries.map(\.feed.url) == ["http://c.org/rss", "http://d.org/rss", "http://e.org/rss"])
  }

  @Test func twentyThousandFoldersInOneAnotherAreNoHarm() throws {
    let depth = 20_000
    let list = try Self.read(
      String(repeating: "<outline text='x'>", count: depth) + "<outline xmlUrl='http://a.org/'/>"
        + String(repeating: "</outline>", count: depth))
    #expect(list.entries.allSatisfy { $0.folder.count <= 32 })
  }

  @Test func anotherDocumentIsRefusedWithWhatToDo() {
    for text in ["<rss><channel/></rss>", "{}", "<html><body>opml</body></html>"] {
      let error = #expect(throws: FeedError.self) {
        try OPMLDocument(parsing: Array(text.utf8), file: "x.opml")
      }
      #expect(error?.cause == .notOPML)
      #expect(error?.file == "x.opml" && error?.hint != nil)
    }
    #expect(throws: FeedError(.empty, operation: "read the subscriptions")) {
      try OPMLDocument(parsing: Array(" \n".utf8))
    }
  }
}
