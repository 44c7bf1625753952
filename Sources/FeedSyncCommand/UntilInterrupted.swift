import Foundation
import Synchronization

/// Runs work that follows something, until it ends or SIGINT or SIGTERM asks for it.
///
///     try await UntilInterrupted.run { for try await change in changes { … } }
enum UntilInterrupted {
  /// How long it may take to end, and what is left to do then; together less than the unit of
  /// 'service install' allows (TimeoutStopSec).
  private static let endingSeconds: UInt32 = 15
  private static let leavingSeconds = 12

  /// What is left to do where the work does not end.
  final class Leaving: Sendable {
    private let work = Mutex<(@Sendable () -> Void)?>(nil)

    /// - parameter work: May be done beside what does not end, which may go on meanwhile.
    func set(_ work: @escaping @Sendable () -> Void) { self.work.withLock { $0 = work } }

    /// Does it, for a while: whoever reads what it tells may be what keeps all from ending.
    fileprivate func perform(seconds: Int) {
      guard let work = work.withLock(\.self) else { return }
      let isDone = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        work()
        isDone.signal()
      }
      _ = isDone.wait(timeout: .now() + .seconds(seconds))
    }
  }

  /// - throws: What the work throws; that it was asked to end is no error.
  static func run(
    _ leaving: Leaving = Leaving(), _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    // Before the first line is printed: whoever reads that may send a signal.
    let interruption = Interruption(endsAtSecond: false)
    let work = Task { try await body() }
    let signals = try interruption.onRequest {
      // A call to a file system that does not answer cannot be ended. Nothing is lost by leaving:
      // what is not committed is imported again. Before anything that may wait for one itself.
      Thread.detachNewThread {
        sleep(endingSeconds)
        leaving.perform(seconds: leavingSeconds)
        _exit(0)
      }
      work.cancel()
    }
    defer { signals.cancel() }
    do {
      try await work.value
    } catch is CancellationError {
      return
    }
  }
}
