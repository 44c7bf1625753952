import Synchronization
import SystemPackage

/// Finds changes by having everything rescanned at each tick.
package final class PollingBackend: WatchBackend {
  private let reason: PollingReason
  private let deliver = Mutex<(@Sendable (WatchSignal) -> Void)?>(nil)

  /// A backend that gives `reason` for not doing better.
  package init(reason: PollingReason) { self.reason = reason }

  package func start(
    deliver: @escaping @Sendable (WatchSignal) -> Void
  ) async throws(WatchError) -> WatchMode {
    begin(deliver: deliver)
    return .polling(reason)
  }

  /// Starts without waiting, which ``start(deliver:)`` cannot promise to its caller.
  func begin(deliver: @escaping @Sendable (WatchSignal) -> Void) {
    self.deliver.withLock { $0 = deliver }
  }

  package func touchCookie(_ id: UInt64) throws(Errno) { throw .notSupported }

  package func tick() {
    let deliver = self.deliver.withLock { $0 }
    deliver?(.event(.rescan))
  }

  package func stop() async { deliver.withLock { $0 = nil } }
}
