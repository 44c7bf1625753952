import FolderWatching

/// Decides when a ``MetadataQuery`` reads what: it has no clock and does nothing itself.
///
/// First everything is gathered. Then the first hint begins an interval; at its end, all that was
/// hinted at meanwhile is read, as one update. Beyond that everything is read again from time to
/// time: often where hints do not tell of all, seldom where they do, as a safety net; but no sooner
/// than an interval after the last reading, lest there be more than one update for each.
///
///     var pace = MetadataPace(interval: .seconds(1))
///     pace.next(now: .zero)                                 // .gather
///     pace.finished(.everything, isWatched: true, now: .zero)
///     pace.hint(.folders(["/x"]), now: .seconds(5))
///     pace.next(now: .seconds(5))                           // .wait(until: .seconds(6))
///     pace.next(now: .seconds(6))                           // .read(.folders(["/x"]))
package struct MetadataPace: Sendable {
  /// What the caller does next.
  package enum Action: Hashable, Sendable {
    /// Read everything, and tell all of it.
    case gather
    /// Read again, and tell what has changed.
    case read(FolderHint)
    /// Ask again at this time, or when there is a hint; nil: only then.
    case wait(until: Duration?)
  }

  /// How often everything is read where hints do not tell of all.
  package static let polling = Duration.seconds(5)
  /// How often everything is read where they do.
  package static let safety = Duration.seconds(300)

  /// Longer than any program runs: the clock that is slept by does not count much further.
  private static let longest = Duration.seconds(1 << 32)

  /// How long what is hinted at is gathered; what is longer than the longest counts as that.
  package var interval: Duration { didSet { interval = min(interval, Self.longest) } }
  /// Whether nothing may be told now.
  package var isFrozen = false
  private var isGathering = true
  private var waiting = FolderHint.nothing
  private var waitingSince: Duration?
  private var fullReadingDue: Duration?
  private var lastReading = Duration.zero

  package init(interval: Duration) { self.interval = min(interval, Self.longest) }

  /// Has everything gathered anew.
  package mutating func restart() { isGathering = true }

  /// Notes where something may have changed.
  package mutating func hint(_ hint: FolderHint, now: Duration) {
    guard hint != .nothing else { return }
    waiting = waiting.union(hint)
    waitingSince = waitingSince ?? now
  }

  /// Notes what has been read.
  ///
  /// - parameter isWatched: Whether hints tell of all changes from now on.
  package mutating func finished(_ what: FolderHint, isWatched: Bool, now: Duration) {
    lastReading = now
    if !isWatched {
      // A later full reading is not put off by readings of some folders.
      let due = now + Self.polling
      fullReadingDue = what == .everything ? due : min(due, fullReadingDue ?? due)
    } else if what == .everything {
      fullReadingDue = now + Self.safety
    }
  }

  /// Says what comes next; what is to be read counts as read.
  package mutating func next(now: Duration) -> Action {
    guard !isFrozen else { return .wait(until: nil) }
    if isGathering {
      (isGathering, waiting, waitingSince) = (false, .nothing, nil)
      return .gather
    }
    let full = fullReadingDue.map { max($0, lastReading + interval) }
    if let full, full <= now { return read(.everything) }
    guard let since = waitingSince else { return .wait(until: full) }
    let due = since + interval
    guard due > now else { return read(waiting) }
    return .wait(until: full.map { min($0, due) } ?? due)
  }

  /// Has what could not be told done again, as soon as it may be.
  package mutating func postpone(_ action: Action, now: Duration) {
    switch action {
    case .gather: isGathering = true
    case .read(let what): hint(what, now: now - interval)
    case .wait: break
    }
  }

  private mutating func read(_ what: FolderHint) -> Action {
    (waiting, waitingSince) = (.nothing, nil)
    return .read(what)
  }
}
