import DocumentFiles
import FileCoordination
import Foundation
import SystemPackage
import Testing

/// What somebody decides of versions says nothing of those that he has not seen: V4, V6.
@Suite struct UnseenVersionsTests {
  private let desk: Desk
  private let folder: DocumentFolder
  private let copies = [Desk.copy("a"), Desk.copy("a", time: "111500")]

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
    try desk.write("a.txt", "mine")
    try desk.write(copies[0], "theirs")
  }

  /// The contents of all versions, the current one too.
  private func all() throws -> Set<String> {
    let others = try folder.otherVersions(of: "a.txt") ?? []
    return Set(
      try others.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) }
        + [desk.read("a.txt")])
  }

  private func current() throws -> FileVersion {
    try #require(try folder.currentVersion(of: "a.txt"))
  }

  @Test(arguments: [false, true])
  func v6_aFileThatAnOpenDocumentHasNotSeenDoesNotWin(isListedLate: Bool) async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let early = try current()
    // A syncer finds a conflict, and takes the other machine's for the file.
    try desk.write(copies[1], "mine")
    try desk.write("a.txt", "unseen")
    let chosen = isListedLate ? try current() : early
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.resolve(keeping: chosen, discarding: true)
    }
    #expect(try all() == ["unseen", "mine", "theirs"])
    #expect(try desk.names.count == 3)
    // It has looked, so that what shows by now may be chosen.
    #expect(await document.contents == "unseen")
    try await document.resolve(keeping: chosen, discarding: true)
    #expect(try desk.names == ["a.txt"] && desk.read("a.txt") == "unseen")
    try await document.close()
  }

  @Test(arguments: [false, true])
  func v6_whatComesWhileSomebodyMergesStays(isKeeping: Bool) async throws {
    let (listed, current) = (try folder.otherVersions(of: "a.txt"), try current())
    try desk.write(copies[1], "another")
    if isKeeping {
      try await folder.resolve("a.txt", keeping: current, settling: listed, discarding: true)
      #expect(try all() == ["mine", "another"])
    } else {
      try await folder.resolve(
        "a.txt", merged: Array("both".utf8), expecting: .version(current), settling: listed,
        discarding: true)
      #expect(try all() == ["both", "mine", "another"])
    }
    #expect(try desk.names == [copies[1], "a.txt"].sorted())
  }

  @Test func v6_soDoesAVersionThatChangesMeanwhile() async throws {
    let (listed, current) = (try folder.otherVersions(of: "a.txt"), try current())
    try desk.write(copies[0], "theirs, and more")
    await #expect(throws: DocumentFileError.self) {
      try await folder.resolve(
        "a.txt", merged: Array("both".utf8), expecting: .version(current), settling: listed,
        discarding: true)
    }
    #expect(try all().contains("theirs, and more"))
  }

  @Test(arguments: [false, true])
  func v6_theChosenVersionIsKeptWhereASyncerBringsAnotherFileMeanwhile(
    isDiscarding: Bool
  ) async throws {
    try desk.write(copies[1], "chosen")
    let (listed, current) = (try folder.otherVersions(of: "a.txt") ?? [], try current())
    let chosen = try #require(listed.last)
    desk.atSteps { [desk] step in
      // It is the file, and the other one is being taken out of the folder.
      guard step == .setAside, try desk.read("a.txt") == "chosen" else { return }
      try desk.write("a.txt", "unseen")
    }
    try await folder.resolve(
      "a.txt", keeping: chosen, expecting: .version(current), settling: listed,
      discarding: isDiscarding)
    let others: Set = isDiscarding ? ["mine", "chosen"] : ["mine", "chosen", "theirs"]
    #expect(try all() == others.union(["unseen"]))
    #expect(try desk.names == ["a.txt"])
  }

  @Test func v6_aCurrentVersionThatCameSinceIsNotReplaced() async throws {
    let (chosen, current) = (try folder.otherVersions(of: "a.txt")?.first, try current())
    let conflict = try #require(chosen)
    let changed = DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)
    try desk.write("a.txt", "unseen")
    await #expect(throws: changed) {
      try await folder.resolve("a.txt", keeping: conflict, expecting: .version(current))
    }
    // Nor where there was none.
    for merged in [false, true] {
      await #expect(throws: changed) {
        if merged {
          try await folder.resolve("a.txt", merged: Array("both".utf8), expecting: .nothing)
        } else {
          try await folder.resolve("a.txt", keeping: conflict, expecting: .nothing)
        }
      }
    }
    #expect(try all() == ["unseen", "theirs"] && desk.read("a.txt") == "unseen")
    #expect(try desk.names == [copies[0], "a.txt"].sorted())
    try desk.remove("a.txt")
    await #expect(throws: changed) {
      try await folder.resolve("a.txt", keeping: conflict, expecting: .version(current))
    }
    #expect(try desk.names == [copies[0]])
    try await folder.resolve("a.txt", keeping: conflict, expecting: .nothing)
    #expect(try all() == ["theirs"] && desk.names == ["a.txt"])
  }

  @Test func v6_norOneThatCameWhileItWaitedForItsTurn() async throws {
    try await settleWhileSomethingUnseenComes("a.txt")
    #expect(try all() == ["unseen", "theirs"] && desk.read("a.txt") == "unseen")
  }

  @Test func v6_whoHasOneOpenOfAnotherNameInBytesDoesNotAccountForThat() async throws {
    let (open, closed) = ("Jos\u{E9}.txt", "Jose\u{301}.txt")
    for name in [open, closed, Desk.copy("Jose\u{301}")] { try desk.write(name, name) }
    let document = try await DocumentFile<String>.open(FilePath(open), in: folder)
    try await settleWhileSomethingUnseenComes(closed)
    #expect(try desk.read(closed) == "unseen")
    try await document.close()
  }

  /// Somebody settles a conflict, has to wait for his turn, and finds what he has not seen.
  private func settleWhileSomethingUnseenComes(_ name: String) async throws {
    let file = FilePath(name)
    let conflict = try #require(try folder.otherVersions(of: file)?.first)
    let current = try #require(try folder.currentVersion(of: file))
    let (folder, path) = (folder, desk.path(name))
    let hold = DispatchSemaphore(value: 0)
    let other = try FileCoordinator(try desk.domain())
    let writer = Task {
      try await other.coordinate([.writing(path)]) { paths in
        hold.wait()
        try "unseen".write(toFile: paths[0].string, atomically: false, encoding: .utf8)
      }
    }
    #expect(try await eventually { try folder.domain.report().claims.count == 1 })
    let settling = Task {
      try await folder.resolve(file, keeping: conflict, expecting: .version(current))
    }
    #expect(
      try await eventually {
        try folder.domain.report().claims.contains { $0.state == .waiting }
      })
    hold.signal()
    try await writer.value
    await #expect(throws: DocumentFileError.changedMeanwhile(path: path.string)) {
      try await settling.value
    }
  }

  @Test func d3_v6_whatAnOpenDocumentSavesForThatIsNotUnseen() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let (chosen, current) = (try folder.otherVersions(of: "a.txt")?.first, try current())
    try await document.edit { $0 += ", edited" }
    try await desk.folder().resolve(
      "a.txt", keeping: try #require(chosen), expecting: .version(current))
    #expect(try desk.read("a.txt") == "theirs" && all() == ["theirs", "mine, edited"])
    #expect(await eventually { await document.contents == "theirs" })
    try await document.close()
  }

  @Test func v6_norDoesAFileThatAnOpenDocumentHasNotSeenGiveWay() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let conflict = try #require(try folder.otherVersions(of: "a.txt")?.first)
    try desk.write("a.txt", "unseen")
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.resolve(keeping: conflict)
    }
    #expect(try all() == ["unseen", "theirs"] && desk.read("a.txt") == "unseen")
    #expect(await document.contents == "unseen")
    try await document.resolve(keeping: conflict)
    #expect(try desk.read("a.txt") == "theirs" && all() == ["theirs", "unseen"])
    try await document.close()
  }

  @Test func v4_twoWhoseNamesDifferInTheirBytesAloneAreTwo() async throws {
    for (name, text) in [("Jos\u{E9}", "composed"), ("Jose\u{301}", "decomposed")] {
      try desk.write("a (conflicted copy \(name) 2026-01-31 101500).txt", text)
    }
    let versions = try #require(try folder.unresolvedConflictVersions(of: "a.txt"))
    try #require(versions.count == 3 && Set(versions).count == 3)
    let chosen = try #require(
      try versions.first {
        String(decoding: try folder.contents(of: $0), as: UTF8.self) == "composed"
      })
    try await folder.resolve("a.txt", keeping: chosen)
    #expect(try all() == ["composed", "decomposed", "mine", "theirs"])
  }

  @Test func d3_aDocumentIsClosedThoughSomebodyAsksItToSaveMeanwhile() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let (first, second) = (try desk.domain(), try desk.domain())
    let path = desk.path("a.txt")
    try await document.edit { $0 = "edited" }
    // A reader who does not ask holds the file, so that the last save has to wait.
    let (hold, reading) = (DispatchSemaphore(value: 0), Heard())
    let holder = Task {
      try await FileCoordinator(first).coordinate([.reading(path, .withoutChanges)]) { _ in
        reading.note("reads")
        hold.wait()
      }
    }
    #expect(await eventually { !reading.lines.isEmpty })
    let closing = Task { try await document.close() }
    #expect(
      try await eventually { try first.report().claims.contains { $0.state == .waiting } })
    // Another one asks for it to be saved.
    let reader = Task {
      try await FileCoordinator(second).coordinate([.reading(path)]) { paths in
        try String(contentsOfFile: paths[0].string, encoding: .utf8)
      }
    }
    #expect(try await eventually { try first.report().claims.count >= 2 })
    hold.signal()
    try await holder.value
    #expect(try await reader.value == "edited")
    try await closing.value
    #expect(await document.state == .closed)
  }
}
