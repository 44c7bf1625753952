import Foundation
import Synchronization

/// Runs all jobs on one thread, which nothing else runs on.
///
/// So whoever waits on it, and not in a task, keeps all that is to go on there from doing so.
package final class TaskThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let isOver = Mutex(false)
  private let arrived = DispatchSemaphore(value: 0)

  package init() { Thread.detachNewThread { [self] in while runNext() {} } }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrived.signal()
  }

  package func end() {
    isOver.withLock { $0 = true }
    arrived.signal()
  }

  private func runNext() -> Bool {
    arrived.wait()
    let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    next?.runSynchronously(on: asUnownedTaskExecutor())
    return next != nil || !isOver.withLock(\.self)
  }
}
