import FileCoordination
import Glibc
import SystemPackage
import Testing

/// A process that asks, and does not read what it is told.
@Suite struct UnreadAnswersTests {
  private static let requests: UInt64 = 8_000

  @Test func itsConnectionIsEndedBeforeTheyTakeTheArbitersMemory() throws {
    let workshop = try Workshop()
    let domain = try workshop.domain()
    // With these a report has some 4 KiB.
    let name = String(repeating: "n", count: 200)
    let items = try (0..<ClaimRequest.maximumItems).map {
      FileAccessIntent.writing(try workshop.file("\(name)\($0)"))
    }
    try FileCoordinator(domain).coordinate(items) { _ in
      let connection = try InterposedArbiter.connect(
        to: workshop.coordination.appending("arbiter.socket"))
      defer { close(connection) }
      let process = CoordinatingProcess(id: getpid(), name: "greedy")
      var bytes = WireFormat.frame(MemberMessage.hello(member: 7, process).wireBytes)
      for number in 1...Self.requests {
        bytes += WireFormat.frame(MemberMessage.status(number: number).wireBytes)
      }
      #expect(send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
      // That the other end has hung up is found without reading.
      var wait = pollfd(fd: connection, events: 0, revents: 0)
      #expect(poll(&wait, 1, 60_000) == 1)
      #expect(try domain.report(timeout: .seconds(20)).claims.count == 1, "it goes on")
    }
  }
}
