import FileCoordination
import Glibc
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

  @Test(arguments: [false, true])
  func c8_aFolderMadeWhileItsDeletionWaitsIsClaimedWithItsContents(inPlaceOfAFile: Bool) throws {
    let folder = try workshop.file("d", inPlaceOfAFile ? "text" : nil)
    let domain = try workshop.domain()
    let worker = try FileCoordinator(domain).write(folder) { path in
      let worker = Worker { [workshop] in
        let other = try FileCoordinator(workshop.domain())
        try FileCoordinator(domain).write(folder, .forDeleting) { path in
          _ = #expect(throws: CoordinationError.self) {
            try other.write(path.appending("x"), timeout: .milliseconds(50)) { _ in
              Issue.record("it is written beside the deletion of its folder")
            }
          }
        }
      }
      try domain.waitForWaiters(1)
      if inPlaceOfAFile { #expect(unlink(path.string) == 0) }
      try Workshop.makeFolder(path)
      return worker
    }
    try worker.join()
  }
}
