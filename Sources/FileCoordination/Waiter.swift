import Dispatch
import Synchronization

/// A thread that waits for a result, which may come before it waits.
final class Waiter<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, CoordinationError>?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  /// Hands over the result; the first one counts.
  func finish(_ value: Result<Value, CoordinationError>) {
    let isFirst = result.withLock { result in
      guard result == nil else { return false }
      result = value
      return true
    }
    if isFirst { arrived.signal() }
  }

  /// Blocks until there is a result; nil when the time is up.
  func wait(for limit: Duration?) -> Result<Value, CoordinationError>? {
    if let value = result.withLock({ $0 }) { return value }
    if let limit {
      let nanoseconds = Int(clamping: limit.wholeNanoseconds)
      guard arrived.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else {
        return result.withLock { $0 }
      }
    } else {
      arrived.wait()
    }
    return result.withLock { $0 }
  }
}
