import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// An arbiter that has the lock and does not listen yet, since it is suspended, say.
@Suite struct ConnectingTests {
  let workshop: Workshop
  let domain: CoordinationDomain
  let file: FilePath
  private let lock: FileLock

  init() throws {
    workshop = try Workshop()
    _ = try CoordinationPlace(workshop.coordination)
    lock = try LinuxFileSystem().lock(
      workshop.coordination.appending("arbiter.lock"), exclusive: true, wait: false, holder: [])
    domain = try workshop.domain(isSilent: true)
    file = try workshop.file("f", "")
  }

  @Test func anAccessEndsWithItsTimeOutWhileOthersLookForTheArbiterForLonger() throws {
    let journal = Journal()
    let patient = (0..<4).map { _ in
      Worker { [domain, file] in
        journal.note("begins")
        try FileCoordinator(domain).read(file) { _ in journal.note("reads") }
      }
    }
    #expect(journal.wait(for: "begins", count: patient.count))
    let start = ContinuousClock.now
    let error = #expect(throws: CoordinationError.self) {
      try FileCoordinator(domain).read(file, timeout: .zero) { _ in
        Issue.record("the accessor was run")
      }
    }
    guard case .noArbiter = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    // The others look for ten seconds, and one of them does so at a time.
    #expect(ContinuousClock.now - start < .seconds(5))
    lock.release()
    for worker in patient { try worker.join() }
    #expect(journal.all.count { $0 == "reads" } == patient.count)
  }
}

/// An arbiter that has ended, while the next one has the lock and does not listen yet.
@Suite struct ConnectingAnewTests {
  @Test func p11_aPresenterIsTakenAwayWithoutWaitingForTheNextArbiter() throws {
    let (workshop, threads) = (try Workshop(), ThreadSupply())
    let (here, there) = (try workshop.domain(), try workshop.domain(threads: threads))
    let presenter = FakePresenter(try workshop.file("f", ""))
    try there.addFilePresenter(presenter)
    // So that it does not become the next one itself.
    threads.exhaust()
    here.close()
    try waitUntil { threads.refusals > 0 }
    let lock = try LinuxFileSystem().lock(
      workshop.coordination.appending("arbiter.lock"), exclusive: true, wait: true, holder: [])
    let start = ContinuousClock.now
    there.removeFilePresenter(presenter)
    // The next one is looked for for ten seconds.
    #expect(ContinuousClock.now - start < .seconds(5))
    lock.release()
    threads.replenish()
    let next = try workshop.domain()
    try waitUntil { try next.report().presenters.isEmpty }
  }
}
