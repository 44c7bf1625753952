import Dispatch
import Synchronization

/// Lets a program's first thread wait for what is asynchronous.
///
///     try WaitingThread.run { try await command.run() }
///
/// A program whose beginning is asynchronous ends that thread before it does anything, and goes on
/// on one of Dispatch's: where there is none for it, it waits for ever without a word.
package enum WaitingThread {
  /// Waits until `body`, on another thread, has come to its end.
  ///
  /// - throws: What `body` throws.
  package static func run(_ body: @escaping () async throws -> Void) throws {
    let execution = Execution(body)
    let isOver = DispatchSemaphore(value: 0)
    Task.detached {
      await execution.run()
      isOver.signal()
    }
    isOver.wait()
    try execution.outcome.withLock { try $0?.get() }
  }

  /// What is handed from the first thread to that of a task.
  ///
  /// Unchecked, since commands are not `Sendable`: the first thread does nothing with it between
  /// the task's beginning and its end, which the semaphore orders.
  private final class Execution: @unchecked Sendable {
    private let body: () async throws -> Void
    let outcome = Mutex<Result<Void, any Error>?>(nil)

    init(_ body: @escaping () async throws -> Void) { self.body = body }

    func run() async {
      let result: Result<Void, any Error>
      do {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      outcome.withLock { $0 = result }
    }
  }
}
