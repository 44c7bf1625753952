import DocumentFiles
import FileCoordination
import Synchronization
import SystemFiles
import SystemPackage
import Testing

/// What versions a document has: V1, V2, V6.
@Suite struct VersionListingTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
  }

  @Test func v1_noFileHasNoListAndAFileWithoutVersionsAnEmptyOne() throws {
    #expect(try folder.currentVersion(of: "a.txt") == nil)
    #expect(try folder.otherVersions(of: "a.txt") == nil)
    #expect(try folder.unresolvedConflictVersions(of: "a.txt") == nil)
    #expect(try folder.otherVersions(of: "no/folder/a.txt") == nil)
    try desk.write("a.txt", "mine")
    #expect(try folder.currentVersion(of: "a.txt")?.path == folder.path.appending("a.txt"))
    #expect(try folder.otherVersions(of: "a.txt") == [])
    #expect(try folder.unresolvedConflictVersions(of: "a.txt") == [])
  }

  @Test func v1_theOtherVersionsNeverHoldTheCurrentOneNorThoseOfOtherFiles() throws {
    try desk.write("a.txt", "mine")
    try desk.write(Desk.copy("a"), "theirs")
    try desk.write("a (Ann's conflicted copy 2026-02-01).txt", "hers")
    try desk.write("a (conflicted copy 2026-01-30 101500).txt", "his")
    try desk.write("\(Desk.copy("a", "")).sync-conflict-20260202-000000-HIJKLMN.txt", "of a copy")
    try desk.write(Desk.copy("b"), "another file's")
    try desk.write(Desk.copy("a", ".text"), "another file's")
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    let others = try #require(try folder.otherVersions(of: "a.txt"))
    // A number that was read off a list still means the same when another one comes.
    #expect(
      try others.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) } == [
        "his", "theirs", "hers", "of a copy",
      ])
    #expect(!others.contains(current))
    #expect(try folder.unresolvedConflictVersions(of: "a.txt") == others)
  }

  @Test func v1_thoseThatAreKeptWithinASecondAreInTheirOrder() async throws {
    // Each number that chance makes is less than the one before.
    let numbers = Mutex<UInt64>(.max)
    let folder = try desk.folder { ambient in
      ambient.random = {
        numbers.withLock { number in
          number -= 1
          return number
        }
      }
    }
    try desk.write("a.txt", "mine")
    let texts = (0..<20).map { "\($0)" }
    for text in texts {
      try desk.write(Desk.copy("a"), text)
      let versions = try #require(try folder.unresolvedConflictVersions(of: "a.txt"))
      try await folder.markResolved(versions)
    }
    let kept = try #require(try folder.otherVersions(of: "a.txt"))
    #expect(try kept.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) } == texts)
  }

  @Test func v1_versionsOfAFileThatIsGoneAreNotHidden() throws {
    try desk.write(Desk.copy("a"), "theirs")
    #expect(try folder.currentVersion(of: "a.txt") == nil)
    #expect(try folder.unresolvedConflictVersions(of: "a.txt")?.count == 1)
    #expect(try folder.documents().map(\.relativePath) == ["a.txt"])
    #expect(try folder.documents().first?.size == nil)
  }

  @Test func v1_oneThatCannotBeLookedAtIsNotTakenForGone() async throws {
    try desk.write("a.txt", "mine")
    try desk.write("b.txt", "mine")
    try desk.write(Desk.copy("a"), "theirs")
    let copy = desk.path(Desk.copy("a"))
    let failing = try desk.folder { ambient in
      ambient.status = { (directory, name) throws(FileError) in
        guard name != copy.lastComponent else { throw FileError(.status, copy, .ioError) }
        return try directory.statusIfPresent(of: name)
      }
    }
    let expected = DocumentFileError.system(
      operation: "status", path: copy.string, errno: Errno.ioError.rawValue)
    #expect(throws: expected) { _ = try failing.otherVersions(of: "a.txt") }
    var heard: [DocumentFileError] = []
    let documents = try failing.documents(onUnreadable: { heard.append($0) })
    #expect(documents.map(\.relativePath) == ["a.txt", "b.txt"] && heard == [expected])
    // Who only edits the file need not do without it.
    let document = try await DocumentFile<String>.open("a.txt", in: failing)
    #expect(await document.state.contains(.inConflict))
    try await document.edit { $0 = "mine, edited" }
    try await document.close()
    #expect(try desk.read("a.txt") == "mine, edited")
  }

  @Test func v2_aVersionHasContentsATimeAMachineAndAnIdentifierThatStays() throws {
    try desk.write("a.txt", "mine")
    try desk.write(Desk.copy("a"), "theirs")
    let version = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(version.localizedNameOfSavingComputer == "ABCDEFG")
    #expect(version.persistentIdentifier == Desk.copy("a"))
    #expect(abs(version.modificationDate.timeIntervalSinceNow) < 600 && version.size == 6)
    #expect(version.isConflict && !version.isResolved && version.origin == .conflict)
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    #expect(!current.isConflict && current.isResolved && current.origin == .current)
    #expect(try folder.contents(of: current) == Array("mine".utf8))
    #expect(throws: DocumentFileError.tooLarge(path: version.path.string, limit: 5)) {
      try folder.contents(of: version, limit: 5)
    }
  }

  @Test func v2_versionsAreEqualByFileAndIdentifier() throws {
    for name in ["a.txt", Desk.copy("a"), "b.txt", Desk.copy("b")] { try desk.write(name, name) }
    let (before, other) = (
      try folder.otherVersions(of: "a.txt")?.first, try folder.otherVersions(of: "b.txt")?.first
    )
    try desk.write(Desk.copy("a"), "written anew")
    let after = try folder.otherVersions(of: "a.txt")?.first
    #expect(before == after && before != other && before?.hashValue == after?.hashValue)
    #expect(before != (try folder.currentVersion(of: "a.txt")))
  }

  @Test func v6_theSyncersChoiceIsInPlaceAndNothingHasToBeDone() throws {
    try desk.write("letters.txt", "the winner")
    try desk.write(Desk.copy("letters"), "the loser")
    for _ in 0..<2 {
      #expect(try desk.read("letters.txt") == "the winner")
      #expect(try folder.otherVersions(of: "letters.txt")?.count == 1)
    }
    #expect(try desk.names.count == 2)
  }

  @Test func documentsAreListedWithTheirConflictsAtAnyDepth() throws {
    for name in ["inner", "inner/deep", ".stversions", "own.nosync"] {
      try desk.makeFolder(desk.path(name))
    }
    for name in [
      "b.txt", "inner/deep/a.txt", "inner/deep/\(Desk.copy("a"))",
      "inner/deep/\(Desk.copy("a", time: "111500"))", ".stversions/old.txt", "own.nosync/x.txt",
      ".hidden", "x.nosync.txt", "~syncthing~y.tmp", ".feedsync-0011223344556677.nosync",
    ] { try desk.write(name, name) }
    let documents = try folder.documents()
    #expect(documents.map(\.relativePath) == [".hidden", "b.txt", "inner/deep/a.txt"])
    #expect(documents.map(\.conflicts) == [0, 0, 2])
    #expect(
      documents.last?.size == 16
        && documents.last?.path == folder.path.appending("inner/deep/a.txt"))
  }
}
