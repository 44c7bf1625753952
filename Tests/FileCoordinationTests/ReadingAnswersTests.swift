import FileCoordination
import Foundation
import SystemPackage
import Testing

/// Whoever waits reads the arbiter's answer itself, as long as nobody else has to.
@Suite struct ReadingAnswersTests {
  let workshop: Workshop
  /// The arbiter, and a part that has only ever waited on its own threads.
  let (here, there): (CoordinationDomain, CoordinationDomain)
  let file: FilePath

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain(isSilent: true))
    file = try workshop.file("f", "")
    try FileCoordinator(there).read(file) { _ in }
  }

  @Test func twoThreadsThatWaitAreBothAnsweredInWhateverOrder() throws {
    let others = [try workshop.file("g"), try workshop.file("h")]
    let journal = Journal()
    var workers: [Worker] = []
    try FileCoordinator(here).write(file) { [there, file] _ in
      workers.append(Worker { try FileCoordinator(there).write(file) { _ in journal.note("f") } })
      try here.waitForWaiters(1)
      for other in others {
        workers.append(
          Worker { try FileCoordinator(there).write(other) { _ in journal.note("another") } })
      }
      #expect(journal.wait(for: "another", count: 2))
    }
    for worker in workers { try worker.join() }
    #expect(journal.all == ["another", "another", "f"])
  }

  @Test func oneThatIsCancelledFromAnotherThreadEndsAtOnceAndHoldsNothing() throws {
    let coordinator = try FileCoordinator(there)
    try FileCoordinator(here).write(file) { [file] _ in
      let worker = Worker {
        try coordinator.write(file) { _ in _ = Issue.record("the accessor was run") }
      }
      try here.waitForWaiters(1)
      coordinator.cancel()
      #expect(throws: CoordinationError.cancelled(path: file.string)) { try worker.join() }
    }
    for domain in [here, there] {
      try FileCoordinator(domain).write(file, timeout: .seconds(20)) { _ in }
    }
  }

  @Test func oneThatGivesUpLeavesNothingBehindHoweverTheGrantComes() throws {
    let coordinator = try FileCoordinator(there)
    for round in 0..<40 {
      // The holder lets go about when the time is up: before, at once, or after.
      let worker = Worker { [here, file] in
        try FileCoordinator(here).write(file) { _ in _ = usleep(UInt32(800 + 20 * round)) }
      }
      _ = try? coordinator.write(file, timeout: .milliseconds(1)) { _ in }
      try worker.join()
      try FileCoordinator(here).write(file, timeout: .seconds(20)) { _ in }
    }
  }

  @Test func aPresenterThatIsRegisteredLaterIsAskedWhileNobodyWaits() throws {
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    try FileCoordinator(here).write(file, timeout: .seconds(20)) { _ in }
    #expect(presenter.journal.wait(for: "reacquire"))
    #expect(presenter.journal.all.first == "relinquish writer")
    there.removeFilePresenter(presenter)
  }

  @Test func oneThatWaitsWhenTheArbiterEndsIsAnsweredByTheNext() throws {
    let holder = try PeerProcess(workshop, "hold", "write", file.string)
    try holder.line("held")
    let worker = Worker { [there, file] in try FileCoordinator(there).write(file) { _ in } }
    try here.waitForWaiters(1)
    here.close()
    try holder.finish()
    try worker.join()
  }

  /// A length beyond what is allowed, and a whole message of a kind that nobody knows.
  @Test(arguments: [[0xFF, 0xFF, 0xFF, 0xFF], WireFormat.frame([0xEE])])
  func oneThatReadsWhatIsNoMessageConnectsAnewInsteadOfWaiting(_ nonsense: [UInt8]) throws {
    let arbiter = try InterposedArbiter(at: workshop.coordination.appending("arbiter.socket"))
    let coordinator = try FileCoordinator(try workshop.domain(isSilent: true))
    try coordinator.read(file) { _ in }
    arbiter.say(nonsense)
    let worker = Worker { [file] in try coordinator.write(file) { _ in } }
    try worker.join(seconds: 20)
    #expect(arbiter.hasSaidIt)
  }
}
