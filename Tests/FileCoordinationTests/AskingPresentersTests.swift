import FileCoordination
import Testing

/// Who is asked what before an access: C18 and C24 to C28, decided by the arbiter alone.
@Suite struct AskingPresentersTests {
  let desk = ArbiterDesk()

  @Test func c24_aReaderHasPresentersOfAllProcessesGiveWayAndSave() throws {
    let (near, far) = (try desk.present(1, "/f"), try desk.present(2, "/f"))
    let other = try desk.present(3, "/g")
    let reader = try desk.read(1, "/f")
    for presenter in [near, far] {
      #expect(desk.questions(to: presenter, for: reader) == [.relinquishToReader, .saveChanges])
    }
    #expect(desk.questions(to: other, for: reader) == nil)
    desk.answer(far, to: reader)
    #expect(!desk.isGranted(reader))
    desk.answer(near, to: reader)
    #expect(desk.isGranted(reader))
  }

  @Test func c24_theCoordinatorsOwnPresenterIsNotAsked() throws {
    let own = try desk.present(1, "/f")
    let reader = try desk.claim(1, ("/f", []), presenter: own)
    #expect(desk.isGranted(reader) && desk.questions(to: own, for: reader) == nil)
  }

  @Test func c24_oneThatComesWhileOthersAreBeingAskedIsAskedToo() throws {
    let slow = try desk.present(1, "/f")
    let reader = try desk.read(2, "/f")
    let (late, other) = (try desk.present(3, "/f"), try desk.present(3, "/g"))
    #expect(desk.questions(to: late, for: reader) == [.relinquishToReader, .saveChanges])
    #expect(desk.questions(to: other, for: reader) == nil)
    desk.answer(slow, to: reader)
    #expect(!desk.isGranted(reader))
    desk.answer(late, to: reader)
    #expect(desk.isGranted(reader))
  }

  @Test func c24_soIsOneThatComesWhenAllHaveAnsweredAndSomebodyIsInTheWay() throws {
    let first = try desk.present(1, "/f")
    let reader = try desk.read(2, "/f")
    let save = try desk.claim(1, ("/f", .writes), presenter: first, answering: [reader])
    desk.answer(first, to: reader)
    let late = try desk.present(3, "/f")
    desk.release(save)
    #expect(desk.questions(to: late, for: reader) == [.relinquishToReader, .saveChanges])
    #expect(!desk.isGranted(reader))
  }

  @Test func c24_aReaderWithoutChangesHasNobodySave() throws {
    let presenter = try desk.present(1, "/f")
    let reader = try desk.claim(2, ("/f", .withoutChanges))
    #expect(desk.questions(to: presenter, for: reader) == [.relinquishToReader])
  }

  @Test func c24_presentersOfEnclosingPackagesAreAskedAndThoseOfFoldersAreNot() throws {
    let package = try desk.present(1, "/d/n.bundle")
    let folder = try desk.present(1, "/d")
    let reader = try desk.read(2, "/d/n.bundle/text")
    #expect(desk.questions(to: package, for: reader) == [.relinquishToReader, .saveChanges])
    #expect(desk.questions(to: folder, for: reader) == nil)
  }

  @Test func c25_aWriterHasPresentersGiveWayAndAMergingOneHasThemSave() throws {
    let presenter = try desk.present(1, "/f")
    let writer = try desk.write(2, "/f")
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
    desk.answer(presenter, to: writer)
    desk.release(writer)
    let merging = try desk.write(2, "/f", .merges)
    #expect(desk.questions(to: presenter, for: merging) == [.relinquishToWriter, .saveChanges])
  }

  @Test(arguments: [ClaimedItem.Options.deletes, .replaces])
  func c25_whoeverTakesAnItemAwayHasPresentersLetGo(kind: ClaimedItem.Options) throws {
    let item = try desk.present(1, "/d")
    let inside = try desk.present(1, "/d/e/f")
    let beside = try desk.present(1, "/dd")
    let writer = try desk.write(2, "/d", kind.union(.isDirectory))
    for presenter in [item, inside] {
      #expect(
        desk.questions(to: presenter, for: writer) == [.relinquishToWriter, .accommodateDeletion])
    }
    #expect(desk.questions(to: beside, for: writer) == nil)
  }

  @Test func c25_presentersOfContainingPackagesLetGoOfThePart() throws {
    let package = try desk.present(1, "/n.bundle")
    let folder = try desk.present(1, "/")
    let writer = try desk.write(2, "/n.bundle/page", .deletes)
    let part = try ArbiterDesk.path("/n.bundle/page")
    #expect(
      desk.questions(to: package, for: writer)
        == [.relinquishToWriter, .accommodateSubitemDeletion(part)])
    #expect(desk.questions(to: folder, for: writer) == nil)
  }

  @Test func c26_aPresenterThatFailsFailsTheClaim() throws {
    let (first, second) = (try desk.present(1, "/f"), try desk.present(2, "/f"))
    let writer = try desk.write(3, "/f")
    let behind = try desk.claim(4, ("/f", []), patience: .seconds(1))
    desk.answer(second, to: writer, failure: "the disk is full")
    #expect(
      desk.failure(of: writer)
        == .presenterFailed(
          CoordinatingProcess(id: 102, name: "process2"), message: "the disk is full"))
    #expect(desk.notices(to: first) == [.reacquire(writer)])
    desk.advance(by: .seconds(1))
    #expect(desk.isGranted(behind), "the queue goes on")
  }

  @Test func c27_allAnswersAreWaitedForInWhateverOrderTheyCome() throws {
    let presenters = try (1...4).map { try desk.present($0, "/f") }
    let writer = try desk.write(1, "/f")
    for presenter in presenters.reversed() {
      #expect(!desk.isGranted(writer))
      desk.answer(presenter, to: writer)
    }
    #expect(desk.isGranted(writer))
  }

  @Test func c28_whatAPresenterWritesWhenAskedToSaveDoesNotWaitForTheAsker() throws {
    let presenter = try desk.present(1, "/f")
    let reader = try desk.read(2, "/f")
    let save = try desk.claim(
      1, ("/f", .writes), presenter: presenter, answering: [reader])
    #expect(desk.isGranted(save) && !desk.isGranted(reader))
    desk.answer(presenter, to: reader)
    #expect(!desk.isGranted(reader), "the save is not over")
    desk.release(save)
    #expect(desk.isGranted(reader))
  }

  @Test func c28_norDoesItWaitForThoseWhoWaitForTheAsker() throws {
    let presenter = try desk.present(1, "/f")
    let reader = try desk.read(2, "/f")
    let (writer, last) = (try desk.write(3, "/f"), try desk.read(4, "/f"))
    let save = try desk.claim(
      1, ("/f", .writes), presenter: presenter, answering: [reader])
    #expect(desk.isGranted(save) && desk.failure(of: save) == nil)
    desk.release(save)
    desk.answer(presenter, to: reader)
    #expect(desk.isGranted(reader) && !desk.isGranted(writer))
    desk.release(reader)
    desk.answer(presenter, to: writer)
    #expect(desk.isGranted(writer) && !desk.isGranted(last))
  }

  @Test func c28_whatAPresenterWantedToWriteBeforeItWasAskedGoesOnAtOnce() throws {
    let presenter = try desk.present(1, "/b")
    let holder = try desk.write(2, "/a")
    _ = try desk.claim(3, ("/a", .writes), ("/b", .writes))
    let save = try desk.claim(1, ("/b", .writes), presenter: presenter)
    #expect(!desk.isGranted(save))
    // It goes past those who wait for its own accessor.
    let reader = try desk.claim(2, ("/b", []), parents: [holder])
    #expect(desk.questions(to: presenter, for: reader) == [.relinquishToReader, .saveChanges])
    #expect(desk.isGranted(save))
    desk.answer(presenter, to: reader)
    #expect(!desk.isGranted(reader))
    desk.release(save)
    #expect(desk.isGranted(reader))
  }

  @Test func aCycleThroughPresentersIsAnErrorAndNotAHang() throws {
    let x = try desk.present(1, "/x")
    let y = try desk.present(2, "/y")
    let start = try desk.write(3, "/x")
    let second = try desk.claim(1, ("/y", .writes), answering: [start])
    #expect(desk.questions(to: y, for: second) == [.relinquishToWriter])
    let third = try desk.claim(2, ("/x", .writes), answering: [second])
    guard case .deadlock(let loop) = desk.failure(of: third) else {
      Issue.record("the cycle was not found")
      return
    }
    #expect(loop.map(\.process.id) == [102, 103, 101])
    desk.answer(y, to: second)
    #expect(desk.isGranted(second))
    desk.release(second)
    desk.answer(x, to: start)
    #expect(desk.isGranted(start))
  }

  @Test func aCycleThatTheLastAnswerClosesIsAnErrorAtOnce() throws {
    let presenter = try desk.present(1, "/f")
    let outer = try desk.write(3, "/x")
    let asker = try desk.claim(2, ("/f", .writes), ("/m", .writes))
    let save = try desk.claim(1, ("/f", .writes), presenter: presenter)
    #expect(desk.isGranted(save))
    let waiting = try desk.claim(1, ("/x", .writes), parents: [save])
    let last = try desk.claim(3, ("/m", .writes), parents: [outer])
    #expect(desk.failure(of: waiting) == nil && desk.failure(of: last) == nil)
    // From now on the asker waits for the save, and by way of that for itself.
    desk.answer(presenter, to: asker)
    guard case .deadlock = desk.failure(of: last) else {
      Issue.record("the cycle was not found")
      return
    }
    desk.release(outer)
    #expect(desk.isGranted(waiting))
  }

  @Test func c5_whatMayGoPastThoseWhoWaitForItsPurposeBeginsWithTheLastAnswer() throws {
    let presenter = try desk.present(4, "/a")
    let holder = try desk.write(4, "/h")
    let first = try desk.claim(2, ("/a", .writes), purpose: "p")
    let between = try desk.claim(3, ("/a", .writes), ("/b", .writes), ("/h", .writes))
    let second = try desk.claim(1, ("/b", .writes), purpose: "p")
    #expect(!desk.isGranted(second))
    desk.answer(presenter, to: first)
    #expect(desk.isGranted(first) && desk.isGranted(second))
    desk.release(holder)
    #expect(!desk.isGranted(between))
  }

  @Test func c5_whatMayGoPastThoseWhoWaitForItsPurposeBeginsWithAClaimOfThat() throws {
    let outer = try desk.write(2, "/o")
    let between = try desk.claim(3, ("/a", .writes), ("/b", .writes), ("/o", .writes))
    let second = try desk.claim(1, ("/b", .writes), purpose: "p")
    #expect(!desk.isGranted(second))
    let first = try desk.claim(2, ("/a", .writes), purpose: "p", parents: [outer])
    #expect(desk.isGranted(first) && desk.isGranted(second) && !desk.isGranted(between))
  }

  @Test func c14_theNameThatAnItemGetsMeanwhileHasPresentersToAsk() throws {
    let (first, second) = (try desk.present(1, "/a"), try desk.present(4, "/b"))
    let mover = try desk.claim(3, ("/a", [.writes, .moves]), ("/b", .writes), purpose: "p")
    desk.answer(first, to: mover)
    desk.answer(second, to: mover)
    let writer = try desk.claim(2, ("/a", .writes), purpose: "p")
    #expect(desk.questions(to: second, for: writer) == nil)
    desk.say(
      .moved(claim: mover, from: try ArbiterDesk.path("/a"), to: try ArbiterDesk.path("/b")),
      from: 3)
    #expect(desk.questions(to: second, for: writer) == [.relinquishToWriter])
    desk.answer(first, to: writer)
    #expect(!desk.isGranted(writer))
    desk.answer(second, to: writer)
    #expect(desk.granted(writer) == ["/b"])
  }

  @Test func c18_aBatchAsksOnceForAllThatIsInIt() throws {
    let inside = try desk.present(1, "/d/e/f")
    let batch = try desk.claim(2, ("/d", .isDirectory), purpose: "p", isBatch: true)
    #expect(desk.questions(to: inside, for: batch) == [.relinquishToReader, .saveChanges])
    desk.answer(inside, to: batch)
    #expect(desk.isGranted(batch))
    let nested = try desk.claim(2, ("/d/e/f", []), purpose: "p", parents: [batch])
    #expect(desk.isGranted(nested) && desk.questions(to: inside, for: nested) == nil)
    desk.release(nested)
    #expect(desk.notices(to: inside).contains(.reacquire(batch)) == false)
    desk.release(batch, [])
    #expect(desk.notices(to: inside) == [.reacquire(batch)])
    let later = try desk.claim(2, ("/d/e/f", []), purpose: "p")
    #expect(desk.questions(to: inside, for: later) == [.relinquishToReader, .saveChanges])
  }

  @Test func c18_aBatchClaimsNothing() throws {
    let batch = try desk.claim(1, ("/f", .writes), isBatch: true)
    let writer = try desk.write(2, "/f")
    #expect(desk.isGranted(batch) && desk.isGranted(writer))
  }
}
