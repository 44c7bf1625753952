import FileCoordination
import SystemPackage
import Testing

/// Processes that begin and end while others take over the queue.
@Suite struct ComingAndGoingTests {
  let workshop: Workshop

  init() throws { workshop = try Workshop() }

  @Test func oneThatEndsWhileItsRecordIsReadLeavesOthersTheirArbiter() throws {
    let file = try workshop.file("f", "")
    let workers = (0..<6).map { _ in
      Worker { [workshop] in
        for _ in 0..<100 {
          let domain = try workshop.domain(isSilent: true)
          try FileCoordinator(domain).read(file, timeout: .seconds(60)) { _ in }
          domain.close()
        }
      }
    }
    for worker in workers { try worker.join() }
  }
}
