import FileCoordination
import Testing

/// A process that is back before the end of its former connection is heard.
@Suite struct BackAgainTests {
  private let desk = ArbiterDesk()

  @Test func p1_aPresenterThatItDoesNotNameAnyMoreIsAskedNothing() throws {
    let ended = try desk.present(1, "/f")
    // What it said of that was lost.
    desk.greet(1)
    let writer = try desk.write(2, "/f")
    #expect(desk.questions(to: ended, for: writer) == nil && desk.isGranted(writer))
  }

  @Test func p10_whoAnswersAgainWhatHeHasAnsweredWaitsForNobodyInACircle() throws {
    let (asked, other) = (try desk.present(1, "/f"), try desk.present(4, "/f"))
    let writer = try desk.write(2, "/f")
    desk.greet(1, presenting: [asked: "/f"])
    desk.answer(asked, to: writer)
    let save = try desk.claim(1, ("/f", .writes), presenter: asked, answering: [writer])
    desk.answer(other, to: writer)
    desk.answer(asked, to: writer)
    #expect(desk.failure(of: save) == nil && desk.isGranted(writer))
    desk.release(writer)
    desk.answer(other, to: save)
    #expect(desk.isGranted(save))
  }
}
