import FeedFetching
import FeedReading
import FeedSync
import Testing

@testable import FeedLibrary
@testable import NerdfeedCommand

/// A feed that is not there any more where its server said that it had moved to for good.
@Suite struct LostFeedTests {
  private static let here = "https://store.org/1?until=1"
  private static let home = "https://a.org/rss"

  private func candidate(_ url: String = here) -> FetchCandidate {
    var state = FetchState(url: url)
    state.record.failures = 2
    return FetchCandidate(
      feed: SubscribedFeed(key: FeedKey(address: Self.home), subscription: Subscription(url: url)),
      title: "A", state: state)
  }

  private func place(_ url: String = here, home: String = home) -> FeedPlace {
    let from = JSON.string(ByteString(home))
    return FeedPlace(
      of: Subscription(url: home), document: ["from": from, "to": .string(ByteString(url))])
  }

  private func answer(_ cause: FetchError.Cause) -> FetchAnswer {
    FetchAnswer(.failed(FetchError(cause, operation: .fetching, url: Self.here)))
  }

  private let gone = FetchAnswer(
    .gone(FetchError(.status(410), operation: .fetching, url: Self.here)))

  @Test(
    "It is looked for where it was at first, once no waiting helps",
    arguments: [400, 401, 403, 404, 410, 451])
  func itIsLookedForWhereItWas(_ status: Int) throws {
    let lost = try #require(LostFeed(candidate(), after: answer(.status(status)), place: place()))
    #expect(lost.address.url == Self.home)
    #expect(lost.home.feed.subscription.url == Self.home)
    #expect(lost.home.feed.key == lost.feed.feed.key)
    #expect(lost.home.state == FetchState(url: Self.home))
  }

  @Test(
    "It is waited for where it may come again",
    arguments: [
      FetchError.Cause.status(429), .status(503), .status(408), .hostNotFound("store.org"),
      .timedOut(.answering, limit: 30), .redirectLoop, .cancelled,
    ])
  func itIsWaitedFor(_ cause: FetchError.Cause) {
    #expect(LostFeed(candidate(), after: answer(cause), place: place()) == nil)
  }

  @Test("One that has not moved, or that another device has moved meanwhile, is not looked for")
  func whatHasNotMovedIsNotLookedFor() {
    let home = candidate(Self.home)
    #expect(LostFeed(home, after: gone, place: place(Self.home)) == nil)
    #expect(LostFeed(candidate(), after: gone, place: place("https://store.org/2")) == nil)
    let secure = place("https://e.org", home: "http://e.org")
    #expect(LostFeed(candidate("https://e.org"), after: gone, place: secure) == nil)
    let file = place(home: "file:///tmp/feed.xml")
    #expect(LostFeed(candidate(), after: gone, place: file) == nil)
  }

  @Test("What comes and is no feed counts as lost, too, and what ended may come again from home")
  func whatEndedMayComeAgain() throws {
    #expect(answer(.noFeed).isForGood)
    let lost = try #require(LostFeed(candidate(), after: gone, place: place()))
    guard case .failed = lost.answer(besides: answer(.status(503))).outcome else {
      Issue.record("it is given up while its first address may come again")
      return
    }
    guard case .gone = lost.answer(besides: answer(.status(404))).outcome else {
      Issue.record("it has not ended")
      return
    }
  }
}
