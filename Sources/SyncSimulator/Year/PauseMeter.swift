import DocumentStorage
import Foundation
import Synchronization

/// How long a device's upkeep keeps others from its database, and itself from ending; and how long
/// its imports do, beside which to see it.
///
/// Both by the wall and by the processor's time of the thread: on a machine that does other things
/// the first has their time in it.
final class PauseMeter: Sendable {
  /// What steps of one kind took.
  struct Times: Codable {
    var count = 0
    var total = 0.0
    var longest = 0.0
    var longestOfProcessor = 0.0
    /// How many took more than 50 ms of the processor.
    var long = 0

    mutating func add(_ wall: Double, _ processor: Double) {
      count += 1
      total += wall
      longest = max(longest, wall)
      longestOfProcessor = max(longestOfProcessor, processor)
      if processor > 0.05 { long += 1 }
    }

    static func += (lhs: inout Times, rhs: Times) {
      lhs.count += rhs.count
      lhs.total += rhs.total
      lhs.longest = max(lhs.longest, rhs.longest)
      lhs.longestOfProcessor = max(lhs.longestOfProcessor, rhs.longestOfProcessor)
      lhs.long += rhs.long
    }
  }

  /// A moment by both clocks, in seconds.
  private struct Moment {
    let wall = PauseMeter.seconds(CLOCK_MONOTONIC)
    let processor = PauseMeter.seconds(CLOCK_THREAD_CPUTIME_ID)
  }

  private struct State {
    /// What stands before the names of what is measured; nil while nothing is.
    var prefix: String?
    var turn: (name: String, since: Moment)?
    var poll: Moment?
    var times: [String: Times] = [:]
  }

  private let state = Mutex(State())

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// For ``StoreDatabase/init(directory:identity:for:beforeWriting:onTurn:)``.
  func note(_ turn: StoreTurn) {
    state.withLock { state in
      guard let prefix = state.prefix else { return }
      switch turn {
      case .began(let step, let isWriting):
        let name = prefix + (isWriting ? "write " : "read ") + step.description
        state.turn = (name, Moment())
      case .ended:
        guard let (name, since) = state.turn else { return }
        state.turn = nil
        Self.add(name, since: since, to: &state)
      }
    }
  }

  /// That the upkeep asked whether to end.
  func poll() {
    state.withLock { state in
      if let since = state.poll { Self.add(Self.step, since: since, to: &state) }
      state.poll = Moment()
    }
  }

  /// What the upkeep does without asking whether to end.
  static let step = "step"
  /// The whole of it.
  static let run = "run"

  /// Measures an upkeep.
  func measure(_ body: () throws -> Void) rethrows {
    let start = Moment()
    state.withLock { state in
      state.prefix = ""
      state.poll = start
    }
    try body()
    poll()
    state.withLock { state in
      state.prefix = nil
      Self.add(Self.run, since: start, to: &state)
    }
  }

  /// Measures the turns of an import, which heeds what others have dropped, too.
  func measureImport(_ body: () throws -> Void) rethrows {
    state.withLock { $0.prefix = "import: " }
    try body()
    state.withLock { $0.prefix = nil }
  }

  private static func add(_ name: String, since: Moment, to state: inout State) {
    let now = Moment()
    state.times[name, default: Times()].add(
      now.wall - since.wall, now.processor - since.processor)
  }

  /// Of each step what it took.
  var times: [String: Times] { state.withLock { $0.times } }
}
