import FeedReading

/// When a feed is fetched, and when again after what came of it, in seconds.
///
///     if policy.isDue(record, now: now) { … }
///     record = policy.record(record, after: outcome, now: now, jitter: .random(in: 0..<1))
public struct FetchPolicy: Sendable, Equatable {
  /// A feed that just came is not fetched again within this time, whoever asks.
  public var minimumFreshSeconds = 5 * 60
  /// Between two fetches of a feed without an interval of its own.
  public var intervalSeconds = 60 * 60
  /// A server that says its answers are fresh for longer is asked all the same after this time.
  public var maximumFreshSeconds = 24 * 3_600
  /// The wait after the first failure; it doubles with each further one.
  public var firstBackOffSeconds = 10 * 60
  /// The longest wait between failures.
  public var maximumBackOffSeconds = 24 * 3_600
  /// The longest that a server's `Retry-After` is obeyed.
  public var maximumRetryAfterSeconds = 24 * 3_600

  /// The usual policy.
  public init() {}

  /// Whether a feed is to be fetched now.
  ///
  /// - parameter interval: The feed's own interval in seconds, if it has one.
  /// - parameter isAsked: Whether a user asks for this feed, who does not wait for the interval or
  ///   the back-off, but for the least freshness and for what the server asked.
  public func isDue(
    _ record: FetchRecord, now: FeedInstant, interval: Int? = nil, isAsked: Bool = false
  ) -> Bool {
    guard !record.isStopped else { return false }
    if let held = record.heldUntil, isAhead(held, of: now, interval) { return false }
    if isAsked {
      guard let last = record.lastFetched, last <= now else { return true }
      return record.failures > 0 || now >= last.adding(minimumFreshSeconds)
    }
    guard let due = record.due else { return true }
    return !isAhead(due, of: now, interval)
  }

  /// Whether a time is still to come.
  ///
  /// One that is further off than any wait was written down by a clock that was wrong, and does not
  /// count.
  private func isAhead(_ time: FeedInstant, of now: FeedInstant, _ interval: Int?) -> Bool {
    let longest = max(maximumFreshSeconds, maximumBackOffSeconds, maximumRetryAfterSeconds)
    return time > now
      && time <= now.adding(max(longest, intervalSeconds, interval ?? 0, 31 * 86_400))
  }

  /// What to keep after a fetch.
  ///
  /// - parameter interval: The feed's own interval in seconds, if it has one.
  /// - parameter jitter: A random number in `0..<1`, which spreads what failed together.
  public func record(
    _ record: FetchRecord, after outcome: FetchOutcome, now: FeedInstant, interval: Int? = nil,
    jitter: Double
  ) -> FetchRecord {
    var next = record
    if case .postponed(let seconds) = outcome {
      // The feed itself was not asked for: nothing is known about it.
      next.heldUntil = now.adding(held(seconds))
      next.due = max(record.due ?? now, now.adding(held(seconds)))
      return next
    }
    next.lastAttempt = now
    next.heldUntil = nil
    switch outcome {
    case .fetched(let document):
      next.validators = document.validators
      succeed(&next, now: now, fresh: document.directives.freshSeconds, interval: interval)
    case .notModified(let answer):
      next.validators = answer.validators ?? record.validators
      succeed(&next, now: now, fresh: answer.directives.freshSeconds, interval: interval)
    case .gone:
      next.isStopped = true
    case .failed(let error):
      fail(&next, now: now, retryAfter: error.retryAfterSeconds, jitter: jitter)
    case .postponed: break
    }
    return next
  }

  private func succeed(_ record: inout FetchRecord, now: FeedInstant, fresh: Int?, interval: Int?) {
    record.lastFetched = now
    record.failures = 0
    let wanted = max(interval ?? intervalSeconds, minimumFreshSeconds)
    record.due = now.adding(max(wanted, min(fresh ?? 0, maximumFreshSeconds)))
  }

  private func fail(
    _ record: inout FetchRecord, now: FeedInstant, retryAfter: Int?, jitter: Double
  ) {
    record.failures += 1
    var wait = backOff(failures: record.failures, jitter: jitter)
    if let retryAfter {
      record.heldUntil = now.adding(held(retryAfter))
      wait = max(wait, held(retryAfter))
    }
    record.due = now.adding(wait)
  }

  private func held(_ seconds: Int) -> Int {
    min(max(seconds, minimumFreshSeconds), maximumRetryAfterSeconds)
  }

  /// The wait after so many failures: between half and all of what has doubled up to the limit.
  func backOff(failures: Int, jitter: Double) -> Int {
    let doublings = min(max(failures - 1, 0), 30)
    let whole = min(
      Double(firstBackOffSeconds) * Double(1 << doublings), Double(maximumBackOffSeconds))
    let wait = Int(whole / 2 + whole / 2 * min(max(jitter, 0), 1))
    return max(wait, minimumFreshSeconds)
  }
}

extension FeedInstant {
  func adding(_ seconds: Int) -> FeedInstant {
    FeedInstant(secondsSince1970: secondsSince1970 + Int64(seconds))
  }
}
