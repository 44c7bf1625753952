import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync
import Testing

@testable import NerdfeedCommand

/// What came of fetching, in words and numbers.
@Suite struct FetchSummaryTests {
  private static let now = FeedInstant(secondsSince1970: 1_800_000_000)

  private func candidate(_ url: String, stopped: Bool = false) -> FetchCandidate {
    var state = FetchState(url: url)
    state.record.isStopped = stopped
    return FetchCandidate(
      feed: SubscribedFeed(
        key: FeedKey(address: url), subscription: Subscription(url: url)),
      title: "evil\u{1B}[2J", state: state)
  }

  private func report(
    _ outcome: FetchReport.Outcome, move: FetchReport.Move? = nil
  ) -> FetchReport {
    let feed = candidate("https://e.org/feed")
    return FetchReport(
      feed: feed.feed, title: feed.title, outcome: outcome, move: move)
  }

  private static func move(isTaken: Bool) -> FetchReport.Move {
    FetchReport.Move(url: "https://e.org/new", isTaken: isTaken)
  }

  private let failure = FetchError(
    .status(500), operation: .fetching, url: "https://e.org/feed"
  ).described

  @Test func onlyWhatHappenedIsSaid() {
    let plan = FetchPlan(
      [candidate("https://e.org/a"), candidate("https://e.org/b", stopped: true)], urgency: .due,
      now: Self.now, policy: FetchPolicy())
    var summary = FetchSummary(plan)
    summary.add(report(.unchanged))
    #expect(summary.text == "2 feeds: 1 unchanged, 1 stopped")
    summary.add(report(.failed(failure)))
    summary.add(report(.unchanged, move: Self.move(isTaken: false)))
    summary.add(report(.unchanged, move: Self.move(isTaken: true)))
    #expect(summary.text == "5 feeds: 3 unchanged, 1 moved, 1 failed, 1 stopped")
    #expect(
      FetchSummary(FetchPlan([], urgency: .due, now: Self.now, policy: FetchPolicy()))
        .text == "0 feeds")
  }

  @Test func whatIsUnchangedIsNotWorthALine() {
    #expect(FetchForm.text(report(.unchanged)).isEmpty)
    let line = "moved: evil\\u{1b}[2J: https://e.org/new"
    #expect(FetchForm.text(report(.unchanged, move: Self.move(isTaken: false))) == [line])
  }

  @Test func aFeedThatMovesToWhereAnotherIsStaysAndIsSaidTo() {
    let report = report(.unchanged, move: Self.move(isTaken: true))
    #expect(FetchForm.text(report).first?.contains("subscribed to as well") == true)
    guard case .object(let object) = FetchForm.json(report) else {
      Issue.record("it is no object")
      return
    }
    #expect(object["moved_to"] == .text("https://e.org/new"))
    #expect(object["is_subscribed_there"] == .bool(true))
  }

  @Test(
    "What a failure hints at is there",
    arguments: [
      (FetchError.Cause.status(401), "nerdfeed add"), (.status(403), "nerdfeed add"),
      (.untrustedCertificate(host: "e.org"), "trusted.pem"), (.tooLarge(limit: 1), "on the site"),
      (.timedOut(.pausing, limit: 30), "try again later"), (.status(410), "for another one"),
    ])
  func whatAFailureHintsAt(_ cause: FetchError.Cause, _ words: String) {
    let error = FetchError(cause, operation: .fetching, url: "https://e.org/feed").described
    #expect(error.hint?.contains(words) == true)
    #expect(error.hint?.contains("in the settings") == false)
  }

  /// 75 is for what may be over when it is tried again.
  @Test(arguments: [
    (FetchError.Cause.status(503), 75), (.status(429), 75), (.status(401), 77),
    (.status(404), 66), (.status(410), 66), (.noFeed, 65), (.status(418), 74),
    (.untrustedCertificate(host: "e.org"), 77), (.timedOut(.pausing, limit: 30), 75),
    (.invalidAddress(.notOnTheWeb), 64),
  ])
  func eachFailureHasItsStatus(_ cause: FetchError.Cause, _ status: Int) {
    let error = FetchError(cause, operation: .fetching, url: "https://e.org/feed").described
    #expect(Int(error.code.rawValue) == status)
    #expect(error.subject == "https://e.org/feed")
    #expect(!error.message.isEmpty)
  }
}
