import FeedLibrary
import FeedSync

/// What came of fetching one feed.
struct FetchReport: Sendable {
  enum Outcome: Sendable {
    /// It came, and was merged.
    case fetched(ChannelUpdate)
    /// It is the same as last time.
    case unchanged
    /// It was not asked for: its server had just asked to be left alone for so many seconds.
    case postponed(seconds: Int)
    /// It did not come, or could not be merged.
    case failed(LibraryError)
    /// It has ended: it is not fetched any more.
    case gone(LibraryError)
  }

  let feed: SubscribedFeed
  let title: String
  let outcome: Outcome
  /// Where the feed has moved for good, if it has.
  var move: Move?

  struct Move: Equatable, Sendable {
    let url: String
    /// Whether another subscription is there already: then this one stays where it is, since with
    /// two in one place each item would be there twice, and be read in one of them.
    let isTaken: Bool
  }

  var failure: LibraryError? {
    switch outcome {
    case .failed(let error), .gone(let error): error
    case .fetched, .unchanged, .postponed: nil
    }
  }
}

/// What came of fetching many feeds, in numbers.
struct FetchSummary: Equatable, Sendable {
  private(set) var feeds = 0
  private(set) var fetched = 0
  private(set) var newItems = 0
  private(set) var unchanged = 0
  private(set) var moved = 0
  private(set) var gone = 0
  private(set) var failed = 0
  private(set) var postponed = 0
  private(set) var waiting: Int
  private(set) var stopped: Int

  init(_ plan: FetchPlan) {
    (waiting, stopped, postponed) = (plan.waiting, plan.stopped, plan.held)
    feeds = plan.waiting + plan.stopped + plan.held
  }

  mutating func add(_ report: FetchReport) {
    feeds += 1
    if report.move?.isTaken == false { moved += 1 }
    switch report.outcome {
    case .fetched(let update):
      fetched += 1
      newItems += update.new.count
    case .unchanged: unchanged += 1
    case .postponed: postponed += 1
    case .failed: failed += 1
    case .gone: gone += 1
    }
  }

  /// In one line, without what did not happen.
  var text: String {
    let parts = [
      (fetched, "\(fetched) fetched with \(CountText.of(newItems, "new item"))"),
      (unchanged, "\(unchanged) unchanged"),
      (moved, "\(moved) moved"), (failed, "\(failed) failed"), (gone, "\(gone) ended"),
      (postponed, "\(postponed) put off as their servers asked"), (waiting, "\(waiting) not due"),
      (stopped, "\(stopped) stopped"),
    ].filter { $0.0 > 0 }.map(\.1)
    let count = CountText.of(feeds, "feed")
    return parts.isEmpty ? count : count + ": " + parts.joined(separator: ", ")
  }

  var json: JSON {
    [
      "feeds": .number(feeds), "fetched": .number(fetched), "new": .number(newItems),
      "unchanged": .number(unchanged), "moved": .number(moved), "failed": .number(failed),
      "gone": .number(gone), "postponed": .number(postponed), "not_due": .number(waiting),
      "stopped": .number(stopped),
    ]
  }
}
