import Dispatch
import SystemFiles
import SystemPackage

/// Finds out whether the system gives this process as many threads as a command takes.
///
///     try ThreadTrial.run(count: 4)
///
/// Before it does anything: where Dispatch, on which tasks and the database run, is refused one, it
/// tries again each second, without end and without a word.
package enum ThreadTrial {
  /// Starts a thread that nobody joins.
  package typealias Starter = (@escaping @Sendable () -> Void) throws(Errno) -> Void

  /// - parameter count: So many at once.
  /// - throws: ``FeedSyncError`` with `.tryAgain` if there are fewer.
  package static func run(count: Int) throws {
    let isOver = DispatchSemaphore(value: 0)
    var started = 0
    defer { for _ in 0..<started { isOver.signal() } }
    while started < count {
      do throws(Errno) {
        try DetachedThread.run { isOver.wait() }
      } catch {
        throw refusal(error)
      }
      started += 1
    }
  }

  /// What is said where the system gives no thread.
  package static func refusal(_ error: Errno) -> FeedSyncError {
    FeedSyncError(
      .tryAgain, operation: "start a thread",
      message: "the system gives this process too few threads: \(error.description)",
      hint: "end other programs, or raise what limits processes or memory: 'ulimit -u',"
        + " 'ulimit -v', TasksMax of a systemd unit, pids.max of a container")
  }
}
