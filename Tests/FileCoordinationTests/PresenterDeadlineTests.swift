import FileCoordination
import Testing

/// A presenter that does not answer: P10.
@Suite struct PresenterDeadlineTests {
  let desk = ArbiterDesk()

  private func lapses(_ member: UInt64) -> [PresenterLapse] {
    (desk.said[member] ?? []).compactMap { message in
      guard case .lapsed(_, let lapse) = message else { return nil }
      return lapse
    }
  }

  // Lesson 25.
  @Test func p10_aSilentPresenterDelaysAWriterByTheDeadlineOnly() throws {
    _ = try desk.present(1, "/f")
    let writer = try desk.claim(2, ("/f", .writes), patience: .seconds(2))
    desk.advance(by: .milliseconds(1_999))
    #expect(!desk.isGranted(writer))
    desk.advance(by: .milliseconds(1))
    #expect(desk.isGranted(writer))
    let expected = PresenterLapse(
      process: CoordinatingProcess(id: 101, name: "process1"), path: "/f", waited: .seconds(2))
    #expect(lapses(2) == [expected])
  }

  @Test func p10_oneThatLapsedIsNotWaitedForAgain() throws {
    let presenter = try desk.present(1, "/f")
    let first = try desk.claim(2, ("/f", .writes), patience: .seconds(1))
    desk.advance(by: .seconds(1))
    desk.release(first)
    let second = try desk.write(2, "/f")
    #expect(desk.isGranted(second) && desk.questions(to: presenter, for: second) == nil)
    #expect(desk.arbiter.report(now: desk.now).presenters.map(\.hasLapsed) == [true])
  }

  @Test func p10_oneThatComesBackIsToldThatItMissedSomethingAndAskedAgain() throws {
    let presenter = try desk.present(1, "/f")
    let first = try desk.claim(2, ("/f", .writes), patience: .seconds(1))
    desk.advance(by: .seconds(1))
    desk.release(first)
    #expect(desk.notices(to: presenter) == [.reacquire(first)])
    desk.answer(presenter, to: first)
    #expect(
      desk.notices(to: presenter) == [.reacquire(first), .didChange, .reacquire(first)])
    let second = try desk.write(2, "/f")
    #expect(desk.questions(to: presenter, for: second) == [.relinquishToWriter])
    #expect(!desk.isGranted(second))
  }

  /// Has a process connect anew before the end of its former connection is heard.
  private func connectAnew(_ member: UInt64, presenting presenter: CoordinationKey) throws {
    desk.said[member] = []
    desk.say(
      .hello(member: member, CoordinatingProcess(id: Int32(100 + member), name: "p")), from: member)
    let record = PresenterRecord(key: presenter, path: try ArbiterDesk.path("/f"))
    desk.say(.present(record, gaveWayTo: []), from: member)
    desk.say(.ready, from: member)
  }

  @Test func c27_oneWhoseProcessConnectsAnewIsAskedAnewAndHasItsWholeTime() throws {
    let presenter = try desk.present(1, "/f")
    let writer = try desk.claim(2, ("/f", .writes), patience: .seconds(2))
    desk.advance(by: .seconds(1))
    try connectAnew(1, presenting: presenter)
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
    desk.advance(by: .milliseconds(1_999))
    #expect(!desk.isGranted(writer) && lapses(2).isEmpty)
    desk.answer(presenter, to: writer)
    #expect(desk.isGranted(writer))
  }

  @Test func p10_oneThatLapsedIsAskedAgainWhenItsProcessHasConnectedAnew() throws {
    let presenter = try desk.present(1, "/f")
    let first = try desk.claim(2, ("/f", .writes), patience: .seconds(1))
    desk.advance(by: .seconds(1))
    desk.release(first)
    // What it was asked it has never read, so it never answers that.
    try connectAnew(1, presenting: presenter)
    #expect(desk.notices(to: presenter) == [.didChange])
    let second = try desk.write(2, "/f")
    #expect(desk.questions(to: presenter, for: second) == [.relinquishToWriter])
  }

  @Test func p10_eachPresenterHasItsOwnTime() throws {
    let quick = try desk.present(1, "/f")
    _ = try desk.present(2, "/f")
    let writer = try desk.claim(3, ("/f", .writes), patience: .seconds(1))
    desk.answer(quick, to: writer)
    #expect(!desk.isGranted(writer))
    desk.advance(by: .seconds(1))
    #expect(desk.isGranted(writer) && lapses(3).map(\.process.id) == [102])
  }

  @Test func p10_aPresenterThatEndsIsNotWaitedFor() throws {
    _ = try desk.present(1, "/f")
    let gone = try desk.present(2, "/f")
    let writer = try desk.write(3, "/f")
    desk.input(.gone(1))
    #expect(!desk.isGranted(writer))
    desk.say(.unpresent(gone), from: 2)
    #expect(desk.isGranted(writer))
  }

  @Test func oneThatDoesNotReadIsToldLaterThatItMissedSomething() throws {
    let folder = try desk.present(1, "/d")
    desk.input(.congested(1, true))
    for _ in 0..<3 { desk.release(try desk.write(2, "/d/f")) }
    #expect(desk.notices(to: folder).isEmpty)
    desk.input(.congested(1, false))
    #expect(desk.notices(to: folder) == [.didChange])
  }
}
