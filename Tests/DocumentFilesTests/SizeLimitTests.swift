import DocumentFiles
import SystemPackage
import Testing

/// What is saved can be opened again: D2.
@Suite struct SizeLimitTests {
  private let desk: Desk
  private let folder: DocumentFolder
  private let tooLarge: DocumentFileError

  init() throws {
    desk = try Desk()
    folder = try desk.folder { $0.maximumBytes = 8 }
    try desk.write("a.txt", "12345678")
    tooLarge = .tooLarge(path: desk.path("a.txt").string, limit: 8)
  }

  @Test func d2_aDocumentIsNotSavedThatCouldNotBeOpenedAgain() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 += "9" }
    await #expect(throws: tooLarge) { try await document.save() }
    #expect(await document.state == .savingError)
    await #expect(throws: tooLarge) { try await document.close() }
    #expect(await document.hasUnsavedChanges)
    #expect(try desk.read("a.txt") == "12345678" && desk.names == ["a.txt"])
    // Once there is less of it, it is.
    try await document.edit { $0 = "123" }
    try await document.save()
    #expect(try desk.read("a.txt") == "123")
    #expect(await document.state == .normal)
    try await document.close()
  }

  @Test func d2_norIsOneMade() async throws {
    let error = DocumentFileError.tooLarge(path: desk.path("b.txt").string, limit: 8)
    await #expect(throws: error) {
      try await DocumentFile.create("b.txt", "123456789", in: folder)
    }
    #expect(try desk.names == ["a.txt"])
  }

  @Test func v6_norDoesWhatIsMergedBecomeOne() async throws {
    try desk.write(Desk.copy("a"), "theirs")
    await #expect(throws: tooLarge) {
      try await folder.resolve("a.txt", merged: Array("123456789".utf8))
    }
    #expect(try desk.read("a.txt") == "12345678")
    #expect(try desk.names == [Desk.copy("a"), "a.txt"].sorted())
  }

  @Test func d10_editsAreSetAsideAndKeptWhateverTheirSize() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 += "9" }
    try desk.write("a.txt", "another")
    await document.look()
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: version) == Array("123456789".utf8))
    try await folder.markResolved([version])
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: kept) == Array("123456789".utf8))
    try await document.close()
  }
}
