import FeedFetching
import FeedLibrary
import FeedReading
import Testing

@testable import NerdfeedCommand

@Suite("nerdfeed add") struct FeedAddingTests {
  @Test("says of a feed that is there and has ended that it is not fetched any more")
  func hasEnded() async throws {
    let desk = try Desk()
    let subscription = Subscription(url: "https://e.org/feed")
    let feed = try desk.library.subscribe(to: subscription).feed
    let adding = FeedAdding(
      run: FeedRun(library: desk.library, settings: LocalSettings()), isFetching: true)
    #expect(try await adding.add(subscription).warning == nil)
    let gone = FetchError(.status(410), operation: .fetching, url: subscription.url)
    let state = FetchState(url: subscription.url).after(
      .gone(gone), of: subscription, now: FeedInstant(secondsSince1970: 1_800_000_000),
      policy: FetchPolicy(), jitter: 0)
    try desk.library.setFetchState(try state.data, of: feed.key)
    let again = try await adding.add(subscription)
    #expect(!again.isNew && again.hasEnded)
    #expect(again.warning?.hint?.contains("--force --feed \(feed.key)") == true)
  }
}
