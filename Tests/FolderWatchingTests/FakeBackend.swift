import FolderWatching
import Synchronization
import SystemPackage

/// A backend that behaves as inotify does, and as badly, when a test tells it to.
///
/// It queues signals until ``release(_:)``, merges equal neighbours, and loses what comes when
/// the queue is full, saying so once.
final class FakeBackend: WatchBackend {
  private struct State {
    var deliver: (@Sendable (WatchSignal) -> Void)?
    var queue: [WatchSignal] = []
    var isHolding = false
    var touchFailure: Errno?
  }
  private let state = Mutex(State())
  private let capacity: Int
  private let failure: WatchError?

  init(capacity: Int = 16, failure: WatchError? = nil) {
    self.capacity = capacity
    self.failure = failure
  }

  func start(
    deliver: @escaping @Sendable (WatchSignal) -> Void
  ) async throws(WatchError) -> WatchMode {
    if let failure { throw failure }
    state.withLock { $0.deliver = deliver }
    return .inotify
  }

  func touchCookie(_ id: UInt64) throws(Errno) {
    if let failure = state.withLock({ $0.touchFailure }) { throw failure }
    send(.cookie(id))
  }

  func tick() { send(.event(.rescan)) }

  func stop() async { state.withLock { $0.deliver = nil } }

  /// The kernel has something to say.
  func send(_ signal: WatchSignal) {
    state.withLock { state in
      if state.queue.last == signal || state.queue.last == .event(.overflow) { return }
      state.queue.append(state.queue.count < capacity ? signal : .event(.overflow))
    }
    if !state.withLock({ $0.isHolding }) { release(.max) }
  }

  /// Has the queue fill from now on.
  func hold() { state.withLock { $0.isHolding = true } }

  /// Has cookies fail from now on.
  func failTouches(_ errno: Errno) { state.withLock { $0.touchFailure = errno } }

  /// Delivers so many of the queue.
  func release(_ count: Int) {
    for _ in 0..<count {
      let (deliver, signal) = state.withLock { state in
        (state.deliver, state.queue.isEmpty ? nil : state.queue.removeFirst())
      }
      guard let deliver, let signal else { return }
      deliver(signal)
    }
  }

  /// Changes the order of what is queued, as a backend with several queues would.
  func reorder(by order: ([WatchSignal]) -> [WatchSignal]) {
    state.withLock { $0.queue = order($0.queue) }
  }

  var queued: Int { state.withLock { $0.queue.count } }
}
