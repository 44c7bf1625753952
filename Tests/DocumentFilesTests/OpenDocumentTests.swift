import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// An open document among others who use its file: D1 to D9.
@Suite struct OpenDocumentTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  private func open() async throws -> DocumentFile<String> {
    try await DocumentFile<String>.open("a.txt", in: folder)
  }

  @Test func d1_openingAndSavingWaitTheirTurnAndBlockNobody() async throws {
    let other = try FileCoordinator(try desk.domain())
    let (folder, path) = (folder, desk.path("a.txt"))
    let hold = DispatchSemaphore(value: 0)
    let writer = Task {
      try await other.coordinate([.writing(path)]) { paths in
        hold.wait()
        try "written by another".write(toFile: paths[0].string, atomically: false, encoding: .utf8)
      }
    }
    #expect(try await eventually { try folder.domain.report().claims.count == 1 })
    let opening = Task { try await DocumentFile<String>.open("a.txt", in: folder) }
    #expect(
      try await eventually {
        try folder.domain.report().claims.contains { $0.state == .waiting }
      })
    hold.signal()
    try await writer.value
    let document = try await opening.value
    #expect(await document.contents == "written by another")
    // No write is missed that comes after the reading.
    try await other.coordinate([.writing(path)]) { paths in
      try "later".write(toFile: paths[0].string, atomically: false, encoding: .utf8)
    }
    #expect(await eventually { await document.contents == "later" })
    #expect(await eventually { await document.state == .normal })
    try await document.edit { $0 = "saved last" }
    let reads = Heard()
    let reader = Task {
      try await other.coordinate([.reading(path, .withoutChanges)]) { paths in
        reads.note("reads")
        hold.wait()
        return try String(contentsOfFile: paths[0].string, encoding: .utf8)
      }
    }
    #expect(await eventually { !reads.lines.isEmpty })
    let saving = Task { try await document.save() }
    #expect(
      try await eventually {
        try folder.domain.report().claims.contains { $0.state == .waiting }
      })
    // Nobody is kept from the document meanwhile.
    #expect(await document.hasUnsavedChanges)
    hold.signal()
    #expect(try await reader.value == "later")
    try await saving.value
    #expect(try desk.read("a.txt") == "saved last")
    try await document.close()
  }

  @Test func d3_editsAreSavedByThemselves() async throws {
    let document = try await open()
    try await document.edit { $0 += ", and new" }
    #expect(await document.hasUnsavedChanges)
    #expect(await eventually { desk.time.due == [.seconds(2)] })
    #expect(try desk.read("a.txt") == "old")
    desk.time.advance(by: .seconds(2))
    #expect(await eventually { await !document.hasUnsavedChanges })
    #expect(try desk.read("a.txt") == "old, and new")
    try await document.close()
  }

  @Test func d3_whoeverReadsGetsWhatIsEditedAndDoesNotWaitForAnAutosaveBehindHim() async throws {
    let document = try await open()
    let other = try FileCoordinator(try desk.domain())
    for text in ["edited", "edited again"] {
      try await document.edit { $0 = text }
      let start = ContinuousClock.now
      let read = try await other.coordinate([.reading(desk.path("a.txt"))]) { paths in
        try String(contentsOfFile: paths[0].string, encoding: .utf8)
      }
      #expect(read == text && ContinuousClock.now - start < .seconds(4))
    }
    try await document.close()
  }

  @Test func d3_aReaderIsServedWhileAnAutosaveWaitsBehindHim() async throws {
    let document = try await open()
    let (first, second) = (try desk.domain(), try desk.domain())
    let path = desk.path("a.txt")
    try await document.edit { $0 = "edited" }
    // A reader who does not ask holds the file, so that the autosave has to wait.
    let (hold, reading) = (DispatchSemaphore(value: 0), Heard())
    let holder = Task {
      try await FileCoordinator(first).coordinate([.reading(path, .withoutChanges)]) { _ in
        reading.note("reads")
        hold.wait()
      }
    }
    #expect(await eventually { !reading.lines.isEmpty && !desk.time.due.isEmpty })
    desk.time.advance(by: .seconds(2))
    #expect(
      try await eventually { try first.report().claims.contains { $0.state == .waiting } })
    // Another one asks for it to be saved, and is asked for by the first, who still reads.
    let start = ContinuousClock.now
    let writer = Task {
      try await FileCoordinator(second).coordinate([.writing(path, .forMerging)]) { paths in
        try String(contentsOfFile: paths[0].string, encoding: .utf8)
      }
    }
    #expect(try await eventually { try first.report().claims.count >= 2 })
    hold.signal()
    try await holder.value
    #expect(try await writer.value == "edited" && ContinuousClock.now - start < .seconds(4))
    try await document.close()
  }

  @Test func d4_everyChangeOfStateIsTold() async throws {
    let document = try await open()
    let log = EventLog(document)
    #expect(await document.state == .normal)
    try desk.write(Desk.copy("a"), "theirs")
    await document.look()
    try await folder.markResolved(try #require(try folder.otherVersions(of: "a.txt")))
    #expect(await eventually { await document.state == .normal })
    try await document.close()
    #expect(await document.state == .closed)
    #expect(await eventually { await log.isOver })
    // D5: a conflict comes in three steps.
    #expect(
      await log.states == [
        .editingDisabled, [.editingDisabled, .inConflict], .inConflict, .normal, .closed,
      ])
    #expect(await log.events.last == .closed(.asked))
    await #expect(throws: DocumentFileError.closed(path: desk.path("a.txt").string)) {
      try await document.edit { $0 = "late" }
    }
    await #expect(throws: DocumentFileError.self) { try await document.save() }
    try await document.close()
  }

  @Test func d6_aFileThatASyncerReplacesIsReadAgain() async throws {
    // Watched for real: the syncer coordinates with nobody.
    let watching = try desk.folder(try desk.domain(), isWatching: true)
    let document = try await DocumentFile<String>.open("a.txt", in: watching)
    let log = EventLog(document)
    try desk.write("a.txt", "a syncer's")
    #expect(await eventually { await document.contents == "a syncer's" })
    #expect(await eventually { await log.events.contains(.contents) })
    try await document.edit { $0 += ", and mine" }
    try await document.save()
    #expect(try desk.read("a.txt") == "a syncer's, and mine")
    try await document.close()
  }

  @Test func d6_aWriteOfAnotherProgramIsReadAgain() async throws {
    let document = try await open()
    let other = try await DocumentFile<String>.open("a.txt", in: try desk.folder())
    for (writer, reader) in [(document, other), (other, document)] {
      try await writer.edit { $0 += "+" }
      let text = await writer.contents
      try await writer.save()
      #expect(await eventually { await reader.contents == text })
      #expect(await eventually { await reader.state == .normal })
    }
    #expect(try folder.otherVersions(of: "a.txt") == [])
    try await document.close()
    try await other.close()
  }

  @Test func d6_d9_editsOfTwoProgramsAtOnceAreBothThere() async throws {
    let document = try await open()
    let other = try await DocumentFile<String>.open("a.txt", in: try desk.folder())
    try await document.edit { $0 = "one" }
    try await other.edit { $0 = "two" }
    try await document.save()
    #expect(await eventually { await other.state == .inConflict })
    #expect(await other.contents == "one")
    #expect(await eventually { await document.state == .inConflict })
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: version) == Array("two".utf8))
    try await other.resolve(keeping: version)
    for open in [document, other] {
      #expect(await eventually { await open.contents == "two" })
      #expect(await eventually { await open.state == .normal })
    }
    try await document.close()
    try await other.close()
  }

  @Test func d10_whoeverReadsGetsTheNewerFileWhereEditsCannotBeSaved() async throws {
    let document = try await open()
    try await document.edit { $0 = "edited" }
    try desk.write("a.txt", "a syncer's")
    let other = try FileCoordinator(try desk.domain())
    let read = try await other.coordinate([.reading(desk.path("a.txt"))]) { paths in
      try String(contentsOfFile: paths[0].string, encoding: .utf8)
    }
    #expect(read == "a syncer's")
    #expect(await eventually { await document.state == .inConflict })
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: version) == Array("edited".utf8))
    try await document.close()
  }

  @Test func d7_aFileThatIsDeletedClosesTheDocument() async throws {
    let document = try await open()
    let log = EventLog(document)
    try FileCoordinator(try desk.domain()).write(desk.path("a.txt"), .forDeleting) { path in
      #expect(unlink(path.string) == 0)
    }
    #expect(await eventually { await log.events.last == .closed(.deleted(keptAs: nil)) })
    #expect(await document.state == .closed)
    #expect(folder.domain.filePresenters.isEmpty)
  }

  @Test func d7_unsavedEditsOfAFileThatASyncerDeletesAreKept() async throws {
    let document = try await open()
    let log = EventLog(document)
    try await document.edit { $0 = "not saved yet" }
    try desk.remove("a.txt")
    await document.look()
    // A replacement in two steps looks like this, too, for a moment.
    #expect(await document.state == .normal)
    #expect(await eventually { desk.time.due.contains(.seconds(1)) })
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { await document.state == .closed })
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: kept) == Array("not saved yet".utf8))
    #expect(
      await eventually {
        await log.events.last == .closed(.deleted(keptAs: kept.persistentIdentifier))
      })
  }

  @Test func d7_aReplacementInTwoStepsClosesNothingHoweverOftenOthersHaveHimLook() async throws {
    let document = try await open()
    try await document.edit { $0 = "not saved yet" }
    try desk.remove("a.txt")
    for _ in 0..<5 { await document.look() }
    #expect(await document.state == .normal)
    try desk.write("a.txt", "a syncer's")
    await document.look()
    #expect(await document.contents == "a syncer's")
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: version) == Array("not saved yet".utf8))
    try await document.close()
  }

  @Test func d8_aFileThatIsMovedIsSavedWhereItIs() async throws {
    let document = try await open()
    let log = EventLog(document)
    try desk.makeFolder(desk.path("inner"))
    let (old, new) = (desk.path("a.txt"), desk.path("inner/b.txt"))
    let other = try FileCoordinator(try desk.domain())
    try await document.edit { $0 = "edited before" }
    try other.write(old, .forMoving) { path in
      try LinuxFileSystem().rename(path, to: new)
      try other.item(at: old, didMoveTo: new)
    }
    #expect(await eventually { document.path == new })
    #expect(await eventually { await log.events.contains(.moved(new)) })
    try await document.edit { $0 += ", and after" }
    try await document.save()
    #expect(try desk.read("inner/b.txt") == "edited before, and after")
    #expect(try desk.names == ["inner"])
    try await document.close()
  }

  @Test func d9_theWinnerIsInPlaceAndTheLoserAVersionWhenASyncerFindsAConflict() async throws {
    let document = try await open()
    try desk.write(Desk.copy("a"), "old")
    try desk.write("a.txt", "the winner")
    await document.look()
    #expect(await document.contents == "the winner")
    #expect(await document.state == .inConflict)
    // Editing goes on; the conflict stays until it is resolved.
    try await document.edit { $0 += ", edited" }
    try await document.resolve(keeping: try #require(try folder.currentVersion(of: "a.txt")))
    #expect(await eventually { await document.state == .normal })
    #expect(try desk.read("a.txt") == "the winner, edited" && desk.names == ["a.txt"])
    try await document.close()
  }

  @Test func d3_d9_whatIsUnsavedIsSavedBeforeAnotherProgramResolvesAndKept() async throws {
    let document = try await open()
    try desk.write(Desk.copy("a"), "theirs")
    try await document.edit { $0 += ", edited" }
    let other = try desk.folder()
    let version = try #require(try other.unresolvedConflictVersions(of: "a.txt")?.first)
    try await other.resolve("a.txt", keeping: version)
    #expect(await eventually { await document.contents == "theirs" })
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: kept) == Array("old, edited".utf8))
    try await document.close()
  }

  @Test func whatIsNoSuchDocumentIsNotOpenedAndClosesOneThatIsOpen() async throws {
    let domain = folder.domain
    #expect(
      Foundation.FileManager.default.createFile(
        atPath: desk.path("b").string, contents: Data([0xFF])))
    await #expect(throws: DocumentFileError.self) {
      try await DocumentFile<String>.open("b", in: folder)
    }
    await #expect(throws: DocumentFileError.notFound(path: desk.path("c").string)) {
      try await DocumentFile<String>.open("c", in: folder)
    }
    #expect(await eventually { domain.filePresenters.isEmpty })
    let document = try await open()
    let log = EventLog(document)
    try LinuxFileSystem().rename(desk.path("b"), to: desk.path("a.txt"))
    await document.look()
    #expect(await document.state == .normal)
    #expect(await eventually { desk.time.due.contains(.seconds(1)) })
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { await log.events.last == .closed(.unreadable) })
  }

  @Test func d6_aFileThatIsHalfWrittenIsReadOnceItIsWhole() async throws {
    let document = try await open()
    // As another program writes it in place: half of a character is there.
    for bytes in [[0xC3], [0xC3, 0xA4]] as [[UInt8]] {
      try Data(bytes).write(to: URL(filePath: desk.path("a.txt").string))
      await document.look()
    }
    #expect(await document.contents == "ä")
    #expect(await document.state == .normal)
    try await document.close()
  }

  @Test func revertingGivesUpWhatWasNotSaved() async throws {
    let document = try await open()
    try await document.edit { $0 = "a mistake" }
    try await document.revert()
    #expect(await document.contents == "old")
    #expect(await document.state == .normal)
    #expect(await !document.hasUnsavedChanges)
    try await document.close()
    #expect(try desk.read("a.txt") == "old")
  }

  @Test func aDocumentThatNobodyHasAnyMoreIsNoPresenter() async throws {
    let domain = folder.domain
    do {
      let document = try await open()
      #expect(domain.filePresenters.count == 1)
      #expect(await document.contents == "old")
    }
    #expect(await eventually { domain.filePresenters.isEmpty })
  }

  @Test func whatCouldNotBeOpenedIsPresentedByNobody() async throws {
    let domain = folder.domain
    try desk.makeFolder(desk.path("inner"))
    try Data([0xFF]).write(to: URL(filePath: desk.path("b").string))
    for name in ["b", "inner", "missing"] {
      await #expect(throws: DocumentFileError.self) {
        try await DocumentFile<String>.open(FilePath(name), in: folder)
      }
      // Nor is it in the queue's books, which have room for a number of presenters only.
      #expect(try await eventually { try domain.report().presenters.isEmpty }, "\(name)")
    }
  }
}
