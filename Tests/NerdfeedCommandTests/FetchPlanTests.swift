import FeedFetching
import FeedLibrary
import FeedReading
import Foundation
import Testing

@testable import NerdfeedCommand

/// Which feeds are fetched when.
@Suite struct FetchPlanTests {
  private static let now = FeedInstant(secondsSince1970: 1_800_000_000)
  private let policy = FetchPolicy()

  private static func before(minutes: Int64) -> FeedInstant {
    FeedInstant(secondsSince1970: now.secondsSince1970 - 60 * minutes)
  }

  /// A feed that came so many minutes ago, and is due an hour after that.
  private func feed(
    _ url: String = "https://e.org/feed", minutesAgo: Int64? = nil, interval: Int? = nil,
    _ change: (inout FetchState) -> Void = { _ in }
  ) -> FetchCandidate {
    var subscription = Subscription(url: url)
    subscription.interval = interval
    var state = FetchState(url: url)
    if let minutesAgo {
      state.record.lastFetched = Self.before(minutes: minutesAgo)
      state.record.due = Self.before(minutes: minutesAgo - 60)
    }
    change(&state)
    let key = FeedKey(address: url)
    return FetchCandidate(
      feed: SubscribedFeed(key: key, subscription: subscription), title: "", state: state)
  }

  private func plan(_ feed: FetchCandidate, _ urgency: FetchUrgency = .due) -> FetchPlan {
    FetchPlan([feed], urgency: urgency, now: Self.now, policy: policy)
  }

  @Test func aFeedThatNeverCameIsDue() { #expect(plan(feed()).due.count == 1) }

  @Test func aFeedIsDueAfterAnHour() {
    #expect(plan(feed(minutesAgo: 59)).waiting == 1)
    #expect(plan(feed(minutesAgo: 61)).due.count == 1)
  }

  /// Also if the user changed it after the last fetch.
  @Test func aFeedsOwnIntervalCounts() {
    #expect(plan(feed(minutesAgo: 20, interval: 15)).due.count == 1)
    #expect(plan(feed(minutesAgo: 90, interval: 120)).waiting == 1)
    #expect(plan(feed(minutesAgo: 3, interval: 1)).waiting == 1)
  }

  @Test func whoAsksNeedNotWaitForTheIntervalButForFiveMinutes() {
    #expect(plan(feed(minutesAgo: 20), .asked).due.count == 1)
    #expect(plan(feed(minutesAgo: 2), .asked).waiting == 1)
    #expect(plan(feed(minutesAgo: 2), .forced).due.count == 1)
  }

  @Test func whatHasEndedIsLeftAloneUnlessSomebodyInsists() {
    let ended = feed { $0.record.isStopped = true }
    #expect(plan(ended).stopped == 1)
    #expect(plan(ended, .asked).stopped == 1)
    #expect(plan(ended, .forced).due.count == 1)
  }

  @Test func whoInsistsStillHeedsAServersWishToWait() {
    let held = feed {
      $0.record.heldUntil = Self.before(minutes: -10)
      $0.record.due = Self.before(minutes: -10)
    }
    #expect(plan(held, .asked).waiting == 1)
    #expect(plan(held, .forced).held == 1)
  }

  @Test func aFileIsReadWheneverSomebodyFetches() {
    #expect(plan(feed("file:///tmp/feed.xml", minutesAgo: 0)).due.count == 1)
  }

  @Test func whatWasKeptOfAnotherAddressIsForgottenButForItsValidators() throws {
    var state = FetchState(url: "https://e.org/old")
    state.record.failures = 3
    state.record.validators = FetchValidators(url: "https://e.org/new", entityTag: "\"1\"")
    let read = FetchState(try state.data, of: Subscription(url: "https://e.org/new"))
    #expect(read.record.failures == 0)
    #expect(read.record.validators?.entityTag == "\"1\"")
    #expect(FetchState(try state.data, of: Subscription(url: "https://e.org/old")) == state)
    #expect(FetchState(Data("{}".utf8), of: Subscription(url: "u")) == FetchState(url: "u"))
  }

  @Test func aFailureIsKeptInWordsUntilTheFeedComesAgain() {
    let subscription = Subscription(url: "https://e.org/feed")
    let error = FetchError(.status(500), operation: .fetching, url: subscription.url)
    let failed = FetchState(url: subscription.url).after(
      .failed(error), of: subscription, now: Self.now, policy: policy, jitter: 0.5)
    #expect(failed.problem == error.message)
    #expect(failed.record.failures == 1)
    #expect(failed.record.due.map { $0 > Self.now } == true)
    let postponed = failed.after(
      .postponed(seconds: 60), of: subscription, now: Self.now, policy: policy, jitter: 0)
    #expect(postponed.problem == error.message)
  }

  @Test func whatHasEndedStaysSoUntilItComesAgain() {
    let subscription = Subscription(url: "https://e.org/feed")
    var state = FetchState(url: subscription.url)
    let error = FetchError(.status(410), operation: .fetching, url: subscription.url)
    state = state.after(
      .gone(error), of: subscription, now: Self.now, policy: policy, jitter: 0)
    #expect(state.record.isStopped)
    state = state.after(
      .failed(error), of: subscription, now: Self.now, policy: policy, jitter: 0)
    #expect(state.record.isStopped)
  }
}
