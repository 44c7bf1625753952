import FileCoordination
import Glibc
import SystemFiles
import SystemPackage
import Testing

/// A process that lives and has written down more claims than are read of anybody.
@Suite struct LargeRecordTests {
  @Test func othersGetAnArbiterAndWaitForThatProcessAlone() throws {
    let workshop = try Workshop()
    _ = try CoordinationPlace(workshop.coordination)
    let record = workshop.coordination.appending("members/0000000000000007")
    let lock = try LinuxFileSystem().lock(record, exclusive: true, wait: false, holder: [])
    try #require(record.withPlatformString { truncate($0, 1 << 25) } == 0)
    let domain = try workshop.domain()
    let file = try workshop.file("f", "")
    let error = #expect(throws: CoordinationError.self) {
      try FileCoordinator(domain).read(file, timeout: .milliseconds(10)) { _ in
        Issue.record("the accessor was run")
      }
    }
    guard case .timedOut(_, let holders) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(holders.map(\.role) == [.mayHold])
    lock.release()
    try FileCoordinator(domain).read(file, timeout: .seconds(20)) { _ in }
  }
}
