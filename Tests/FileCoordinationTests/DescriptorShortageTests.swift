import FileCoordination
import Foundation
import Glibc
import SystemPackage
import TestSupport
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

  /// How often its threads have gone to sleep by themselves (proc(5)).
  private func rests(of process: Int32) throws -> Int {
    let tasks = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, task in
      let status = try String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
      let found = try #require(status.firstMatch(of: /\nvoluntary_ctxt_switches:\s+(\d+)/))
      return sum + (try #require(Int(found.output.1)))
    }
  }

  /// Whether a process has as many open as it may have; others it was started with.
  private func isOut(_ process: Int32) throws -> Bool {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
    return open.count { Int($0).map { $0 < Self.descriptors } ?? false } == Self.descriptors
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
    try waitUntil(within: .seconds(30)) { try isOut(arbiter.id) }
    let before = try ticks(of: arbiter.id)
    // Each rest is of 50 milliseconds; one that asks all the time has none.
    let rested = try rests(of: arbiter.id) + 20
    try waitUntil(within: .seconds(30)) { try rests(of: arbiter.id) >= rested }
    let second = sysconf(Int32(_SC_CLK_TCK))
    #expect(try ticks(of: arbiter.id) - before < second / 5)
    for connection in connections { close(connection) }
    let domain = try workshop.domain()
    try FileCoordinator(domain).read(file, timeout: .seconds(20)) { _ in }
    try arbiter.finish()
  }
}
