import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// What this user may not write stays, though its folder would let it be replaced: D2, D3, V4, V5.
@Suite struct ProtectedFileTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws {
    desk = try Desk()
    try desk.write("a.txt", "old")
    // The mode alone decides: the superuser, who may run the tests, may write everything.
    folder = try desk.folder { ambient in
      ambient.checkWritable = { directory, name in
        let status = try directory.statusIfPresent(of: name)
        guard let status, status.mode & 0o200 == 0 else { return }
        throw FileError(.access, directory.path.appending(name), .permissionDenied)
      }
    }
  }

  private func setMode(_ mode: UInt32, _ name: String) {
    #expect(chmod(desk.path(name).string, mode) == 0)
  }

  private func refusal(_ name: String) -> DocumentFileError {
    .system(
      operation: "access", path: desk.path(name).string, errno: Errno.permissionDenied.rawValue)
  }

  /// An edited document whose file has been protected since it was opened.
  private func edited() async throws -> DocumentFile<String> {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    setMode(0o444, "a.txt")
    return document
  }

  /// A version of a conflict beside the document.
  private func conflict() throws -> FileVersion {
    try desk.write(Desk.copy("a"), "theirs")
    return try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
  }

  /// Whether each call refuses a file, and leaves the document, its conflict and what is kept.
  private func expectRefusal(
    of name: String, _ calls: [() async throws -> Void]
  ) async throws {
    for call in calls {
      await #expect(throws: refusal(name)) { try await call() }
      #expect(try desk.read("a.txt") == "old" && desk.names == [Desk.copy("a"), "a.txt"])
      #expect(try folder.otherVersions(of: "a.txt")?.map(\.origin) == [.conflict])
    }
  }

  @Test func d2_savingFailsAndTheEditsStayUnsaved() async throws {
    let document = try await edited()
    await #expect(throws: refusal("a.txt")) { try await document.save() }
    #expect(await document.state == .savingError)
    #expect(await document.hasUnsavedChanges)
    #expect(try desk.read("a.txt") == "old" && desk.names == ["a.txt"])
    #expect(try LinuxFileSystem().status(of: desk.path("a.txt")).mode == 0o444)
    setMode(0o644, "a.txt")
    try await document.save()
    #expect(await document.state == .normal)
    #expect(try desk.read("a.txt") == "edited")
    try await document.close()
  }

  @Test func d3_savingByItselfFailsAndIsTriedAgain() async throws {
    let document = try await edited()
    #expect(await eventually { desk.time.due == [.seconds(2)] })
    desk.time.advance(by: .seconds(2))
    #expect(await eventually { desk.time.due == [.seconds(17)] })
    #expect(await document.state == .savingError)
    #expect(try desk.read("a.txt") == "old")
    setMode(0o644, "a.txt")
    desk.time.advance(by: .seconds(15))
    #expect(try await eventually { try desk.read("a.txt") == "edited" })
    #expect(await eventually { await document.state == .normal })
    try await document.close()
  }

  @Test func d2_closingTellsAndTheDocumentStaysOpenWithItsEdits() async throws {
    let document = try await edited()
    await #expect(throws: refusal("a.txt")) { try await document.close() }
    #expect(await document.state == .savingError)
    #expect(await document.hasUnsavedChanges)
    #expect(await document.contents == "edited")
    // Should the file go, they are kept like any others.
    try desk.remove("a.txt")
    await document.look()
    #expect(await eventually { desk.time.due.contains(.seconds(1)) })
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { await document.state == .closed })
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: kept) == Array("edited".utf8))
  }

  @Test func d10_editsThatMeetANewerOneAreSetAsideAndCanBeSettled() async throws {
    let document = try await edited()
    try desk.write("a.txt", "a syncer's")
    setMode(0o444, "a.txt")
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.save()
    }
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: version) == Array("edited".utf8))
    #expect(try LinuxFileSystem().status(of: version.path).mode == 0o644)
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    #expect(try await folder.resolve("a.txt", keeping: current) == 1)
    #expect(try desk.names == ["a.txt"] && desk.read("a.txt") == "a syncer's")
    try await document.close()
  }

  @Test func v4_neitherAVersionNorWhatWasMergedTakesItsPlace() async throws {
    let (folder, version) = (folder, try conflict())
    setMode(0o444, "a.txt")
    try await expectRefusal(
      of: "a.txt",
      [
        { try await folder.replace("a.txt", with: version) },
        { try await folder.resolve("a.txt", keeping: version) },
        { try await folder.resolve("a.txt", keeping: version, discarding: true) },
        { try await folder.resolve("a.txt", merged: Array("both".utf8)) },
      ])
    // It is not changed by being chosen.
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    #expect(try await folder.resolve("a.txt", keeping: current) == 1)
    #expect(try desk.read("a.txt") == "old" && desk.names == ["a.txt"])
  }

  @Test func v5_aConflictCopyIsNeitherResolvedNorRemoved() async throws {
    let (folder, version) = (folder, try conflict())
    let current = try #require(try folder.currentVersion(of: "a.txt"))
    setMode(0o444, Desk.copy("a"))
    try await expectRefusal(
      of: Desk.copy("a"),
      [
        { try await folder.markResolved([version]) },
        { try await folder.remove(version) },
        { try await folder.removeOtherVersions(of: "a.txt") },
        { try await folder.resolve("a.txt", keeping: current) },
        { try await folder.resolve("a.txt", keeping: version) },
        { try await folder.resolve("a.txt", merged: Array("both".utf8)) },
      ])
    setMode(0o644, Desk.copy("a"))
    #expect(try await folder.resolve("a.txt", keeping: version) == 1)
    #expect(try desk.read("a.txt") == "theirs" && desk.names == ["a.txt"])
  }
}
