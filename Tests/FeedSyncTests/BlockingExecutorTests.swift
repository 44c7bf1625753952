import Dispatch
import FeedSync
import Testing

@Suite("Tasks that wait for a disk") struct BlockingExecutorTests {
  /// More than Dispatch has threads at most.
  private static let many = 600
  private let gate = DispatchSemaphore(value: 0)

  private func wait() { gate.wait() }

  @Test("keep no other task from running, however many wait", .timeLimit(.minutes(1)))
  func others() async {
    let executor = BlockingExecutor(most: 8)
    let waiting = (0..<Self.many).map { _ in Task(executorPreference: executor) { wait() } }
    await Task { for _ in waiting { gate.signal() } }.value
    for task in waiting { await task.value }
  }
}
