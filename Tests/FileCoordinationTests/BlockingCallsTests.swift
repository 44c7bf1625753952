import Dispatch
import FileCoordination
import Synchronization
import Testing

@Suite("Calls that may be kept") struct BlockingCallsTests {
  /// Counts calls that are kept until they are let go, one after another.
  private final class Gate: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    private let begun = DispatchSemaphore(value: 0)
    private let opening = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    var most: Int { counts.withLock { $0.most } }

    func pass() {
      counts.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      begun.signal()
      opening.wait()
      counts.withLock { $0.now -= 1 }
      ended.signal()
    }

    func waitUntilBegun(_ count: Int) { for _ in 0..<count { begun.wait() } }

    func letGo(_ count: Int) {
      for _ in 0..<count {
        opening.signal()
        ended.wait()
      }
    }
  }

  @Test("run all at once", .timeLimit(.minutes(1)))
  func together() {
    let (calls, gate) = (BlockingCalls(), Gate())
    for _ in 0..<16 { calls.run { gate.pass() } }
    gate.waitUntilBegun(16)
    gate.letGo(16)
    #expect(gate.most == 16)
  }

  @Test("run one after another where there may be no more threads", .timeLimit(.minutes(1)))
  func limited() {
    let (calls, gate) = (BlockingCalls(most: 2), Gate())
    for _ in 0..<20 { calls.run { gate.pass() } }
    gate.waitUntilBegun(2)
    gate.letGo(20)
    #expect(gate.most == 2)
  }

  @Test("run, too, after the threads have waited for nothing", .timeLimit(.minutes(1)))
  func afterRest() {
    let calls = BlockingCalls(patience: 0)
    for _ in 0..<1000 {
      let gate = Gate()
      for _ in 0..<3 { calls.run { gate.pass() } }
      gate.waitUntilBegun(3)
      gate.letGo(3)
    }
  }
}
