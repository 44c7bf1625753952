import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    let until: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var now = Instant(offset: .zero)
    var last = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
  }
  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }

  /// The times, from the start, that somebody sleeps until.
  var wakeUps: [Duration] {
    state.withLock { $0.sleepers.values.map(\.until.offset).sorted() }
  }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.value.until <= now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.last += 1
      return state.last
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if deadline <= state.now || state.cancelled.contains(id) { return true }
          state.sleepers[id] = Sleeper(until: deadline, continuation: continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
