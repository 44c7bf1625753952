import FileCoordination
import Testing

/// How waiting ends: time-outs, cycles, and what a waiting claim can say.
@Suite struct WaitingTests {
  let desk = ArbiterDesk()

  @Test func aClaimThatWaitsSaysForWhom() throws {
    _ = try desk.write(1, "/f")
    let second = try desk.write(2, "/f")
    #expect(desk.inTheWay(of: second) == [101])
    let third = try desk.read(3, "/f")
    #expect(desk.inTheWay(of: third) == [101, 102])
    let report = desk.arbiter.report(now: desk.now)
    #expect(report.claims.map(\.state) == [.active, .waiting, .waiting])
    #expect(report.claims[1].waitsFor.map(\.role) == [.writes])
    #expect(report.claims[2].waitsFor.map(\.role) == [.writes, .waits])
  }

  @Test func nobodyIsToldWhomItWaitsForWithoutWantingToKnow() throws {
    _ = try desk.write(1, "/f")
    let key = desk.key(2)
    let item = ClaimedItem(try ArbiterDesk.path("/f"), [])
    desk.say(
      .claim(
        ClaimRequest(
          key: key, purpose: "p", items: [item], since: desk.now, wantsHolders: false),
        isHeld: false), from: 2)
    #expect(!desk.isGranted(key) && desk.inTheWay(of: key) == nil)
    #expect(desk.arbiter.report(now: desk.now).claims.last?.waitsFor.map(\.process.id) == [101])
  }

  @Test func c16_aClaimWhoseTimeIsUpFailsAndNamesWhoWasInTheWay() throws {
    let holder = try desk.write(1, "/f")
    let waiter = try desk.claim(2, ("/f", .writes), timeout: .seconds(3))
    let behind = try desk.read(3, "/f")
    desk.advance(by: .milliseconds(2_999))
    #expect(desk.failure(of: waiter) == nil)
    desk.advance(by: .milliseconds(1))
    guard case .timedOut(let holders) = desk.failure(of: waiter) else {
      return #expect(Bool(false), "it still waits")
    }
    #expect(holders.map(\.process.id) == [101] && holders.map(\.path) == ["/f"])
    desk.release(holder)
    #expect(!desk.isGranted(waiter) && desk.isGranted(behind))
  }

  @Test func c19_aCancelledClaimLeavesTheQueue() throws {
    let holder = try desk.write(1, "/f")
    let waiter = try desk.write(2, "/f")
    let behind = try desk.read(3, "/f")
    desk.say(.cancel(waiter), from: 2)
    #expect(desk.failure(of: waiter) == .cancelled)
    desk.release(holder)
    #expect(!desk.isGranted(waiter) && desk.isGranted(behind))
    desk.say(.cancel(behind), from: 3)
    #expect(desk.failure(of: behind) == nil, "an access that takes place is left alone")
  }

  @Test func accessesNestedInOppositeOrderAreRefusedNotHung() throws {
    let x = try desk.write(1, "/x")
    let y = try desk.write(2, "/y")
    let first = try desk.claim(1, ("/y", .writes), parents: [x])
    #expect(desk.failure(of: first) == nil, "it may yet get its turn")
    let second = try desk.claim(2, ("/x", .writes), parents: [y])
    guard case .deadlock(let loop) = desk.failure(of: second) else {
      return #expect(Bool(false), "the cycle was not found")
    }
    #expect(Set(loop.map(\.process.id)) == [101, 102])
    desk.release(y)
    #expect(desk.isGranted(first))
  }

  @Test func anAccessNestedInOneThatExcludesItIsRefused() throws {
    let outer = try desk.write(1, "/f")
    let inner = try desk.claim(1, ("/f", .writes), purpose: "another", parents: [outer])
    #expect(desk.failure(of: inner).map { if case .deadlock = $0 { true } else { false } } == true)
  }

  @Test func c17_manyRoundsOfOppositeOrderAllEnd() throws {
    for _ in 0..<1_000 {
      let first = try desk.claim(1, ("/x", .writes), ("/y", .writes))
      let second = try desk.claim(2, ("/y", .writes), ("/x", .writes))
      #expect(desk.isGranted(first))
      desk.release(first)
      #expect(desk.isGranted(second))
      desk.release(second)
      desk.said = [:]
    }
    #expect(desk.arbiter.report(now: desk.now).claims.isEmpty)
  }

  @Test func whoeverEndsGivesUpAllThatItHad() throws {
    _ = try desk.write(1, "/f")
    _ = try desk.write(1, "/g")
    let (f, g) = (try desk.write(2, "/f"), try desk.read(3, "/g"))
    desk.input(.gone(1))
    #expect(desk.isGranted(f) && desk.isGranted(g))
  }

  @Test func aProcessCannotSpeakForAnother() throws {
    let holder = try desk.write(1, "/f")
    let waiter = try desk.write(2, "/f")
    desk.say(.release(holder, []), from: 2)
    #expect(!desk.isGranted(waiter))
    desk.say(.cancel(holder), from: 2)
    #expect(!desk.isGranted(waiter))
    desk.say(
      .claim(
        ClaimRequest(
          key: CoordinationKey(member: 1, number: 999), purpose: "forged", items: [],
          since: desk.now), isHeld: true), from: 2)
    #expect(desk.arbiter.report(now: desk.now).claims.count == 2)
  }

  @Test func aProcessHasALimitOfClaims() throws {
    for _ in 0..<Arbiter.maximumClaims { _ = try desk.read(1, "/f") }
    #expect(desk.failure(of: try desk.read(1, "/f")) == .overLimit)
    #expect(desk.isGranted(try desk.read(2, "/f")))
  }
}
