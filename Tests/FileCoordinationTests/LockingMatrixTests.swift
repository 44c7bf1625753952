import FileCoordination
import Testing

/// Who waits for whom: C1 to C11, decided by the arbiter alone.
@Suite struct LockingMatrixTests {
  let desk = ArbiterDesk()

  @Test func c1_readersOfOneItemOverlap() throws {
    let (first, second) = (try desk.read(1, "/f"), try desk.read(2, "/f"))
    #expect(desk.isGranted(first) && desk.isGranted(second))
  }

  @Test func c2_aReaderWaitsForAnActiveWriter() throws {
    let writer = try desk.write(1, "/f")
    let reader = try desk.read(2, "/f")
    #expect(!desk.isGranted(reader))
    desk.release(writer)
    #expect(desk.isGranted(reader))
  }

  @Test func c3_aWriterWaitsForActiveReadersAndWriters() throws {
    let readers = [try desk.read(1, "/f"), try desk.read(2, "/f")]
    let writer = try desk.write(3, "/f")
    let next = try desk.write(4, "/f")
    desk.release(readers[0])
    #expect(!desk.isGranted(writer))
    desk.release(readers[1])
    #expect(desk.isGranted(writer) && !desk.isGranted(next))
    desk.release(writer)
    #expect(desk.isGranted(next))
  }

  @Test func c3_readersThatKeepComingDoNotStarveAWriter() throws {
    let reader = try desk.read(1, "/f")
    let writer = try desk.write(2, "/f")
    let late = try desk.read(3, "/f")
    #expect(!desk.isGranted(late))
    desk.release(reader)
    #expect(desk.isGranted(writer) && !desk.isGranted(late))
    desk.release(writer)
    #expect(desk.isGranted(late))
  }

  @Test func c5_claimsOfOnePurposeDoNotBlockEachOtherAcrossProcesses() throws {
    let first = try desk.claim(1, ("/f", .writes), purpose: "sync")
    let second = try desk.claim(2, ("/f", .writes), purpose: "sync")
    let other = try desk.claim(3, ("/f", .writes), purpose: "edit")
    #expect(desk.isGranted(first) && desk.isGranted(second) && !desk.isGranted(other))
    desk.release(first)
    #expect(!desk.isGranted(other), "the second of that purpose still writes")
    desk.release(second)
    #expect(desk.isGranted(other))
  }

  @Test func c5_aPurposeThatHoldsGoesPastThoseThatWaitForIt() throws {
    let holder = try desk.claim(1, ("/f", []), purpose: "sync")
    let waiter = try desk.claim(2, ("/f", .writes), ("/g", .writes))
    let behind = try desk.claim(3, ("/g", .writes))
    let nested = try desk.claim(1, ("/f", []), ("/g", []), purpose: "sync", parents: [holder])
    #expect(desk.isGranted(nested), "waiting would be waiting for oneself")
    #expect(!desk.isGranted(waiter) && !desk.isGranted(behind))
    desk.release(nested)
    desk.release(holder)
    #expect(desk.isGranted(waiter))
  }

  @Test func c6_aReaderOfAFolderAndAWriterInItDoNotWaitForEachOther() throws {
    let folder = try desk.claim(1, ("/d", .isDirectory))
    let inside = try desk.write(2, "/d/f")
    #expect(desk.isGranted(folder) && desk.isGranted(inside))
    #expect(desk.isGranted(try desk.claim(3, ("/d", .isDirectory))))
  }

  @Test func c7_aPlainWriterOfAFolderAndThoseInItDoNotWaitForEachOther() throws {
    let folder = try desk.write(1, "/d", .isDirectory)
    #expect(desk.isGranted(folder))
    #expect(desk.isGranted(try desk.write(2, "/d/f")))
    #expect(desk.isGranted(try desk.read(3, "/d/e/g")))
    #expect(desk.isGranted(try desk.write(4, "/dd")))
    // Nor does one that comes later wait for those who are in it already.
    #expect(desk.isGranted(try desk.write(1, "/e/f")))
    #expect(desk.isGranted(try desk.write(2, "/e", .isDirectory)))
  }

  @Test(arguments: [ClaimedItem.Options.deletes, .moves, .replaces])
  func c8_whatTakesAFolderAwayExcludesAccessesInIt(kind: ClaimedItem.Options) throws {
    let desk = ArbiterDesk()
    let before = try desk.read(1, "/d/e/f")
    let taking = try desk.write(2, "/d", kind.union(.isDirectory))
    let after = try desk.read(3, "/d/g")
    #expect(!desk.isGranted(taking) && !desk.isGranted(after))
    #expect(desk.isGranted(try desk.read(4, "/other")))
    desk.release(before)
    #expect(desk.isGranted(taking) && !desk.isGranted(after))
    desk.release(taking)
    #expect(desk.isGranted(after))
  }

  @Test func c9_anAccessToAPartOfAPackageIsOneToTheWholePackage() throws {
    let part = try desk.write(1, "/d/note.bundle/text")
    let other = try desk.read(2, "/d/note.bundle/pictures/1")
    let whole = try desk.claim(3, ("/d/note.bundle", .isDirectory))
    #expect(!desk.isGranted(other) && !desk.isGranted(whole))
    #expect(desk.isGranted(try desk.write(4, "/d/note.bundles/text")), "that is no package")
    desk.release(part)
    #expect(desk.isGranted(other) && desk.isGranted(whole))
  }

  @Test func c10_movingAPlainFileHasNoExtraEffect() throws {
    let moving = try desk.write(1, "/f", .moves)
    #expect(desk.isGranted(moving))
    #expect(desk.isGranted(try desk.write(2, "/f/g")), "no folder stood there")
    #expect(!desk.isGranted(try desk.read(3, "/f")))
  }

  @Test func c11_aWriterDoesOneThingAtATime() {
    // The options of a writer are cases of one type: two of them cannot be said.
    for kind in FileAccessIntent.Writing.allCases {
      let done = FileAccessIntent.writing("/f", kind).options.subtracting(.writes)
      #expect(done.rawValue.nonzeroBitCount <= 1, "\(kind)")
    }
  }

  @Test func c17_severalItemsAreClaimedTogetherOrNotAtAll() throws {
    let holder = try desk.write(1, "/y")
    let both = try desk.claim(2, ("/x", .writes), ("/y", .writes))
    let opposite = try desk.claim(3, ("/y", .writes), ("/x", .writes))
    #expect(!desk.isGranted(both) && !desk.isGranted(opposite))
    desk.release(holder)
    #expect(desk.isGranted(both) && !desk.isGranted(opposite))
    desk.release(both)
    #expect(desk.isGranted(opposite))
  }
}
