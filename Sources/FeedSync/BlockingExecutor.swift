import Dispatch

/// Runs tasks that read files and wait for disks, on threads of Dispatch's: those that all tasks
/// share are as many as there are cores, and must not wait.
package final class BlockingExecutor: TaskExecutor {
  package static let shared = BlockingExecutor()
  private let queue = DispatchQueue(label: "feedsync.blocking", attributes: .concurrent)

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
