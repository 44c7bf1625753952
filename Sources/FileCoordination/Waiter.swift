import Dispatch
import Synchronization

/// Threads that wait for a result, which may come before they wait.
final class Waiter<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, CoordinationError>?
    var bell: Bell?
  }

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  /// Hands over the result; the first one counts.
  func finish(_ value: Result<Value, CoordinationError>) {
    let bell = state.withLock { state -> Bell? in
      guard state.result == nil else { return nil }
      state.result = value
      arrived.signal()
      return state.bell
    }
    bell?.ring()
  }

  /// Has a bell be rung when there is a result; nil: none.
  ///
  /// - returns: false if there is one already.
  func announce(by bell: Bell?) -> Bool {
    state.withLock { state in
      state.bell = bell
      return state.result == nil
    }
  }

  /// Blocks until there is a result; nil when the time is up.
  func wait(for limit: Duration?) -> Result<Value, CoordinationError>? {
    if let value = state.withLock({ $0.result }) { return value }
    if let limit {
      let nanoseconds = Int(clamping: limit.wholeNanoseconds)
      guard arrived.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
        return state.withLock { $0.result }
      }
    } else {
      arrived.wait()
    }
    // For the next one that waits.
    arrived.signal()
    return state.withLock { $0.result }
  }
}
