import FileCoordination
import Testing

/// What a new arbiter does with presenters that their processes have written down, and that are not
/// back yet.
@Suite struct SurvivingPresenterTests {
  let desk = ArbiterDesk(members: 2)
  let presenter = CoordinationKey(member: 9, number: 900)
  private let survivor = CoordinatingProcess(id: 109, name: "survivor")

  init() throws {
    let record = PresenterRecord(key: presenter, path: try ArbiterDesk.path("/f"))
    desk.input(.recovered(9, survivor, [], presenting: [record]))
  }

  private func write(patience: Duration, _ path: String = "/f") throws -> CoordinationKey {
    try desk.claim(1, (path, .writes), patience: patience)
  }

  @Test func c24_oneThatComesBackIsAskedByThoseWhoWereFaster() throws {
    let writer = try desk.write(1, "/f")
    #expect(!desk.isGranted(writer) && desk.inTheWay(of: writer) == [109])
    desk.greet(9, presenting: [presenter: "/f"])
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
    #expect(!desk.isGranted(writer))
    desk.answer(presenter, to: writer)
    #expect(desk.isGranted(writer))
  }

  @Test func c24_soItIsWhereItsItemHasAnotherNameByNow() throws {
    let writer = try write(patience: .seconds(5), "/moved")
    #expect(!desk.isGranted(writer), "it may have been told of a move")
    desk.greet(9, presenting: [presenter: "/moved"])
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
  }

  @Test func p10_oneThatDoesNotComeBackDelaysThoseWhoTouchItByTheirDeadlineAndNobodyElse() throws {
    let (writer, other) = (
      try write(patience: .seconds(60)), try write(patience: .seconds(60), "/g")
    )
    desk.advance(by: Arbiter.returnPatience)
    #expect(desk.isGranted(other) && !desk.isGranted(writer))
    #expect(desk.isGranted(try write(patience: .seconds(60), "/h")))
    desk.advance(by: .seconds(60) - .milliseconds(1))
    #expect(!desk.isGranted(writer))
    desk.advance(by: .milliseconds(1))
    #expect(desk.isGranted(writer))
    desk.release(writer)
    #expect(desk.isGranted(try write(patience: .seconds(60))), "it is not waited for again")
  }

  @Test func p10_whoWaitedIsToldForWhomInVain() throws {
    let writer = try write(patience: .seconds(1))
    desk.advance(by: .seconds(2))
    let lapses = (desk.said[1] ?? []).compactMap { message -> PresenterLapse? in
      guard case .lapsed(writer, let lapse) = message else { return nil }
      return lapse
    }
    #expect(lapses == [PresenterLapse(process: survivor, path: "/f", waited: .seconds(1))])
  }

  @Test func p10_oneThatComesBackInTheLastMomentHasItsWholeTime() throws {
    let writer = try write(patience: .seconds(1))
    desk.advance(by: Arbiter.returnPatience + .seconds(1) - .milliseconds(1))
    desk.greet(9, presenting: [presenter: "/f"])
    #expect(desk.questions(to: presenter, for: writer) != nil)
    desk.advance(by: .seconds(1) - .milliseconds(1))
    #expect(!desk.isGranted(writer))
    desk.advance(by: .milliseconds(1))
    #expect(desk.isGranted(writer))
  }

  @Test func p10_oneThatEndsIsNotWaitedFor() throws {
    let writer = try write(patience: .seconds(60))
    desk.input(.gone(9))
    #expect(desk.isGranted(writer))
  }

  @Test func p10_oneThatIsBackAndDoesNotNameItAnyMoreIsNotWaitedFor() throws {
    let writer = try write(patience: .seconds(60))
    desk.greet(9)
    #expect(desk.isGranted(writer))
  }

  @Test func c30_oneWhoseItemWasMovedMeanwhileIsToldWhenItIsBack() throws {
    desk.advance(by: Arbiter.returnPatience)
    let mover = try desk.claim(1, ("/f", [.writes, .moves]), patience: .seconds(1))
    desk.advance(by: .seconds(1))
    let new = try ArbiterDesk.path("/new")
    desk.say(.moved(claim: mover, from: try ArbiterDesk.path("/f"), to: new), from: 1)
    desk.release(mover)
    desk.greet(9, presenting: [presenter: "/f"])
    #expect(desk.notices(to: presenter).suffix(2) == [.didMove(to: new), .didChange])
    let writer = try desk.write(2, "/new")
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
  }

  @Test func p3_whoGaveWayToWhatIsOverGoesOnThoughItIsNotBack() throws {
    let other = desk.key(1)
    let over = CoordinationKey(member: 9, number: 1)
    let record = PresenterRecord(key: other, path: try ArbiterDesk.path("/f"))
    desk.say(.present(record, gaveWayTo: [over]), from: 1)
    #expect(desk.notices(to: other) == [.reacquire(over)])
  }

  @Test func itMayPresentAsMuchAsBeforeBesideWhatItNamesNoMore() throws {
    let desk = ArbiterDesk(members: 1)
    let limit = UInt64(Arbiter.maximumPresenters)
    let path = try ArbiterDesk.path("/f")
    func records(_ numbers: ClosedRange<UInt64>) -> [PresenterRecord] {
      numbers.map { PresenterRecord(key: .init(member: 9, number: $0), path: path) }
    }
    desk.input(.recovered(9, survivor, [], presenting: records(1...limit)))
    desk.say(.hello(member: 9, survivor), from: 9)
    for record in records(limit + 1...2 * limit) {
      desk.say(.present(record, gaveWayTo: []), from: 9)
    }
    desk.say(.ready, from: 9)
    let known = (desk.said[9] ?? []).count { if case .presented = $0 { true } else { false } }
    #expect(known == Int(limit))
  }
}
