import FileCoordination
import Testing

/// Who is told what after an access: C14, C15, C29 to C33, P7, decided by the arbiter alone.
@Suite struct TellingPresentersTests {
  let desk = ArbiterDesk()

  private func path(_ text: String) throws -> ItemPath { try ArbiterDesk.path(text) }

  @Test func c31_aWriteIsToldToOthersAndAReadIsNot() throws {
    let (own, other) = (try desk.present(1, "/f"), try desk.present(2, "/f"))
    let writer = try desk.claim(1, ("/f", .writes), presenter: own)
    desk.answer(other, to: writer)
    desk.release(writer)
    #expect(desk.notices(to: other) == [.didChange, .reacquire(writer)])
    #expect(desk.notices(to: own).isEmpty)
    let reader = try desk.claim(1, ("/f", []), presenter: own)
    desk.answer(other, to: reader)
    desk.release(reader)
    #expect(desk.notices(to: other).suffix(1) == [.reacquire(reader)])
    #expect(desk.notices(to: other).count == 3)
  }

  @Test func p7_presentersOfFoldersHearOfItemsAtAnyDepth() throws {
    let (top, near) = (try desk.present(1, "/"), try desk.present(2, "/d/e"))
    let beside = try desk.present(3, "/x")
    desk.release(
      try desk.write(4, "/d/e/f"), [ItemOutcome(existedBefore: false, existsAfter: true)])
    desk.release(try desk.write(4, "/d/e/f"))
    let item = try path("/d/e/f")
    for presenter in [top, near] {
      #expect(desk.notices(to: presenter) == [.subitemDidAppear(item), .subitemDidChange(item)])
    }
    #expect(desk.notices(to: beside).isEmpty)
  }

  @Test func p7_soDoTheyOfVersionsAndMoves() throws {
    let (top, near) = (try desk.present(1, "/"), try desk.present(2, "/d/e"))
    let beside = try desk.present(3, "/x")
    let (old, new) = (try path("/d/e/f/a"), try path("/d/e/f/b"))
    for event in FileVersionEvent.allCases {
      desk.say(.version(event, at: old, id: "v1"), from: 4)
    }
    let mover = try desk.write(4, "/d/e/f/a", .moves)
    desk.say(.moved(claim: mover, from: old, to: new), from: 4)
    let versions = FileVersionEvent.allCases.map {
      PresenterNotice.subitemVersion($0, at: old, id: "v1")
    }
    for presenter in [top, near] {
      #expect(
        desk.notices(to: presenter) == versions + [.subitemDidMove(from: old, to: new)])
    }
    #expect(desk.notices(to: beside).isEmpty)
  }

  @Test func c31_whoeverWroteNothingHasNothingTold() throws {
    let folder = try desk.present(1, "/d")
    desk.release(
      try desk.write(2, "/d/f"), [ItemOutcome(existedBefore: false, existsAfter: false)])
    #expect(desk.notices(to: folder).isEmpty)
  }

  @Test(arguments: [[], .moves, .merges, .deletes, .replaces] as [ClaimedItem.Options])
  func c31_whoIsNotAskedToLetGoIsToldThatTheItemIsGone(how: ClaimedItem.Options) throws {
    let (asked, within) = (try desk.present(1, "/f"), try desk.present(1, "/f/x"))
    let writer = try desk.claim(2, ("/f", how.union([.writes, .isDirectory])))
    for presenter in [asked, within] where desk.questions(to: presenter, for: writer) != nil {
      desk.answer(presenter, to: writer)
    }
    #expect(desk.isGranted(writer))
    let late = [try desk.present(3, "/f"), try desk.present(3, "/f/x")]
    desk.release(writer, [ItemOutcome(existedBefore: true, existsAfter: false)])
    let isAnnounced = !how.isDisjoint(with: [.deletes, .replaces])
    #expect(
      desk.notices(to: asked) == (isAnnounced ? [] : [.didChange]) + [.reacquire(writer)])
    #expect(desk.notices(to: within).contains(.didChange) == !isAnnounced)
    for presenter in late { #expect(desk.notices(to: presenter) == [.didChange]) }
  }

  @Test func c31_aWriteOfAPackageIsToldToThoseWhoPresentAPartOfIt() throws {
    let (part, other) = (try desk.present(1, "/p.bundle/a"), try desk.present(1, "/d/a"))
    for name in ["/p.bundle", "/d"] {
      let writer = try desk.write(2, name, .isDirectory)
      desk.answer(part, to: writer)
      desk.release(writer)
      if name == "/p.bundle" {
        #expect(desk.notices(to: part) == [.didChange, .reacquire(writer)])
      }
    }
    #expect(desk.notices(to: other).isEmpty, "a folder is not its contents")
  }

  @Test func c29_versionsAreToldToAllPresentersTheOwnOnesToo() throws {
    let (item, folder) = (try desk.present(1, "/d/f"), try desk.present(2, "/d"))
    for event in FileVersionEvent.allCases {
      desk.say(.version(event, at: try path("/d/f"), id: "v1"), from: 1)
    }
    #expect(
      desk.notices(to: item) == FileVersionEvent.allCases.map { .version($0, id: "v1") })
    let file = try path("/d/f")
    #expect(
      desk.notices(to: folder)
        == FileVersionEvent.allCases.map { .subitemVersion($0, at: file, id: "v1") })
  }

  @Test func c14_aClaimThatWaitsFollowsTheItemThatIsRenamed() throws {
    let mover = try desk.write(1, "/d/a", .moves)
    let waiter = try desk.write(2, "/d/a")
    desk.say(.moved(claim: mover, from: try path("/d/a"), to: try path("/d/b")), from: 1)
    desk.release(mover)
    #expect(desk.granted(waiter) == ["/d/b"])
  }

  @Test func c14_whatIsInARenamedFolderFollowsToo() throws {
    let mover = try desk.write(1, "/d", [.moves, .isDirectory])
    let waiter = try desk.read(2, "/d/e/f")
    desk.say(.moved(claim: mover, from: try path("/d"), to: try path("/new")), from: 1)
    #expect(!desk.isGranted(try desk.read(3, "/new/g")), "the new name is claimed as well")
    desk.release(mover)
    #expect(desk.granted(waiter) == ["/new/e/f"])
  }

  @Test func c14_soDoesWhatIsHeldForOnePurposeInAFolderThatIsRenamedForThat() throws {
    let holder = try desk.claim(1, ("/d/f", .writes), purpose: "sync")
    let reader = try desk.claim(2, ("/d/g", []), purpose: "sync")
    let mover = try desk.claim(1, ("/d", [.writes, .moves, .isDirectory]), purpose: "sync")
    desk.say(.moved(claim: mover, from: try path("/d"), to: try path("/new")), from: 1)
    desk.release(mover)
    let writers = [try desk.write(3, "/new/f"), try desk.write(4, "/new/g")]
    #expect(!desk.isGranted(writers[0]) && !desk.isGranted(writers[1]))
    for (held, writer) in [(holder, writers[0]), (reader, writers[1])] {
      desk.release(held)
      #expect(desk.isGranted(writer))
    }
  }

  @Test func c15_aReplacingWriterStaysWithTheName() throws {
    let mover = try desk.write(1, "/a", .moves)
    let replacing = try desk.write(2, "/a", .replaces)
    desk.say(.moved(claim: mover, from: try path("/a"), to: try path("/b")), from: 1)
    desk.release(mover)
    #expect(desk.granted(replacing) == ["/a"])
  }

  @Test func c30_moversTellPresentersOfTheItemOfItsContentsAndOfFoldersAround() throws {
    let item = try desk.present(1, "/d/a")
    let inside = try desk.present(1, "/d/a/x")
    let around = try desk.present(1, "/d")
    let target = try desk.present(1, "/e")
    let own = try desk.present(2, "/d/a")
    let mover = try desk.claim(
      2, ("/d/a", [.writes, .moves, .isDirectory]), presenter: own, patience: .zero)
    desk.answer(item, to: mover)
    desk.answer(inside, to: mover)
    let (old, new) = (try path("/d/a"), try path("/e/b"))
    desk.say(.moved(claim: mover, from: old, to: new), from: 2)
    #expect(desk.notices(to: item) == [.didMove(to: new)])
    #expect(desk.notices(to: inside) == [.didMove(to: try path("/e/b/x"))])
    #expect(desk.notices(to: around) == [.subitemDidMove(from: old, to: new)])
    #expect(desk.notices(to: target) == [.subitemDidMove(from: old, to: new)])
    #expect(desk.notices(to: own).isEmpty)
    desk.release(mover, [])
    let later = try desk.write(3, "/e/b")
    #expect(desk.questions(to: item, for: later) == [.relinquishToWriter], "it is asked there now")
  }

  @Test func c30_aMoveIsOnlyBelievedOfWhoeverWritesTheItem() throws {
    let presenter = try desk.present(1, "/a")
    let reader = try desk.claim(2, ("/a", .withoutChanges))
    desk.answer(presenter, to: reader)
    for (old, new) in [("/a", "/b"), ("/other", "/b")] {
      desk.say(.moved(claim: reader, from: try path(old), to: try path(new)), from: 2)
    }
    #expect(desk.notices(to: presenter).isEmpty)
  }

  @Test func c30_aMoveToTheSameNameIsHarmless() throws {
    let presenter = try desk.present(1, "/a")
    let writer = try desk.write(2, "/a", .moves)
    desk.answer(presenter, to: writer)
    desk.say(.moved(claim: writer, from: try path("/a"), to: try path("/a")), from: 2)
    #expect(desk.notices(to: presenter).isEmpty)
  }

  @Test func c32_aChangeThatNobodyClaimedIsToldWithoutAskingFirst() throws {
    let (item, folder) = (try desk.present(1, "/d/f"), try desk.present(2, "/d"))
    desk.say(.changed(try path("/d/f")), from: 3)
    #expect(desk.notices(to: item) == [.didChange])
    #expect(desk.notices(to: folder) == [.subitemDidChange(try path("/d/f"))])
    #expect(desk.said[1]?.contains { if case .ask = $0 { true } else { false } } == false)
  }

  @Test func c33_whoeverRegistersWhileItReadsMissesNoWrite() throws {
    let reader = try desk.read(1, "/f")
    let writer = try desk.write(2, "/f")
    let presenter = try desk.present(1, "/f")
    desk.release(reader)
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
    desk.answer(presenter, to: writer)
    desk.release(writer)
    #expect(desk.notices(to: presenter) == [.didChange, .reacquire(writer)])
  }

  @Test func p2_aPresenterWithoutAnItemIsAskedNothingUntilItHasOne() throws {
    let presenter = try desk.present(1, nil)
    desk.release(try desk.write(2, "/f"))
    #expect(desk.notices(to: presenter).isEmpty)
    desk.say(
      .present(PresenterRecord(key: presenter, path: try path("/f")), gaveWayTo: []), from: 1)
    let writer = try desk.write(2, "/f")
    #expect(desk.questions(to: presenter, for: writer) == [.relinquishToWriter])
  }

  @Test func whoeverEndsWhileItWritesMayHaveChangedTheItem() throws {
    let presenter = try desk.present(1, "/f")
    let writer = try desk.write(2, "/f")
    desk.answer(presenter, to: writer)
    desk.input(.gone(2))
    #expect(desk.notices(to: presenter) == [.didChange, .reacquire(writer)])
  }
}
