import FeedReading
import Foundation
import Testing

@testable import FeedFetching

@Suite struct FetchPolicyTests {
  private let policy = FetchPolicy()
  private let now = Fetching.now

  private func after(
    _ outcome: FetchOutcome, _ record: FetchRecord = FetchRecord(), interval: Int? = nil,
    jitter: Double = 1
  ) -> FetchRecord {
    policy.record(record, after: outcome, now: now, interval: interval, jitter: jitter)
  }

  private func fetched(fresh: Int?) throws -> FetchOutcome {
    var directives = CacheDirectives()
    directives.freshSeconds = fresh
    let reply = HTTPReply(
      status: 200, fields: HTTPFields([(name: "ETag", value: "\"1\"")]), body: [])
    let trail = RedirectTrail(from: try FeedAddress("https://e.org/feed"))
    return .fetched(
      FetchedDocument(reply, trail: trail, directives: directives, storage: StoragePolicy()))
  }

  private func failed(_ cause: FetchError.Cause = .closedEarly, retryAfter: Int? = nil)
    -> FetchOutcome
  {
    .failed(
      FetchError(
        cause, operation: .fetching, url: "https://e.org/feed", retryAfterSeconds: retryAfter))
  }

  private func wait(_ record: FetchRecord) -> Int64? {
    record.due.map { $0.secondsSince1970 - now.secondsSince1970 }
  }

  @Test func aFeedThatWasNeverFetchedIsDue() {
    #expect(policy.isDue(FetchRecord(), now: now))
  }

  @Test(
    arguments: [
      (nil, nil, 3_600), (0, nil, 3_600), (7_200, nil, 7_200), (1 << 40, nil, 86_400),
      (nil, 10, 300), (60, 600, 600), (1_800, 600, 1_800),
    ] as [(Int?, Int?, Int64)])
  func itIsDueAfterItsIntervalOrWhatTheServerSaysWithinClamps(
    fresh: Int?, interval: Int?, seconds: Int64
  ) throws {
    let record = after(try fetched(fresh: fresh), interval: interval)
    #expect(wait(record) == seconds)
    #expect(!policy.isDue(record, now: now.adding(Int(seconds) - 1)))
    #expect(policy.isDue(record, now: now.adding(Int(seconds))))
    #expect(record.validators?.entityTag == "\"1\"")
  }

  @Test func anIntervalThatIsLongerThanAnyOtherWaitIsKept() throws {
    let weeks = 5 * 7 * 86_400
    let record = after(try fetched(fresh: nil), interval: weeks)
    #expect(!policy.isDue(record, now: now, interval: weeks))
    #expect(!policy.isDue(record, now: now.adding(weeks - 1), interval: weeks))
    #expect(policy.isDue(record, now: now.adding(weeks), interval: weeks))
    // By a clock that was a year ahead.
    let wrong = now.adding(-366 * 86_400)
    #expect(policy.isDue(record, now: wrong, interval: weeks))
  }

  @Test func whoAsksForAFeedWaitsForFiveMinutesAtMost() throws {
    let record = after(try fetched(fresh: 7_200))
    #expect(!policy.isDue(record, now: now.adding(299), isAsked: true))
    #expect(policy.isDue(record, now: now.adding(300), isAsked: true))
    #expect(policy.isDue(after(failed(), record), now: now.adding(1), isAsked: true))
  }

  @Test func failuresWaitLongerEachTimeUpToADay() {
    var record = FetchRecord()
    var waits: [Int64?] = []
    for _ in 1...10 {
      record = after(failed(), record)
      waits.append(wait(record))
    }
    #expect(waits == [600, 1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 76_800, 86_400, 86_400])
    #expect(policy.backOff(failures: .max, jitter: 1) == 86_400)
  }

  @Test func whatFailedTogetherIsSpreadByTheJitter() {
    #expect(policy.backOff(failures: 3, jitter: 0) == 1_200)
    #expect(policy.backOff(failures: 3, jitter: 0.5) == 1_800)
    #expect(policy.backOff(failures: 1, jitter: 0) == 300)
  }

  /// Lesson 29: be polite.
  @Test func whatTheServerAsksIsObeyedAlsoByWhoAsksButNotForEver() {
    let record = after(failed(.status(503), retryAfter: 5_000))
    #expect(wait(record) == 5_000)
    #expect(!policy.isDue(record, now: now.adding(4_999), isAsked: true))
    #expect(policy.isDue(record, now: now.adding(5_000), isAsked: true))
    #expect(wait(after(failed(.status(429), retryAfter: 1 << 40))) == 86_400)
    #expect(wait(after(failed(.status(429), retryAfter: 0), jitter: 0)) == 300)
  }

  @Test func successEndsTheBackOff() throws {
    let record = after(try fetched(fresh: nil), after(failed(), after(failed(retryAfter: 900))))
    #expect(record.failures == 0)
    #expect(record.heldUntil == nil)
    #expect(wait(record) == 3_600)
  }

  /// Lesson 29: be polite.
  @Test func aFeedThatIsGoneIsNeverAskedForAgain() {
    let record = after(
      .gone(FetchError(.status(410), operation: .fetching, url: "https://e.org/feed")))
    #expect(record.isStopped)
    #expect(!policy.isDue(record, now: now.adding(1 << 40), isAsked: true))
  }

  @Test func aFeedThatWasPostponedHasNotFailed() {
    var before = FetchRecord()
    before.failures = 2
    let record = after(.postponed(seconds: 900), before)
    #expect(record.failures == 2)
    #expect(record.lastAttempt == nil)
    #expect(wait(record) == 900)
    #expect(!policy.isDue(record, now: now.adding(899), isAsked: true))
  }

  @Test func timesThatAWrongClockWroteDoNotCount() throws {
    var record = after(try fetched(fresh: nil))
    let year = 365 * 86_400
    record.due = now.adding(20 * year)
    record.heldUntil = now.adding(20 * year)
    record.lastFetched = now.adding(20 * year)
    #expect(policy.isDue(record, now: now))
    #expect(policy.isDue(record, now: now, isAsked: true))
  }

  @Test func aRecordSurvivesBeingWrittenAndOneWithLessIsRead() throws {
    var record = after(failed(retryAfter: 900), after(try fetched(fresh: 60)))
    record.isStopped = true
    let data = try JSONEncoder().encode(record)
    #expect(try JSONDecoder().decode(FetchRecord.self, from: data) == record)
    let empty = try JSONDecoder().decode(FetchRecord.self, from: Data(#"{"new":1}"#.utf8))
    #expect(empty == FetchRecord())
  }
}
