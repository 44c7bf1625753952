import FileCoordination
import SystemPackage
import Testing

/// A process that cannot start the thread that hears others does not keep the queue.
@Suite struct ThreadRefusalTests {
  let workshop: Workshop
  let threads = ThreadSupply(isExhausted: true)
  let here: CoordinationDomain
  let file: FilePath

  init() throws {
    workshop = try Workshop()
    here = try workshop.domain(isSilent: true, threads: threads)
    file = try workshop.file("f", "")
  }

  @Test func anAccessWithoutAThreadFailsAndIsNotGrantedByItself() throws {
    let socket = workshop.coordination.appending("arbiter.socket").string
    let error = CoordinationError.noArbiter(
      path: socket, errno: Errno.resourceTemporarilyUnavailable.rawValue)
    for _ in 0..<2 {
      #expect(throws: error) {
        try FileCoordinator(here).write(file) { _ in _ = Issue.record("the accessor was run") }
      }
    }
    #expect(threads.refusals == 2)
  }

  @Test func theQueueIsLeftToOthersWhoAreWaitedForFromThenOn() throws {
    #expect(throws: CoordinationError.self) { try FileCoordinator(here).read(file) { _ in } }
    let there = try workshop.domain()
    threads.replenish()
    try FileCoordinator(there).write(file) { [here, file] _ in
      let error = #expect(throws: CoordinationError.self) {
        try FileCoordinator(here).write(file, timeout: .milliseconds(10)) { _ in
          Issue.record("two write at once")
        }
      }
      guard case .timedOut = error else {
        Issue.record("another error: \(String(describing: error))")
        return
      }
    }
    try FileCoordinator(here).write(file, timeout: .seconds(20)) { _ in }
  }
}
