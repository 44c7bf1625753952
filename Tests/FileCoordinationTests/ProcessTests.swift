import FileCoordination
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Behaviours among real processes, some of which are suspended or killed.
@Suite(.serialized) struct ProcessTests {
  let workshop: Workshop
  let file: String

  init() throws {
    workshop = try Workshop()
    file = try workshop.file("f").string
    _ = try CoordinationPlace(workshop.coordination)
  }

  /// A process that keeps the queue, and has nothing to do with the file.
  private func keeper() throws -> PeerProcess {
    let keeper = try PeerProcess(workshop, "hold", "read", workshop.file("another").string)
    try keeper.line("held")
    return keeper
  }

  private func hold(_ kind: String) throws -> PeerProcess {
    try PeerProcess(workshop, "hold", kind, file)
  }

  private func states(
    _ domain: CoordinationDomain
  ) throws -> [Int32: CoordinationReport.Claim.State] {
    let claims = try domain.report().claims.map { ($0.process.id, $0.state) }
    return Dictionary(claims) { first, _ in first }
  }

  @Test func c1_c2_c3_processesTakeTurns() throws {
    let keeper = try keeper()
    let readers = [try hold("read"), try hold("read")]
    for reader in readers { try reader.line("held") }
    let writer = try hold("write")
    #expect(
      ["waits \(readers[0].id)", "waits \(readers[1].id)"].contains(try writer.line("waits")))
    let late = try hold("read")
    try late.line("waits \(writer.id)")
    for reader in readers { try reader.finish() }
    try writer.line("held")
    try writer.finish()
    try late.line("held")
    try late.finish()
    try keeper.finish()
  }

  @Test func whatAKilledProcessHeldIsFree() throws {
    let keeper = try keeper()
    let holder = try hold("write")
    try holder.line("held")
    let waiter = try hold("write")
    try waiter.line("waits \(holder.id)")
    try holder.signal(SIGKILL)
    try waiter.line("held")
    try waiter.finish()
    try keeper.finish()
  }

  @Test func whatAProcessWroteDownGoesAwayWithIt() throws {
    let keeper = try keeper()
    let members = workshop.coordination.appending("members").string
    let holders = [try hold("read"), try hold("read"), try hold("read")]
    for holder in holders { try holder.line("held") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: members).count == 3)
    try holders[0].finish()
    for holder in holders.dropFirst() { try holder.signal(SIGKILL) }
    var left = 3
    for _ in 0..<5_000 where left > 0 {
      usleep(1_000)
      left = try FileManager.default.contentsOfDirectory(atPath: members).count
    }
    #expect(left == 0)
    try keeper.finish()
  }

  @Test func whenTheArbiterIsKilledHoldersHoldOnAndWaitersWaitOn() throws {
    let keeper = try keeper()
    let holder = try hold("write")
    try holder.line("held")
    let waiter = try hold("write")
    try waiter.line("waits \(holder.id)")
    try keeper.signal(SIGKILL)
    // Its answer comes from the next arbiter.
    let late = try hold("read")
    try late.line("waits \(holder.id)")
    let domain = try workshop.domain()
    let expected: [Int32: CoordinationReport.Claim.State] = [
      holder.id: .active, waiter.id: .waiting, late.id: .waiting,
    ]
    // Each comes back when it notices.
    var found = try states(domain)
    for _ in 0..<5_000 where found != expected {
      usleep(1_000)
      found = try states(domain)
    }
    #expect(found == expected)
    #expect(try [holder.id, waiter.id, late.id].contains(domain.report().arbiter.id))
    try holder.finish()
    try waiter.line("held")
    try waiter.finish()
    try late.line("held")
    try late.finish()
  }

  @Test func aSuspendedHolderKeepsItsClaimAcrossATakeover() throws {
    let keeper = try keeper()
    let holder = try hold("write")
    try holder.line("held")
    try holder.signal(SIGSTOP)
    try keeper.signal(SIGKILL)
    let waiter = try hold("write")
    try waiter.line("waits \(holder.id)")
    let domain = try workshop.domain()
    #expect(try states(domain) == [holder.id: .unconfirmed, waiter.id: .waiting])
    // Others go on meanwhile.
    try FileCoordinator(domain).write(try workshop.file("g"), timeout: .seconds(10)) { _ in }
    try holder.signal(SIGCONT)
    try holder.finish()
    try waiter.line("held")
    try waiter.finish()
  }

  @Test func aSuspendedHolderThatIsKilledAfterATakeoverIsNotWaitedFor() throws {
    let keeper = try keeper()
    let holder = try hold("write")
    try holder.line("held")
    try holder.signal(SIGSTOP)
    try keeper.signal(SIGKILL)
    let waiter = try hold("write")
    try waiter.line("waits \(holder.id)")
    try holder.signal(SIGKILL)
    try waiter.line("held")
    try waiter.finish()
  }

  @Test func presentersAreAskedAcrossProcessesAndAfterATakeover() throws {
    let keeper = try keeper()
    let presenter = try PeerProcess(workshop, "present", file, "plain")
    try presenter.line("ready")
    let reader = try hold("read")
    try reader.line("held")
    try reader.finish()
    try presenter.line("reacquire")
    #expect(presenter.lines.suffix(3) == ["relinquish reader", "save", "reacquire"])
    let writer = try hold("write")
    try writer.line("held")
    try keeper.signal(SIGKILL)
    // It gave way to a claim of which only its process tells the next arbiter.
    try writer.finish()
    try presenter.line("reacquire")
    let next = try hold("write")
    try next.line("held")
    try next.finish()
    try presenter.line("reacquire")
    #expect(presenter.lines.count { $0 == "relinquish writer" } == 2)
    try presenter.finish()
  }

  @Test func c24_whoTakesOverAsksPresentersThatComeBackLater() throws {
    let keeper = try keeper()
    let presenter = try PeerProcess(workshop, "present", file, "plain")
    try presenter.line("ready")
    try presenter.signal(SIGSTOP)
    try keeper.signal(SIGKILL)
    let writer = try hold("write")
    try writer.line("waits \(presenter.id)")
    try presenter.signal(SIGCONT)
    try writer.line("held")
    try writer.finish()
    try presenter.line("changed")
    try presenter.finish()
    #expect(presenter.lines.contains("relinquish writer"))
  }

  @Test func p10_aSuspendedPresenterDelaysAWriterByTheDeadlineAndIsNamed() throws {
    let keeper = try keeper()
    let presenter = try PeerProcess(workshop, "present", file, "plain")
    try presenter.line("ready")
    try presenter.signal(SIGSTOP)
    let start = ContinuousClock.now
    let writer = try PeerProcess(workshop, "hold", "write", file, patience: 200)
    try writer.line("held")
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    try writer.finish()
    #expect(writer.lines.contains("lapsed \(presenter.id)"))
    try presenter.signal(SIGCONT)
    // It was told when it came back, and answers again.
    try presenter.line("changed")
    let next = try hold("write")
    try next.line("held")
    try next.finish()
    try presenter.finish()
    #expect(presenter.lines.count { $0 == "relinquish writer" } == 2)
    try keeper.finish()
  }

  @Test func p10_soItIsAfterATakeoverAndItDelaysNobodyElse() throws {
    let keeper = try keeper()
    let presenter = try PeerProcess(workshop, "present", file, "plain")
    try presenter.line("ready")
    try presenter.signal(SIGSTOP)
    try keeper.signal(SIGKILL)
    let other = try PeerProcess(
      workshop, "hold", "write", try workshop.file("g").string, patience: 3_600_000)
    try other.line("held")
    let writer = try PeerProcess(workshop, "hold", "write", file, patience: 200)
    try writer.line("held")
    for process in [writer, other] { try process.finish() }
    #expect(writer.lines.contains("lapsed \(presenter.id)"))
    try presenter.signal(SIGCONT)
    try presenter.line("changed")
    try presenter.finish()
  }

  @Test func c26_aPresenterOfAnotherProcessThatCannotSaveFailsTheReader() throws {
    let keeper = try keeper()
    let presenter = try PeerProcess(workshop, "present", file, "refusing")
    try presenter.line("ready")
    let domain = try workshop.domain()
    let error = #expect(throws: CoordinationError.self) {
      try FileCoordinator(domain).read(FilePath(file)) { _ in _ = Issue.record("it was run") }
    }
    guard case .presenterFailed(file, let process, _) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(process == CoordinatingProcess(id: presenter.id, name: "CoordinationPeer"))
    try presenter.finish()
    try keeper.finish()
  }

  @Test func aCycleThroughPresentersOfThreeProcessesIsAnError() throws {
    let other = try workshop.file("g").string
    let first = try PeerProcess(workshop, "present", file, "writing:\(other)")
    try first.line("ready")
    let second = try PeerProcess(workshop, "present", other, "writing:\(file)")
    try second.line("ready")
    let writer = try hold("write")
    #expect(try second.line("could not write").contains("deadlock"))
    try first.line("wrote")
    try writer.line("held")
    for process in [writer, first, second] { try process.finish() }
  }

  @Test func processesThatAreKilledAtRandomLoseNoIncrement() throws {
    var random = SystemRandomNumberGenerator()
    var running = try (0..<4).map { _ in try PeerProcess(workshop, "increment", file, "1000000") }
    let kills = 12
    for _ in 0..<kills {
      try wait(forIncrements: noted() + Int.random(in: 1...100, using: &random))
      let victim = running.remove(at: Int.random(in: 0..<running.count, using: &random))
      try victim.signal(SIGKILL)
      running.append(try PeerProcess(workshop, "increment", file, "1000000"))
    }
    try wait(forIncrements: noted() + 1)
    for process in running { try process.signal(SIGKILL) }
    let noted = try noted()
    let found = try #require(Int(try Workshop.read(FilePath(file))))
    #expect(noted > 0 && noted...(noted + kills + running.count) ~= found)
  }

  /// How many increments of the file all processes have noted.
  private func noted() throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: workshop.files.string)
    return try names.filter { $0.hasPrefix("f.") }.reduce(0) {
      $0 + (try Workshop.read(workshop.files.appending($1)).utf8.count)
    }
  }

  private func wait(forIncrements count: Int) throws {
    try waitUntil(orSay: "nobody increments") { try noted() >= count }
  }
}
