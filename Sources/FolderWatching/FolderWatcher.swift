import Synchronization
import SystemPackage

/// Tells when to look into a container's `logs/`.
///
/// Subscribe, then scan: what changes after ``start(_:)`` has returned is told, by inotify where
/// that sees all, else by a rescan every few seconds. Call ``stop()`` when done: a watcher that
/// is dropped goes on.
///
///     let watcher = FolderWatcher(container: "/home/ann/Sync/feeds", cookies: state)
///     let mode = try await watcher.start { events.yield($0) }
///     scanEverything()
package final class FolderWatcher: Sendable {
  /// How often everything is rescanned.
  package struct Intervals: Sendable {
    /// When polling.
    package var polling: Duration = .seconds(5)
    /// When inotify tells of changes, as a safety net; the only wake-up of an idle watcher.
    package var safety: Duration = .seconds(300)

    /// The intervals that are used unless others are asked for.
    package init(polling: Duration = .seconds(5), safety: Duration = .seconds(300)) {
      self.polling = polling
      self.safety = safety
    }
  }

  private struct State {
    var backend: any WatchBackend
    var isRunning = false
    var mode: WatchMode?
    var ticker: Task<Void, Never>?
    var barriers = BarrierTable()
  }
  private let state: Mutex<State>
  private let intervals: Intervals
  private let clock: any Clock<Duration>

  /// A watcher that uses inotify where it can.
  ///
  /// - parameters:
  ///   - container: The container; its `logs/` need not be there yet.
  ///   - cookies: A directory in the local state for cookie files alone; made if it is missing.
  package convenience init(
    container: FilePath, cookies: FilePath, intervals: Intervals = Intervals(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let backend = InotifyToolsBackend(container: container, cookies: cookies)
    self.init(backend: backend, intervals: intervals, clock: clock)
  }

  /// A watcher over a backend of the caller's.
  package init(
    backend: any WatchBackend, intervals: Intervals = Intervals(),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    state = Mutex(State(backend: backend))
    self.intervals = intervals
    self.clock = clock
  }

  /// How changes are found now; nil before ``start(_:)``.
  package var mode: WatchMode? { state.withLock { $0.mode } }

  /// Begins to watch, and returns how.
  ///
  /// - parameters:
  ///   - deliver: Is called with one event at a time, on a thread of the watcher: it should note
  ///     the event and return. The kernel's queue fills while it does not.
  /// - throws: ``WatchError/alreadyRunning`` if there is a running watcher in this process. All
  ///   else that goes wrong ends in polling.
  package func start(
    _ deliver: @escaping @Sendable (FolderEvent) -> Void
  ) async throws(WatchError) -> WatchMode {
    let backend: (any WatchBackend)? = state.withLock { state in
      defer { state.isRunning = true }
      return state.isRunning ? nil : state.backend
    }
    guard let backend else { throw .alreadyRunning }
    do {
      let mode = try await backend.start { self.handle($0, deliver: deliver) }
      // A signal may have come first, and then it knows better.
      state.withLock { $0.mode = $0.mode ?? mode }
    } catch {
      guard case .unavailable(let reason) = error else {
        state.withLock { $0.isRunning = false }
        throw error
      }
      poll(reason: reason, deliver: deliver)
    }
    return startTicker()
  }

  /// Waits until every event of what has happened before this call has been delivered.
  ///
  /// - parameters:
  ///   - deadline: How long to wait at most, by the watcher's clock.
  /// - returns: ``BarrierOutcome/seen``, or why that is not known. Then a rescan is what tells.
  package func barrier(deadline: Duration) async -> BarrierOutcome {
    let (id, backend) = state.withLock { state in
      (state.isRunning ? state.barriers.reserve() : nil, state.backend)
    }
    guard let id else { return .stopped }
    let clock = clock
    let timer = Task {
      try? await clock.sleep(for: deadline)
      self.complete(id, .deadline)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early = state.withLock { $0.barriers.wait(id, continuation) }
        if let early { return continuation.resume(returning: early) }
        do throws(Errno) {
          try backend.touchCookie(id)
        } catch {
          complete(id, .failed(error))
        }
      }
    } onCancel: {
      complete(id, .stopped)
    }
  }

  /// Ends watching; nothing is delivered after it has returned.
  ///
  /// Not to be called from within `deliver`'s thread by blocking it.
  package func stop() async {
    let (backend, ticker) = state.withLock { ($0.backend, $0.ticker) }
    ticker?.cancel()
    await backend.stop()
    // The backend may have ended by itself meanwhile and left polling in its place.
    await state.withLock { $0.backend }.stop()
    state.withLock { state in
      state.isRunning = false
      state.ticker?.cancel()
      state.ticker = nil
    }
    completeAll(.stopped)
  }
}

// MARK: - Signals and ticks

extension FolderWatcher {
  private func handle(_ signal: WatchSignal, deliver: @escaping @Sendable (FolderEvent) -> Void) {
    switch signal {
    case .cookie(let id):
      complete(id, .seen)
    case .ended(let reason):
      poll(reason: reason, deliver: deliver)
      _ = startTicker()
      deliver(.mode(.polling(reason)))
      deliver(.rescan)
      completeAll(.overflow)
    case .event(let event):
      if case .mode(let mode) = event {
        state.withLock { $0.mode = mode }
        _ = startTicker()
      }
      deliver(event)
      // Delivered first: who waits at a barrier finds that everything is to be rescanned.
      switch event {
      case .overflow, .rootGone: completeAll(.overflow)
      case .failed(let errno): completeAll(.failed(errno))
      case .changed, .appeared, .rescan, .mode: break
      }
    }
  }

  private func poll(reason: PollingReason, deliver: @escaping @Sendable (FolderEvent) -> Void) {
    let polling = PollingBackend(reason: reason)
    polling.begin { self.handle($0, deliver: deliver) }
    state.withLock { state in
      state.backend = polling
      state.mode = .polling(reason)
    }
  }

  /// Ticks at the interval of the mode, in place of any ticker before.
  private func startTicker() -> WatchMode {
    state.withLock { state in
      let mode = state.mode ?? .inotify
      let interval = mode == .inotify ? intervals.safety : intervals.polling
      let clock = clock
      state.ticker?.cancel()
      state.ticker = Task { [weak self] in
        while (try? await clock.sleep(for: interval)) != nil, !Task.isCancelled {
          guard let backend = self?.state.withLock({ $0.backend }) else { return }
          backend.tick()
        }
      }
      return mode
    }
  }

  private func complete(_ id: UInt64, _ outcome: BarrierOutcome) {
    state.withLock { $0.barriers.complete(id, outcome) }?.resume(returning: outcome)
  }

  private func completeAll(_ outcome: BarrierOutcome) {
    for waiting in state.withLock({ $0.barriers.completeAll(outcome) }) {
      waiting.resume(returning: outcome)
    }
  }
}
