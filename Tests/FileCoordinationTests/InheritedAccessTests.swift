import FileCoordination
import Foundation
import SystemPackage
import Testing

/// Processes that are started inside of an accessor, which waits for their end.
@Suite(.serialized) struct InheritedAccessTests {
  let workshop: Workshop
  let domain: CoordinationDomain
  let file: FilePath

  init() throws {
    workshop = try Workshop()
    domain = try workshop.domain()
    file = try workshop.file("f", "")
  }

  /// A process that holds the file, and knows by the environment of the accesses that it is in.
  private func inner(_ kind: String) throws -> PeerProcess {
    try PeerProcess(workshop, "hold", kind, file.string, accesses: InheritedAccesses.text)
  }

  @Test func toWaitForTheOuterAccessIsADeadlock() throws {
    try FileCoordinator(domain).write(file) { _ in
      for kind in ["read", "write"] {
        let said = try inner(kind).line("failed")
        #expect(said.contains("deadlock"))
      }
    }
    try FileCoordinator(domain).read(file) { _ in
      let said = try inner("write").line("failed")
      #expect(said.contains("deadlock"))
    }
  }

  @Test func aReaderInAReaderGoesPastAWriterWhoWaitsForTheOuterOne() throws {
    try FileCoordinator(domain).read(file) { _ in
      let writer = try PeerProcess(workshop, "hold", "write", file.string)
      try writer.line("waits \(getpid())")
      let reader = try inner("read")
      try reader.line("held")
      try reader.finish()
    }
  }

  @Test func otherFilesAreClaimedAsByAnybody() throws {
    let other = try workshop.file("g", "")
    try FileCoordinator(domain).write(file) { _ in
      let writer = try PeerProcess(
        workshop, "hold", "write", other.string, accesses: InheritedAccesses.text)
      try writer.line("held")
      try writer.finish()
    }
  }

  @Test(arguments: ["", "nothing", "1-", "-1,2-3-4,,1-g", "ffffffffffffffffffff-1", "1-2"])
  func whatNamesNoAccessIsNoMatter(accesses: String) throws {
    let writer = try PeerProcess(workshop, "hold", "write", file.string, accesses: accesses)
    try writer.line("held")
    try writer.finish()
    #expect(InheritedAccesses.text == "", "this is no accessor")
  }
}
