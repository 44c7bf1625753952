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
