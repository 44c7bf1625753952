import FileCoordination
import Testing

/// What a new arbiter decides while it does not know yet who holds what.
@Suite struct TakeoverTests {
  let desk = ArbiterDesk(members: 2)

  private func request(
    _ member: UInt64, _ number: UInt64, _ path: String, _ options: ClaimedItem.Options = .writes,
    at: Duration
  ) throws -> ClaimRequest {
    ClaimRequest(
      key: CoordinationKey(member: member, number: number), purpose: "\(member)",
      items: [ClaimedItem(try ArbiterDesk.path(path), options)], since: at)
  }

  private func recover(_ desk: ArbiterDesk, _ requests: [ClaimRequest]) {
    desk.input(
      .recovered(9, CoordinatingProcess(id: 109, name: "survivor"), requests, presenting: []))
  }

  @Test func aClaimThatMayBeHeldIsWaitedFor() throws {
    recover(desk, [try request(9, 1, "/f", at: .zero)])
    let waiter = try desk.write(1, "/f")
    #expect(!desk.isGranted(waiter) && desk.inTheWay(of: waiter) == [109])
    #expect(desk.isGranted(try desk.write(2, "/g")), "others go on meanwhile")
  }

  @Test func aHeldClaimThatIsConfirmedGoesOn() throws {
    let held = try request(9, 1, "/f", at: .zero)
    recover(desk, [held])
    let waiter = try desk.write(1, "/f")
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    desk.say(.claim(held, isHeld: true), from: 9)
    desk.say(.ready, from: 9)
    #expect(!desk.isGranted(waiter))
    desk.release(held.key)
    #expect(desk.isGranted(waiter))
  }

  @Test func aWaitingClaimThatIsConfirmedKeepsItsPlace() throws {
    let early = try request(9, 1, "/f", at: .zero)
    recover(desk, [early])
    let late = try desk.write(1, "/f")
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    desk.say(.claim(early, isHeld: false), from: 9)
    #expect(desk.isGranted(early.key) && !desk.isGranted(late))
  }

  @Test func aClaimThatIsNotConfirmedIsOver() throws {
    recover(desk, [try request(9, 1, "/f", at: .zero)])
    let waiter = try desk.write(1, "/f")
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    #expect(!desk.isGranted(waiter), "it has not said all yet")
    desk.say(.ready, from: 9)
    #expect(desk.isGranted(waiter))
  }

  @Test func aSurvivorThatEndsIsNotWaitedForAnyLonger() throws {
    recover(desk, [try request(9, 1, "/f", at: .zero)])
    let waiter = try desk.write(1, "/f")
    desk.input(.gone(9))
    #expect(desk.isGranted(waiter))
  }

  @Test func claimsOfReturningProcessesStandInTheOrderOfTheirTimes() throws {
    let holder = try desk.write(1, "/f")
    desk.greet(8)
    desk.greet(9)
    let (second, first) = (
      try request(8, 1, "/f", at: .milliseconds(900)),
      try request(9, 1, "/f", at: .milliseconds(800))
    )
    desk.say(.claim(second, isHeld: false), from: 8)
    desk.say(.claim(first, isHeld: false), from: 9)
    desk.release(holder)
    #expect(desk.isGranted(first.key) && !desk.isGranted(second.key))
  }

  @Test func c31_aWriteThatEndedWhileThereWasNoArbiterIsToldAndAReadIsNot() throws {
    let (item, folder) = (try desk.present(1, "/f"), try desk.present(2, "/d"))
    recover(
      desk, [try request(9, 1, "/f", at: .zero), try request(9, 2, "/d/e", [], at: .zero)])
    desk.greet(9)
    #expect(desk.notices(to: item) == [.didChange])
    #expect(desk.notices(to: folder).isEmpty)
  }

  @Test func c31_aWriteThatGoesOnIsToldWhenItEndsAndNotBefore() throws {
    let presenter = try desk.present(1, "/f")
    let held = try request(9, 1, "/f", at: .zero)
    recover(desk, [held])
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    desk.say(.claim(held, isHeld: true), from: 9)
    desk.say(.ready, from: 9)
    #expect(desk.notices(to: presenter).isEmpty)
    desk.release(held.key)
    #expect(desk.notices(to: presenter) == [.didChange])
  }

  @Test func p3_aPresenterThatGaveWayToALostClaimIsToldThatItIsOver() throws {
    let lost = CoordinationKey(member: 9, number: 3)
    recover(desk, [try request(9, 1, "/g", at: .zero)])
    let presenter = desk.key(1)
    let record = PresenterRecord(key: presenter, path: try ArbiterDesk.path("/f"))
    desk.say(.present(record, gaveWayTo: [lost]), from: 1)
    #expect(desk.notices(to: presenter).isEmpty, "its process may still name it")
    desk.greet(9)
    #expect(desk.notices(to: presenter) == [.reacquire(lost)])
  }

  @Test func p3_itIsToldSoAtOnceIfNobodyCanStillNameTheClaim() throws {
    let lost = CoordinationKey(member: 7, number: 3)
    recover(desk, [try request(9, 1, "/g", at: .zero)])
    let presenter = desk.key(1)
    let record = PresenterRecord(key: presenter, path: try ArbiterDesk.path("/f"))
    desk.say(.present(record, gaveWayTo: [lost]), from: 1)
    #expect(desk.notices(to: presenter) == [.reacquire(lost)], "9 may be suspended for long")
  }

  @Test func p3_aPresenterThatAnswersAnEarlierArbiterIsToldWhenTheAccessIsOver() throws {
    let held = try request(9, 1, "/f", at: .zero)
    recover(desk, [held])
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    desk.say(.claim(held, isHeld: true), from: 9)
    desk.say(.ready, from: 9)
    // Asked before the takeover, it had let its time pass, and answers now.
    let presenter = try desk.present(1, "/f")
    desk.answer(presenter, to: held.key)
    desk.release(held.key)
    #expect(desk.notices(to: presenter) == [.didChange, .reacquire(held.key)])
  }

  @Test func nothingIsRefusedThatAReturningProcessHolds() throws {
    // What stands for a record that could not be read.
    recover(desk, [try request(9, 0, "/", [.writes, .isDirectory, .deletes], at: .zero)])
    desk.say(.hello(member: 9, CoordinatingProcess(id: 109, name: "survivor")), from: 9)
    for number in 1...UInt64(Arbiter.maximumClaims) {
      desk.say(.claim(try request(9, number, "/f\(number)", at: .zero), isHeld: true), from: 9)
    }
    desk.say(.ready, from: 9)
    let last = "/f\(Arbiter.maximumClaims)"
    #expect(!desk.isGranted(try desk.write(1, last)), "two write at once")
    let more = try request(9, 5_000, "/more", at: .zero)
    desk.say(.claim(more, isHeld: false), from: 9)
    #expect(desk.failure(of: more.key) == .overLimit)
  }

  @Test func p3_soItIsIfTheLastWhoMightComeBackEndsInstead() throws {
    let lost = CoordinationKey(member: 9, number: 3)
    recover(desk, [try request(9, 1, "/g", at: .zero)])
    let presenter = desk.key(1)
    let record = PresenterRecord(key: presenter, path: try ArbiterDesk.path("/f"))
    desk.say(.present(record, gaveWayTo: [lost]), from: 1)
    #expect(desk.notices(to: presenter).isEmpty, "its process may still name it")
    desk.input(.gone(9))
    #expect(desk.notices(to: presenter) == [.reacquire(lost)])
  }
}
