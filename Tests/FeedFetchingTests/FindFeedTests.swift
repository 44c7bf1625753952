import FeedReading
import Testing

@testable import FeedFetching

@Suite struct FindFeedTests {
  private static let page = """
    <html><head><link rel="alternate" type="application/rss+xml" title="News" href="/feed.xml">\
    </head><body>Hello</body></html>
    """

  private func found(_ url: String, credentials: FeedCredentials? = nil) async throws -> FoundFeed {
    try await FeedFetcher.run(Fetching.configuration, time: Fetching.time) {
      try await $0.findFeed(at: try FeedAddress(url), credentials: credentials)
    }
  }

  private static func site(_ request: PlayedRequest) -> [Step] {
    switch request.path {
    case "/": Replies.reply(200, ["Content-Type: text/html"], text: page)
    case "/moved": Replies.redirect(301, to: "/feed.xml")
    case "/feed.xml": Replies.feed()
    case "/empty": Replies.reply(200, ["Content-Type: text/html"], text: "<html></html>")
    default: Replies.reply(404)
    }
  }

  /// Lesson 29: adding a feed costs one GET.
  @Test func theAddressOfAFeedCostsOneGET() async throws {
    try await PlayedServer.run(Self.site) { server in
      let feed = try await found(server.url("/feed.xml"))
      #expect(feed.channel.title?.text == "News")
      #expect(feed.address.url == server.url("/feed.xml"))
      #expect(feed.candidates.isEmpty)
      #expect(server.requests.map(\.path) == ["/feed.xml"])
    }
  }

  @Test func aPageCostsOneGETForItselfAndOneForItsFeed() async throws {
    try await PlayedServer.run(Self.site) { server in
      let feed = try await found(server.url("/"))
      #expect(feed.channel.items.count == 1)
      #expect(feed.address.url == server.url("/feed.xml"))
      #expect(feed.candidates.map(\.title) == ["News"])
      #expect(server.requests.map(\.path) == ["/", "/feed.xml"])
    }
  }

  @Test func aFeedThatHasMovedIsSubscribedToWhereItIs() async throws {
    try await PlayedServer.run(Self.site) { server in
      let feed = try await found(server.url("/moved"))
      #expect(feed.address.url == server.url("/feed.xml"))
    }
  }

  @Test("The address that was given is told besides where the feed has moved to")
  func theAddressThatWasGivenIsTold() async throws {
    try await PlayedServer.run(Self.site) { server in
      let moved = try await found(server.url("/moved"))
      #expect(moved.asked.url == server.url("/moved"))
      let announced = try await found(server.url("/"))
      #expect(announced.asked.url == server.url("/feed.xml"))
    }
  }

  @Test func aPageWithoutAFeedIsSaidToHaveNone() async throws {
    try await PlayedServer.run(Self.site) { server in
      let error = await #expect(throws: FetchError.self) { try await found(server.url("/empty")) }
      #expect(error?.cause == .noFeed)
      #expect(error?.url == server.url("/empty"))
      let missing = await #expect(throws: FetchError.self) { try await found(server.url("/x")) }
      #expect(missing?.cause == .status(404))
    }
  }

  @Test func whatIsForThePagesServerIsNotSentToTheFeeds() async throws {
    try await PlayedServer.run(Self.site) { other in
      let page = Self.page.replacing("/feed.xml", with: other.url("/feed.xml"))
      try await PlayedServer.run({ _ in Replies.reply(text: page) }) { server in
        _ = try await found(
          server.url("/"), credentials: FeedCredentials(name: "ann", password: "x"))
        #expect(server.requests.first?.fields["authorization"] != nil)
        #expect(other.requests.first?.fields["authorization"] == nil)
      }
    }
  }

  /// A page that announces these, in this order.
  private static func announcing(_ paths: [String]) -> String {
    let links = paths.map {
      #"<link rel="alternate" type="application/rss+xml" href="\#($0)">"#
    }
    return "<html><head>\(links.joined())</head></html>"
  }

  @Test("Of the feeds that a page announces the first is found that is there")
  func theFirstThatIsThereIsFound() async throws {
    let page = Self.announcing(["/gone", "/empty", "/feed.xml", "/rest.xml"])
    try await PlayedServer.run({ request in
      switch request.path {
      case "/": Replies.reply(200, ["Content-Type: text/html"], text: page)
      case "/gone": Replies.reply(410)
      default: Self.site(request)
      }
    }) { server in
      let feed = try await found(server.url("/"))
      #expect(feed.address.url == server.url("/feed.xml"))
      #expect(feed.asked.url == server.url("/feed.xml"))
      let urls = ["/feed.xml", "/rest.xml"].map { server.url($0) }
      #expect(feed.candidates.map(\.address.url) == urls)
      #expect(feed.absent.map(\.cause) == [.status(410), .noFeed])
      #expect(server.requests.map(\.path) == ["/", "/gone", "/empty", "/feed.xml"])
    }
  }

  @Test(
    "No other is taken for a feed that may be there later, nor comments for one that is gone",
    arguments: [("/busy", "/feed.xml", 503), ("/gone", "/comments/feed", 404)])
  func noOtherIsTaken(first: String, second: String, status: Int) async throws {
    let page = Self.announcing([first, second])
    try await PlayedServer.run({ request in
      switch request.path {
      case "/": Replies.reply(200, ["Content-Type: text/html"], text: page)
      case first: Replies.reply(status)
      default: Replies.feed()
      }
    }) { server in
      let error = await #expect(throws: FetchError.self) { try await found(server.url("/")) }
      #expect(error?.cause == .status(status))
      #expect(server.requests.map(\.path) == ["/", first])
    }
  }
}
