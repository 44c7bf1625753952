import Synchronization
import SystemFiles
import SystemPackage

/// Threads as the system gives them, or refuses them when it has no more.
final class ThreadSupply: Sendable {
  private struct State {
    var isExhausted = false
    var refusals = 0
  }

  private let state: Mutex<State>

  init(isExhausted: Bool = false) { state = Mutex(State(isExhausted: isExhausted)) }

  /// How often a thread was refused.
  var refusals: Int { state.withLock { $0.refusals } }

  func exhaust() { state.withLock { $0.isExhausted = true } }
  func replenish() { state.withLock { $0.isExhausted = false } }

  func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let isRefused = state.withLock { state in
      if state.isExhausted { state.refusals += 1 }
      return state.isExhausted
    }
    // What pthread_create(3) says then.
    if isRefused { throw .resourceTemporarilyUnavailable }
    try DetachedThread.run(body)
  }
}
