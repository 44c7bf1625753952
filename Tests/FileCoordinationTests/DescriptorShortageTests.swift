import FileCoordination
import Foundation
import Glibc
import SystemPackage
import Testing

/// An arbiter that has no descriptors left for those who connect.
@Suite struct DescriptorShortageTests {
  private static let descriptors = 32

  /// The processor time that a process has taken, in the clock's ticks (proc(5)).
  private func ticks(of process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = try #require(text.split(separator: ")").last).split(separator: " ")
    return try #require(Int(fields[11])) + (try #require(Int(fields[12])))
  }

  @Test func itDoesNotAskForThemAllTheTimeAndLetsThemInWhenItHasAgain() throws {
    let workshop = try Workshop()
    let file = try workshop.file("f", "")
    let arbiter = try PeerProcess(
      workshop, "hold", "read", file.string, descriptors: Self.descriptors)
    try arbiter.line("held")
    let socket = workshop.coordination.appending("arbiter.socket")
    let connections = try (0..<Self.descriptors).map { _ in
      try InterposedArbiter.connect(to: socket)
    }
    let before = try ticks(of: arbiter.id)
    Thread.sleep(forTimeInterval: 1)
    let second = sysconf(Int32(_SC_CLK_TCK))
    #expect(try ticks(of: arbiter.id) - before < second / 5)
    for connection in connections { close(connection) }
    let domain = try workshop.domain()
    try FileCoordinator(domain).read(file, timeout: .seconds(20)) { _ in }
    try arbiter.finish()
  }
}
