import SystemPackage

/// How a barrier was completed; all but ``seen`` leave open what has been delivered.
package enum BarrierOutcome: Hashable, Sendable {
  /// All events of what happened before have been delivered.
  case seen
  /// Events may have been lost; a rescan of everything has been asked for.
  case overflow
  /// The cookie could not be touched, or watching failed; `notSupported` when polling.
  case failed(Errno)
  /// The cookie was not seen in time.
  case deadline
  /// The watcher was stopped, or the task that waited was cancelled.
  case stopped
}

/// The barriers that wait, by the numbers of their cookies.
///
/// A barrier is completed once, by whatever comes first, which may be before it waits.
struct BarrierTable {
  typealias Continuation = CheckedContinuation<BarrierOutcome, Never>

  private enum Barrier {
    case reserved
    case waiting(Continuation)
    case completed(BarrierOutcome)
  }
  private var barriers: [UInt64: Barrier] = [:]
  // 0 is the cookie that only wakes.
  private var last: UInt64 = 0

  /// A number for a new barrier, which can be completed from now on.
  mutating func reserve() -> UInt64 {
    last += 1
    barriers[last] = .reserved
    return last
  }

  /// Has `continuation` wait, unless the barrier is completed: then its outcome.
  mutating func wait(_ id: UInt64, _ continuation: Continuation) -> BarrierOutcome? {
    if case .completed(let outcome) = barriers[id] {
      barriers[id] = nil
      return outcome
    }
    barriers[id] = .waiting(continuation)
    return nil
  }

  /// Completes a barrier; returns who is to be resumed with the outcome.
  mutating func complete(_ id: UInt64, _ outcome: BarrierOutcome) -> Continuation? {
    switch barriers[id] {
    case .reserved:
      barriers[id] = .completed(outcome)
      return nil
    case .waiting(let continuation):
      barriers[id] = nil
      return continuation
    case .completed, nil:
      return nil
    }
  }

  /// Completes all barriers; returns who is to be resumed with the outcome.
  mutating func completeAll(_ outcome: BarrierOutcome) -> [Continuation] {
    barriers.keys.compactMap { complete($0, outcome) }
  }
}
