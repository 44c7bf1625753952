import FeedFetching
import FeedReading
import Foundation
import Testing

@testable import FeedLibrary
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

  @Test(
    "has subscribed though another process has the cache of articles, and says what is not there",
    .timeLimit(.minutes(1)))
  func busyCache() async throws {
    let desk = try Desk()
    let file = desk.root.appending(path: "feed.xml")
    let feed = "<rss version=\"2.0\"><channel><item><guid>1</guid></item></channel></rss>"
    try Data(feed.utf8).write(to: file)
    let hasty = try Library(
      desk.library.store.container, cache: desk.root.appending(path: "cache").path, busySeconds: 0
    ) { FeedInstant(secondsSince1970: 1_800_000_000) }
    try hasty.refresh()
    let adding = FeedAdding(
      run: FeedRun(library: hasty, settings: LocalSettings()), isFetching: true)
    let isOver = DispatchSemaphore(value: 0)
    defer { isOver.signal() }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        try? desk.library.cache.write("keep the cache") { _ in
          continuation.resume()
          isOver.wait()
        }
      }
    }
    let added = try await adding.add(Subscription(url: file.absoluteString))
    #expect(added.isNew && added.update == nil)
    #expect(added.warning?.cause == .busyCache)
    #expect(try desk.library.store.subscriptions().map(\.key) == [added.feed.key])
  }
}
