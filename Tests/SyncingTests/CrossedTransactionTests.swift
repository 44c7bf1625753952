import Dispatch
import DocumentStorage
import Synchronization
import TestSupport
import Testing

/// What threads do with several databases at once: in one process nothing else ends such a wait.
@Suite("A transaction inside one of another database") struct CrossedTransactionTests {
  private let directories: [TemporaryDirectory]
  private let first: StoreDatabase
  private let second: StoreDatabase

  init() throws {
    directories = [try TemporaryDirectory(), try TemporaryDirectory()]
    first = try StoreDatabase(directory: directories[0].path)
    second = try StoreDatabase(directory: directories[1].path)
  }

  @Test("runs, and none runs inside itself")
  func nested() throws {
    #expect(try first.readSnapshot { _ in try second.readSnapshot { _ in 1 } } == 1)
    #expect(throws: StorageError.nested) {
      try first.readSnapshot { _ in
        try second.readSnapshot { _ in try first.readSnapshot { _ in } }
      }
    }
  }

  @Test("waits for its turn, and is refused where whoever has that waits for the outer one")
  func crossed() throws {
    let done = DispatchGroup()
    let inFirst = DispatchSemaphore(value: 0)
    let inSecond = DispatchSemaphore(value: 0)
    let refused = Mutex<[Bool]>([])
    let ways = [
      (outer: first, inner: second, mine: inFirst, others: inSecond),
      (outer: second, inner: first, mine: inSecond, others: inFirst),
    ]
    for way in ways {
      DispatchQueue.global().async(group: done) {
        let outcome = Result {
          try way.outer.readSnapshot { _ in
            way.mine.signal()
            way.others.wait()
            try way.inner.readSnapshot { _ in }
          }
        }
        refused.withLock { $0.append(Self.isRefused(outcome)) }
      }
    }
    try #require(done.wait(timeout: .now() + 60) == .success, "they wait for one another")
    // The other one has its turn then.
    #expect(refused.withLock { $0.sorted { !$0 && $1 } } == [false, true])
  }

  private static func isRefused(_ outcome: Result<Void, any Error>) -> Bool {
    do {
      try outcome.get()
      return false
    } catch StorageError.crossed {
      return true
    } catch {
      Issue.record(error)
      return false
    }
  }
}
