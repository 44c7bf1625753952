import FileCoordination
import Foundation
import Testing

/// What is longer than a message may have it, or more than an arbiter takes: nobody's connection
/// ends for it, and with that all that its process holds.
@Suite struct OverlongTests {
  let desk = ArbiterDesk()

  @Test func aVersionsNameOfAnyLengthIsCutAndEndsNobodysAccess() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let (held, shown) = (try workshop.file("held", ""), try workshop.file("shown", ""))
    let presenter = FakePresenter(shown)
    try there.addFilePresenter(presenter)
    try FileCoordinator(there).write(held) { _ in
      try here.report(.gained, version: String(repeating: "v", count: 10_000), at: shown)
      #expect(presenter.journal.wait(for: "gained \(String(repeating: "v", count: 4096))"))
      #expect(throws: CoordinationError.self) {
        try FileCoordinator(here).write(held, timeout: .milliseconds(10)) { _ in
          Issue.record("two write at once")
        }
      }
    }
    there.removeFilePresenter(presenter)
  }

  @Test func whatCannotBeNamedAfterAMoveKeepsTheNameThatItHad() throws {
    let name = String(repeating: "n", count: ItemPath.maximumBytes - 10)
    let presenter = try desk.present(1, "/d/\(name)")
    let mover = try desk.write(2, "/d", [.isDirectory, .moves])
    desk.answer(presenter, to: mover)
    let waiter = try desk.read(3, "/d/\(name)")
    let longer = "/" + String(repeating: "e", count: 20)
    desk.say(
      .moved(claim: mover, from: try ArbiterDesk.path("/d"), to: try ArbiterDesk.path(longer)),
      from: 2)
    desk.release(mover)
    desk.answer(presenter, to: waiter)
    #expect(desk.granted(waiter) == ["/d/\(name)"])
    for message in desk.said.values.joined() {
      #expect(try ArbiterMessage(wire: message.wireBytes) == message)
    }
  }

  @Test func p11_onePresenterMoreThanAnArbiterTakesIsRefusedForThat() throws {
    let workshop = try Workshop()
    let (domain, queue) = (try workshop.domain(), DispatchQueue(label: "presenters"))
    let presenters = (0..<Arbiter.maximumPresenters).map { _ in FakePresenter(nil, queue: queue) }
    for presenter in presenters { try domain.addFilePresenter(presenter) }
    let file = try workshop.file("f", "")
    let more = FakePresenter(file, queue: queue)
    let refusal = CoordinationError.overLimit(path: file.string)
    #expect(throws: refusal) { try domain.addFilePresenter(more) }
    // One that is there is not one more, and the place of one that goes is free.
    try domain.addFilePresenter(presenters[0])
    domain.removeFilePresenter(presenters[1])
    try domain.addFilePresenter(more)
    #expect(try domain.report().presenters.contains { $0.path == file.string })
  }
}
