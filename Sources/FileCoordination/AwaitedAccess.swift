import Dispatch
import Synchronization
import SystemPackage

/// An access of the asynchronous form, for whoever awaits it: answered once, by what comes first of
/// its end, a failure, a time-out and being cancelled.
final class AwaitedAccess<Value: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Value, any Error>?
    /// Nil until it is known which items its paths mean.
    var access: PendingAccess?
    /// Whether it was answered before its accessor began.
    var isEndedEarly = false
  }

  private let state = Mutex(State())
  private let firstPath: String

  init(firstPath: String) { self.firstPath = firstPath }

  func begin(_ continuation: CheckedContinuation<Value, any Error>) {
    state.withLock { $0.continuation = continuation }
  }

  /// Notes what is to be given up where it ends early; false if it has.
  func found(_ access: PendingAccess) -> Bool {
    state.withLock { state in
      state.access = access
      return !state.isEndedEarly
    }
  }

  /// Whether nobody has answered yet.
  var isAwaited: Bool { state.withLock { $0.continuation != nil } }

  var isEndedEarly: Bool { state.withLock { $0.isEndedEarly } }

  /// Runs the accessor, unless it was answered meanwhile.
  func run(
    _ access: PendingAccess, on paths: [ItemPath],
    _ accessor: @Sendable ([FilePath]) throws -> Value
  ) {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    guard let continuation else { return access.giveBack() }
    continuation.resume(with: Result { try access.run(paths, accessor) })
  }

  func fail(_ error: any Error) { end { _ in error } }

  /// Ends it, also where its turn has come, and it waits for its queue alone.
  func cancel() {
    end { access in access?.withdraw() ?? CoordinationError.cancelled(path: firstPath) }
  }

  /// Ends it after a time, should it not be known by then which items its paths mean.
  func giveUpLookingUp(after limit: Duration?) {
    after(limit) { $0.giveUp(if: { $0 == nil }) }
  }

  /// Ends it after a time, should the arbiter not say that the time is up.
  func giveUpWaiting(after limit: Duration?) { after(limit) { $0.giveUp(if: { _ in true }) } }

  private func giveUp(if condition: (PendingAccess?) -> Bool) {
    end(if: condition) { access in
      access?.giveUp() ?? CoordinationError.timedOut(path: firstPath, waitedFor: [])
    }
  }

  /// A timer goes off long after most accesses are over, which it does not keep.
  private func after(
    _ limit: Duration?, _ body: @escaping @Sendable (AwaitedAccess) -> Void
  ) {
    guard let limit else { return }
    let deadline = DispatchTime.now() + .nanoseconds(Int(clamping: limit.wholeNanoseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { [weak self] in
      if let self { body(self) }
    }
  }

  private func end(
    if condition: (PendingAccess?) -> Bool = { _ in true },
    _ error: (PendingAccess?) -> any Error
  ) {
    let ended = state.withLock { state -> State? in
      guard state.continuation != nil, condition(state.access) else { return nil }
      defer { state.continuation = nil }
      state.isEndedEarly = true
      return state
    }
    guard let ended else { return }
    ended.continuation?.resume(throwing: error(ended.access))
  }
}
