import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Two threads that add one presenter at the same time.
@Suite struct AddingTwiceTests {
  let workshop: Workshop
  let presenter: FakePresenter

  init() throws {
    workshop = try Workshop()
    presenter = FakePresenter(try workshop.file("f", ""))
  }

  @Test func p11_neitherReturnsBeforeItIsRegistered() throws {
    let journal = Journal()
    // An arbiter that accepts nobody yet.
    _ = try CoordinationPlace(workshop.coordination)
    let lock = try LinuxFileSystem().lock(
      workshop.coordination.appending("arbiter.lock"), exclusive: true, wait: false, holder: [])
    let socket = workshop.coordination.appending("arbiter.socket")
    let listener = try InterposedArbiter.listen(at: socket)
    let there = try workshop.domain(isSilent: true)
    let workers = (0..<2).map { _ in
      Worker { [presenter] in
        try there.addFilePresenter(presenter)
        journal.note("added")
      }
    }
    try waitUntil { !there.filePresenters.isEmpty }
    for _ in 0..<1_000 { sched_yield() }
    #expect(journal.all.isEmpty)
    close(listener)
    lock.release()
    for worker in workers { try worker.join() }
    there.removeFilePresenter(presenter)
    #expect(try there.report().presenters.count == 1, "it was added twice")
    there.removeFilePresenter(presenter)
    #expect(try there.report().presenters.isEmpty)
  }

  @Test func p11_neitherReturnsIfItCannotBeRegistered() throws {
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let members = workshop.coordination.appending("members")
    let names = try FileManager.default.contentsOfDirectory(atPath: members.string)
    let member = try #require(names.first)
    // What it presents cannot be written down.
    try Workshop.makeFolder(members.appending("\(member).presented"))
    for _ in 0..<2_000 {
      let workers = (0..<2).map { _ in
        Worker { [presenter] in
          #expect(throws: CoordinationError.self) { try there.addFilePresenter(presenter) }
        }
      }
      for worker in workers { try worker.join() }
      #expect(there.filePresenters.isEmpty)
    }
    #expect(try here.report().presenters.isEmpty)
  }

  @Test func p11_oneThatIsAddedWhileItIsTakenAwayIsRegistered() throws {
    let domain = try workshop.domain()
    for _ in 0..<2_000 {
      try domain.addFilePresenter(presenter)
      let workers = [
        Worker { [presenter] in try domain.addFilePresenter(presenter) },
        Worker { [presenter] in domain.removeFilePresenter(presenter) },
      ]
      for worker in workers { try worker.join() }
      #expect(domain.filePresenters.count == 1)
      #expect(try domain.report().presenters.count == 1)
      domain.removeFilePresenter(presenter)
    }
  }
}
