import FileCoordination

/// Runs tasks that read files and wait for disks, on threads of their own: those that all tasks
/// share are as many as there are cores, and must not wait.
///
/// Nor do they wait on a queue of Dispatch's, whose threads those are, too: with two kept on a
/// machine with two cores no other task goes on for a second.
package final class BlockingExecutor: TaskExecutor {
  package static let shared = BlockingExecutor()
  private let calls: BlockingCalls

  /// - parameter most: How many threads there may be: as many as Dispatch would have, since each
  ///   may wait for the same database. Tasks that come while all wait, wait for one.
  package init(most: Int = 64) { calls = BlockingCalls(most: most) }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    calls.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
