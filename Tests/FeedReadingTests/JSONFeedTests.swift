import FeedReading
import Testing

@Suite struct JSONFeedTests {
  @Test func bothVersionsAreRead() throws {
    let channel = try Feeds.read(
      #"""
      {"version":"https://jsonfeed.org/version/1.1","title":"A & B","language":"en",
       "home_page_url":"http://e/","feed_url":"http://e/f.json","icon":"http://e/i.png",
       "favicon":"http://e/f.ico","authors":[{"name":"Ann","url":"http://a/"}],
       "items":[{"id":7,"url":"/1","title":"One","content_html":"<p onclick=x>Hi</p>",
         "summary":"1 < 2","date_published":"2010-02-07T14:04:00-05:00","tags":["a","b"],
         "author":{"name":"Bob"},"image":"x.png",
         "attachments":[{"url":"1.mp3","mime_type":"audio/mpeg","size_in_bytes":5}]}]}
      """#)
    #expect(channel.format == "json")
    #expect(channel.title?.text == "A & B")
    #expect(channel.link == "http://e/")
    #expect(channel.id == "http://e/f.json")
    #expect(channel.authors == [Author(name: "Ann", url: "http://a/")])
    let item = try #require(channel.items.first)
    #expect(item.id == "7")
    #expect(item.link == "http://e/1")
    #expect(item.content == "<p>Hi</p>")
    #expect(item.summary == "1 &lt; 2")
    #expect(item.published?.text == "2010-02-07T19:04:00Z")
    #expect(item.authors.map(\.name) == ["Bob"])
    #expect(item.categories == ["a", "b"])
    #expect(item.enclosures == [Enclosure(url: "http://e/1.mp3", type: "audio/mpeg", length: 5)])
  }

  @Test func JSONThatIsNotQuiteJSONIsRead() throws {
    let text = "\u{FEFF} {\"title\":\"T\",\"items\":[{\"id\":\"1\",\"title\":\"a\nb\",},],}"
    #expect(try Feeds.read(text).items.first?.title?.text == "a b")
    let cut = #"{"version":"https://jsonfeed.org/version/1","title":"T","items":[{"id":"1"#
    #expect(try Feeds.read(cut).items.map(\.id) == ["1"])
  }

  @Test func topSongsOfAppleAreAFeed() throws {
    let channel = try Feeds.read(
      #"""
      {"feed":{"title":{"label":"Top"},"entry":{"title":{"label":"Song - Band"},
        "id":{"label":"http://e/1"},"im:artist":{"label":"Band"},
        "im:image":[{"label":"http://e/s.png"},{"label":"http://e/l.png"}],
        "link":[{"attributes":{"rel":"alternate","href":"http://e/1"}},
          {"attributes":{"rel":"enclosure","type":"audio/x-m4a","href":"http://e/1.m4a"}}],
        "category":{"attributes":{"label":"Pop"}},
        "im:releaseDate":{"label":"2021-01-11T00:00:00-07:00"}}}}
      """#)
    let song = try #require(channel.items.first)
    #expect(song.title?.text == "Song - Band")
    #expect(song.authors.map(\.name) == ["Band"])
    #expect(song.image == "http://e/l.png")
    #expect(song.enclosures.map(\.url) == ["http://e/1.m4a"])
    #expect(song.categories == ["Pop"])
    #expect(song.published?.text == "2021-01-11T07:00:00Z")
  }

  @Test(arguments: [
    ("itunes:topsongs", "https://itunes.apple.com/us/rss/topsongs/limit=10/json"),
    ("itunes:topsongs?limit=20", "https://itunes.apple.com/us/rss/topsongs/limit=20/json"),
    (
      "itunes:topsongs?country=DE&limit=9999",
      "https://itunes.apple.com/de/rss/topsongs/limit=200/json"
    ),
    ("http://example.org/feed", "http://example.org/feed"),
  ])
  func aSubscriptionHasAnAddress(subscription: String, address: String) {
    #expect(FeedParser.address(for: subscription) == address)
  }

  @Test(arguments: ["{}", "[]", "{\"a\":1}", "[1,2", "{\"feed\":{}}", "nonsense", "<html/>"])
  func whatIsNoFeedIsRefused(text: String) {
    #expect(throws: FeedError(.notAFeed, operation: "read the feed")) { try Feeds.read(text) }
  }

  @Test func nothingIsNoFeed() {
    #expect(throws: FeedError(.empty, operation: "read the feed")) { try Feeds.read(" \n") }
  }
}
