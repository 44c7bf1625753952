import FileCoordination
import Foundation
import SystemPackage
import Testing

/// A process that has lost its connection, and lives.
@Suite struct LostConnectionTests {
  let desk = ArbiterDesk()

  @Test func itHoldsWhatItHeldUntilItIsBackAndDoesNotNameItAnyMore() throws {
    let holder = try desk.write(1, "/f")
    desk.input(.lost(1))
    let waiter = try desk.write(2, "/f")
    #expect(!desk.isGranted(waiter) && desk.inTheWay(of: waiter) == [101])
    #expect(desk.isGranted(try desk.write(2, "/g")), "others go on meanwhile")
    desk.greet(1)
    #expect(desk.isGranted(waiter))
    desk.release(holder)
    #expect(!desk.isGranted(try desk.write(3, "/f")), "that was over already")
  }

  @Test func orUntilItHasEnded() throws {
    _ = try desk.write(1, "/f")
    desk.input(.lost(1))
    let waiter = try desk.write(2, "/f")
    desk.input(.gone(1))
    #expect(desk.isGranted(waiter))
  }

  @Test func whatItHoldsOnToItReleasesLater() throws {
    let item = ClaimedItem(try ArbiterDesk.path("/f"), .writes)
    let request = ClaimRequest(key: desk.key(1), purpose: "p", items: [item], since: desk.now)
    desk.say(.claim(request, isHeld: false), from: 1)
    let waiter = try desk.write(2, "/f")
    desk.input(.lost(1))
    desk.say(.hello(member: 1, CoordinatingProcess(id: 101, name: "process1")), from: 1)
    desk.say(.claim(request, isHeld: true), from: 1)
    desk.say(.ready, from: 1)
    #expect(!desk.isGranted(waiter))
    desk.release(request.key)
    #expect(desk.isGranted(waiter))
  }

  @Test func c24_itsPresentersAreAskedWhenItIsBackAndUntilThenWaitedFor() throws {
    let presenter = try desk.present(1, "/f")
    desk.input(.lost(1))
    let writer = try desk.write(2, "/f")
    #expect(!desk.isGranted(writer) && desk.questions(to: presenter, for: writer) == nil)
    desk.greet(1, presenting: [presenter: "/f"])
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
  }

  @Test func p10_theyDelayThoseWhoTouchTheirItemsByTheDeadlineAndNobodyElse() throws {
    _ = try desk.present(1, "/f")
    desk.input(.lost(1))
    let writer = try desk.claim(2, ("/f", .writes), patience: .seconds(60))
    #expect(desk.isGranted(try desk.write(3, "/g")))
    desk.advance(by: .seconds(60) - .milliseconds(1))
    #expect(!desk.isGranted(writer))
    desk.advance(by: .milliseconds(1))
    #expect(desk.isGranted(writer))
  }

  @Test func p10_whereTheyAreLostAgainAndAgainTheirTimeBeginsAnewOnce() throws {
    let presenter = try desk.present(1, "/f")
    let writer = try desk.claim(2, ("/f", .writes), patience: .seconds(60))
    for _ in 0..<60 {
      desk.advance(by: .seconds(1))
      desk.input(.lost(1))
      desk.greet(1, presenting: [presenter: "/f"])
    }
    #expect(!desk.isGranted(writer))
    desk.advance(by: .seconds(1))
    #expect(desk.isGranted(writer))
  }

  /// Puts something in the place of a folder, so that nothing in it is found, nor found missing.
  private func hide(_ folder: FilePath) throws {
    let aside = FilePath("\(folder)-aside")
    try FileManager.default.moveItem(atPath: folder.string, toPath: aside.string)
    try Workshop.write("", to: folder)
  }

  @Test(arguments: [false, true])
  func nobodyIsLetInBesideItByARealSocket(isRecordHidden: Bool) throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain(isSilent: true))
    let arbiter = try InterposedArbiter(at: workshop.coordination.appending("arbiter.socket"))
    let file = try workshop.file("f", "")
    let journal = Journal()
    let worker = try FileCoordinator(there).write(file) { _ in
      let worker = Worker {
        try FileCoordinator(here).write(file) { _ in journal.note("another writes") }
      }
      try here.waitForWaiters(1)
      if isRecordHidden { try hide(workshop.coordination.appending("members")) }
      // What is no message ends the connection; the report is told by the next.
      arbiter.say([0xFF, 0xFF, 0xFF, 0xFF])
      _ = try there.report(timeout: .seconds(20))
      #expect(arbiter.hasSaidIt && journal.all.isEmpty)
      return worker
    }
    try worker.join()
    #expect(journal.all == ["another writes"])
  }
}
