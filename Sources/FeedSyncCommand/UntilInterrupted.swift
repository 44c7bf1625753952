import Foundation

/// Runs work that follows something, until it ends or SIGINT or SIGTERM asks for it.
///
///     try await UntilInterrupted.run { for try await change in changes { … } }
enum UntilInterrupted {
  /// How long it may take to end; more than the commands of 'watch --exec' may.
  private static let leavingSeconds: UInt32 = 15

  /// - throws: What the work throws; that it was asked to end is no error.
  static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    // Before the first line is printed: whoever reads that may send a signal.
    let interruption = Interruption(endsAtSecond: false)
    let work = Task { try await body() }
    let signals = interruption.onRequest {
      // A call to a file system that does not answer cannot be ended. Nothing is lost by leaving:
      // what is not committed is imported again. Before anything that may wait for one itself.
      Thread.detachNewThread {
        sleep(leavingSeconds)
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
