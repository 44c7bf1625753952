import FeedFetching
import FeedLibrary
import FeedReading
import Foundation

/// What this machine keeps of fetching a feed, in the cache beside its items.
///
///     let state = FetchState(try library.fetchState(of: feed.key), of: feed.subscription)
struct FetchState: Equatable, Sendable {
  var record = FetchRecord()
  /// The address that the rest is about.
  var url: String
  /// The minutes between two fetches that `record.due` was made with.
  var interval: Int?
  /// Why the last fetch failed, in words; nil if it did not.
  var problem: String?

  /// Nothing yet.
  init(url: String) { self.url = url }

  /// Reads what was kept.
  ///
  /// What is of another form is as if it were not there: then the feed is fetched whole. So it is
  /// if the subscription has another address by now, be it that another machine moved it.
  init(_ data: Data?, of subscription: Subscription) {
    let kept = data.flatMap { try? JSONDecoder().decode(FetchState.self, from: $0) }
    guard let kept, kept.url == subscription.url else {
      self.init(url: subscription.url)
      // They say for which address they are.
      record.validators = kept?.record.validators
      return
    }
    self = kept
  }

  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }

  /// The record as it is with the interval that the user wants now.
  func record(interval: Int?, policy: FetchPolicy) -> FetchRecord {
    var record = record
    guard interval != self.interval, record.failures == 0, let last = record.lastFetched else {
      return record
    }
    let wanted = interval.map(Subscription.seconds(ofMinutes:)) ?? policy.intervalSeconds
    let seconds = max(wanted, policy.minimumFreshSeconds)
    record.due = FeedInstant(secondsSince1970: last.secondsSince1970 + Int64(seconds))
    return record
  }

  /// What to keep after a fetch.
  func after(
    _ outcome: FetchOutcome, of subscription: Subscription, now: FeedInstant, policy: FetchPolicy,
    jitter: Double
  ) -> FetchState {
    var next = self
    next.url = subscription.url
    next.interval = subscription.interval
    next.record = policy.record(
      record, after: outcome, now: now, interval: subscription.intervalSeconds, jitter: jitter)
    switch outcome {
    case .fetched, .notModified:
      next.problem = nil
      // It has come back, and somebody insisted on looking.
      next.record.isStopped = false
    case .gone(let error), .failed(let error): next.problem = error.message
    case .postponed: break
    }
    return next
  }
}

extension Subscription {
  /// The seconds that pass between two fetches at least; nil for the usual.
  var intervalSeconds: Int? { interval.map(Self.seconds(ofMinutes:)) }

  /// A year at most: the number comes from the folder, and may be any.
  static func seconds(ofMinutes minutes: Int) -> Int { min(max(minutes, 0), 366 * 1_440) * 60 }
}

extension FetchState: Codable {
  private enum CodingKeys: String, CodingKey {
    case record
    case url
    case interval
    case problem
  }
}
