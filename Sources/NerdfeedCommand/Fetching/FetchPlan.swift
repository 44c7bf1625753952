import FeedFetching
import FeedLibrary
import FeedReading

/// How much somebody wants feeds to be fetched.
enum FetchUrgency: Sendable {
  /// Those that are due.
  case due
  /// A user asks: no waiting for the interval, or after failures.
  case asked
  /// A user insists: also those that came just now, and those that have ended.
  case forced
}

/// A feed that could be fetched.
struct FetchCandidate: Equatable, Sendable {
  let feed: SubscribedFeed
  /// What it is called.
  let title: String
  let state: FetchState
}

/// Which feeds are fetched now.
///
///     FetchPlan(candidates, urgency: .due, now: now, policy: policy).due.count
struct FetchPlan: Sendable {
  private(set) var due: [FetchCandidate] = []
  /// How many are left for later: their interval or back-off is not over.
  private(set) var waiting = 0
  /// How many have ended, as their servers said.
  private(set) var stopped = 0
  /// Those whose servers asked to be left alone for longer, which even who insists obeys.
  private(set) var held = 0

  init(
    _ candidates: [FetchCandidate], urgency: FetchUrgency, now: FeedInstant, policy: FetchPolicy
  ) {
    for candidate in candidates {
      var record = candidate.state.record(
        interval: candidate.feed.subscription.interval, policy: policy)
      // A file asks nobody for anything.
      if case .file? = try? FetchTarget(candidate.feed.subscription) {
        due.append(candidate)
        continue
      }
      if urgency == .forced {
        (record.isStopped, record.lastFetched, record.due) = (false, nil, nil)
      }
      let interval = candidate.feed.subscription.intervalSeconds
      if policy.isDue(record, now: now, interval: interval, isAsked: urgency != .due) {
        due.append(candidate)
      } else if record.isStopped {
        stopped += 1
      } else if urgency == .forced {
        held += 1
      } else {
        waiting += 1
      }
    }
  }
}
