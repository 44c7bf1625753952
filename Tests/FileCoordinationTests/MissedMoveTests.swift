import FileCoordination
import SystemFiles
import SystemPackage
import Testing

/// C30: a presenter whose item was moved while it did not listen.
@Suite struct MissedMoveTests {
  let desk = ArbiterDesk()

  private func move(_ old: String, to new: String) throws {
    let mover = try desk.write(2, old, .moves)
    desk.say(
      .moved(claim: mover, from: try ArbiterDesk.path(old), to: try ArbiterDesk.path(new)), from: 2)
    desk.release(mover)
  }

  private func moves(toldTo presenter: CoordinationKey) -> [PresenterNotice] {
    desk.notices(to: presenter).filter { notice in
      if case .didMove = notice { true } else { false }
    }
  }

  /// A presenter that has let a deadline pass, and for which claim it was asked.
  private func lapsed(_ path: String) throws -> (CoordinationKey, CoordinationKey) {
    let presenter = try desk.present(1, path)
    let claim = try desk.claim(2, (path, .writes), patience: .seconds(1))
    desk.advance(by: .seconds(1))
    desk.release(claim)
    return (presenter, claim)
  }

  @Test func c30_oneThatComesBackIsToldWhereItsItemIsBeforeItLooks() throws {
    let (presenter, claim) = try lapsed("/a")
    try move("/a", to: "/b")
    try move("/b", to: "/c")
    #expect(moves(toldTo: presenter).isEmpty)
    desk.answer(presenter, to: claim)
    let told: [PresenterNotice] = [
      .reacquire(claim), .didMove(to: try ArbiterDesk.path("/c")), .didChange, .reacquire(claim),
    ]
    #expect(desk.notices(to: presenter) == told)
  }

  @Test func c30_soIsOneWhoseProcessDidNotRead() throws {
    let presenter = try desk.present(1, "/d/a")
    desk.input(.congested(1, true))
    let mover = try desk.write(2, "/d", [.isDirectory, .moves])
    desk.answer(presenter, to: mover)
    desk.say(
      .moved(claim: mover, from: try ArbiterDesk.path("/d"), to: try ArbiterDesk.path("/e")),
      from: 2)
    desk.release(mover)
    #expect(moves(toldTo: presenter).isEmpty)
    desk.input(.congested(1, false))
    #expect(moves(toldTo: presenter) == [.didMove(to: try ArbiterDesk.path("/e/a"))])
  }

  @Test func c30_aMoveWhileItsProcessComesBackIsNotTakenBackByWhatThatSaysOfBefore() throws {
    let presenter = try desk.present(1, "/a")
    let mover = try desk.write(2, "/a", .moves)
    desk.answer(presenter, to: mover)
    desk.say(.hello(member: 1, CoordinatingProcess(id: 101, name: "process1")), from: 1)
    let (old, new) = (try ArbiterDesk.path("/a"), try ArbiterDesk.path("/b"))
    desk.say(.moved(claim: mover, from: old, to: new), from: 2)
    // On its way before it was told.
    desk.say(.present(PresenterRecord(key: presenter, path: old), gaveWayTo: [mover]), from: 1)
    desk.say(.ready, from: 1)
    desk.release(mover)
    #expect(moves(toldTo: presenter) == [.didMove(to: new)])
    let writer = try desk.write(2, "/b")
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
  }

  @Test func c30_soIsOneWhoseProcessConnectsAnew() throws {
    let presenter = try desk.present(1, "/a")
    desk.input(.congested(1, true))
    let mover = try desk.write(2, "/a", .moves)
    desk.answer(presenter, to: mover)
    let (old, new) = (try ArbiterDesk.path("/a"), try ArbiterDesk.path("/b"))
    desk.say(.moved(claim: mover, from: old, to: new), from: 2)
    desk.release(mover)
    // Before the end of its former connection is heard.
    desk.say(.hello(member: 1, CoordinatingProcess(id: 101, name: "process1")), from: 1)
    desk.say(.present(PresenterRecord(key: presenter, path: old), gaveWayTo: []), from: 1)
    #expect(moves(toldTo: presenter).isEmpty)
    desk.say(.ready, from: 1)
    #expect(moves(toldTo: presenter) == [.didMove(to: new)])
  }

  @Test func whatItSaysWithoutKnowingOfTheMoveIsNotWhereItsItemIs() throws {
    let (presenter, claim) = try lapsed("/a")
    try move("/a", to: "/b")
    desk.say(
      .present(
        PresenterRecord(key: presenter, path: try ArbiterDesk.path("/a")), gaveWayTo: []), from: 1)
    desk.answer(presenter, to: claim)
    #expect(moves(toldTo: presenter) == [.didMove(to: try ArbiterDesk.path("/b"))])
    let writer = try desk.write(3, "/b")
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
  }

  @Test func oneThatWentElsewhereItselfIsToldOfNoMove() throws {
    let (presenter, claim) = try lapsed("/a")
    try move("/a", to: "/b")
    desk.say(
      .present(
        PresenterRecord(key: presenter, path: try ArbiterDesk.path("/z")), gaveWayTo: []), from: 1)
    desk.answer(presenter, to: claim)
    #expect(moves(toldTo: presenter).isEmpty)
    #expect(desk.questions(to: presenter, for: try desk.write(3, "/z")) == [.relinquishToWriter])
  }

  @Test func oneThatWritesElsewhereBeforeItHearsOfTheMoveIsAskedByTheNewName() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let (old, new) = (try workshop.file("old", ""), try workshop.file("new"))
    let other = try workshop.file("other", "")
    let presenter = FakePresenter(old)
    try there.addFilePresenter(presenter)
    let mover = try FileCoordinator(here)
    try mover.write(old, .forMoving) { path in
      presenter.presentedItemQueue.suspend()
      defer { presenter.presentedItemQueue.resume() }
      try LinuxFileSystem().rename(path, to: new)
      try mover.item(at: path, didMoveTo: new)
      try FileCoordinator(there, filePresenter: presenter).write(other) { _ in }
    }
    #expect(presenter.journal.wait(for: "moved"))
    try FileCoordinator(here).write(new) { _ in }
    #expect(presenter.journal.wait(for: "relinquish writer", count: 2))
    there.removeFilePresenter(presenter)
  }

  /// Has a presenter move its own item, then something else be done in the same access.
  private func moveOwn(
    _ old: FilePath, to new: FilePath, _ presenter: FakePresenter, by domain: CoordinationDomain,
    then body: (FilePath) throws -> Void = { _ in }
  ) throws {
    let mover = try FileCoordinator(domain, filePresenter: presenter)
    try mover.write(old, .forMoving) { path in
      try LinuxFileSystem().rename(path, to: new)
      try mover.item(at: path, didMoveTo: new)
      try body(path)
    }
  }

  @Test func oneThatMovesItsItemAsideAndMakesItAnewIsAskedByTheOldName() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let (file, aside) = (try workshop.file("f", "old"), try workshop.file("f.bak"))
    let presenter = FakePresenter(file)
    try there.addFilePresenter(presenter)
    try moveOwn(file, to: aside, presenter, by: there) { try Workshop.write("new", to: $0) }
    try FileCoordinator(here).write(file) { _ in }
    #expect(presenter.journal.wait(for: "relinquish writer"))
    there.removeFilePresenter(presenter)
  }

  @Test func oneThatMovesItsItemAndSaysSoLaterIsAskedByTheNewName() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let (old, new) = (try workshop.file("old", ""), try workshop.file("new"))
    let presenter = FakePresenter(old)
    try there.addFilePresenter(presenter)
    try moveOwn(old, to: new, presenter, by: there)
    presenter.setPath(new)
    // Nobody has claimed the new name, so nothing else tells that the move has been heard of.
    _ = try there.report(timeout: .seconds(30))
    try FileCoordinator(here).write(new) { _ in }
    #expect(presenter.journal.wait(for: "relinquish writer"))
    there.removeFilePresenter(presenter)
  }

  @Test func oneThatHasNotHeardYetOfALaterMoveIsAskedByTheNameThatItLedTo() throws {
    let workshop = try Workshop()
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let names = ["a", "b", "c", "d"].map { workshop.files.appending($0) }
    try Workshop.write("", to: names[0])
    let presenter = FakePresenter(names[0])
    try there.addFilePresenter(presenter)
    try moveOwn(names[0], to: names[1], presenter, by: there)
    // The other claims the new name without having heard of it by what keeps the queue.
    _ = try there.report(timeout: .seconds(30))
    let mover = try FileCoordinator(here)
    func move(_ number: Int) throws {
      try LinuxFileSystem().rename(names[number], to: names[number + 1])
      try mover.item(at: names[number], didMoveTo: names[number + 1])
    }
    try mover.write(names[1], .forMoving) { _ in try move(1) }
    #expect(presenter.journal.wait(for: "moved"))
    // Of the next one it does not hear before its own access has ended.
    try mover.write(names[2], .forMoving) { path in
      presenter.presentedItemQueue.suspend()
      try move(2)
      try Workshop.write("another", to: path)
    }
    try FileCoordinator(there, filePresenter: presenter).write(workshop.file("other")) { _ in }
    presenter.presentedItemQueue.resume()
    #expect(presenter.journal.wait(for: "moved", count: 2))
    #expect(presenter.presentedItemPath == names[3])
    _ = try there.report(timeout: .seconds(30))
    try FileCoordinator(here).write(names[3]) { _ in }
    #expect(presenter.journal.wait(for: "relinquish writer", count: 3))
    there.removeFilePresenter(presenter)
  }
}
