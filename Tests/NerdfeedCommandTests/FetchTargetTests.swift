import FeedFetching
import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// Where the feed of a subscription is.
@Suite struct FetchTargetTests {
  private func target(_ url: String, items: Int? = nil) throws -> FetchTarget {
    var subscription = Subscription(url: url)
    subscription.itemCount = items
    return try FetchTarget(subscription)
  }

  private func url(_ target: FetchTarget) -> String? {
    if case .web(let address, _) = target { address.url } else { nil }
  }

  @Test func anAddressOfTheWebIsItself() throws {
    #expect(try url(target("https://e.org/feed", items: 5)) == "https://e.org/feed")
  }

  @Test func theWordsOfAWebServiceAreItsAddress() throws {
    let songs = try target("itunes:topsongs?limit=20")
    #expect(url(songs) == "https://itunes.apple.com/us/rss/topsongs/limit=20/json")
    guard case .web(_, isService: true) = songs else {
      Issue.record("\(songs) is no service")
      return
    }
  }

  @Test func theNumberOfItemsIsAskedForWhereTheWordsSayNone() throws {
    let base = "https://itunes.apple.com/"
    #expect(try url(target("itunes:topsongs", items: 30)) == base + "us/rss/topsongs/limit=30/json")
    #expect(
      try url(target("itunes:topsongs?country=de", items: 30))
        == base + "de/rss/topsongs/limit=30/json")
    #expect(
      try url(target("itunes:topsongs?limit=20", items: 30))
        == base + "us/rss/topsongs/limit=20/json")
  }

  @Test func aFileIsRead() throws {
    #expect(try target("file:///tmp/a%20b.xml") == .file(path: "/tmp/a b.xml"))
  }

  @Test func whatIsNeitherIsRefused() {
    #expect(throws: FetchError.self) { try target("ftp://e.org/feed") }
  }
}
