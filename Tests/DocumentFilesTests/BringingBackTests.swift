import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// A version that is kept on this machine brings its document back, also where that has gone with
/// all folders on the way to it: V4.
@Suite struct BringingBackTests {
  private let desk: Desk
  private let folder: DocumentFolder
  private let file: FilePath = "letters/old/a.txt"

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
  }

  /// A version of a document that went with its folders while it had edits.
  private func kept() async throws -> FileVersion {
    for name in ["letters", "letters/old"] { try desk.makeFolder(desk.path(name)) }
    try desk.write("letters/old/a.txt", "old")
    let document = try await DocumentFile<String>.open(file, in: folder)
    try await document.edit { $0 = "edited" }
    try FileManager.default.removeItem(atPath: desk.path("letters").string)
    await document.look()
    #expect(await eventually { desk.time.due.contains(.seconds(1)) })
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { await document.state == .closed })
    #expect(try desk.names == [] && folder.currentVersion(of: file) == nil)
    let versions = try #require(try folder.otherVersions(of: file))
    #expect(versions.map(\.origin) == [.kept])
    return try #require(versions.first)
  }

  @Test func v4_itBecomesTheDocumentAgainWhoseFoldersAreMade() async throws {
    let version = try await kept()
    try await folder.resolve(file, keeping: version, expecting: .nothing)
    #expect(try desk.read("letters/old/a.txt") == "edited")
    #expect(try LinuxFileSystem().status(of: desk.path("letters/old/a.txt")).mode == 0o600)
    // It stays until somebody discards it.
    #expect(try folder.otherVersions(of: file) == [version])
    let document = try await DocumentFile<String>.open(file, in: folder)
    #expect(await document.contents == "edited")
    try await document.close()
  }

  @Test func v4_whatIsMadeOfItBecomesTheDocumentToo() async throws {
    _ = try await kept()
    #expect(try await folder.resolve(file, merged: Array("merged".utf8), expecting: .nothing) == 0)
    #expect(try desk.read("letters/old/a.txt") == "merged")
  }

  @Test func v4_itCanBeDeletedForGoodAndNoFolderIsMadeForThat() async throws {
    let version = try await kept()
    try await folder.remove(version)
    #expect(try desk.names == [])
    #expect(try folder.otherVersions(of: file) == nil)
  }

  @Test func v4_aVersionThatIsGoneMakesNoFolder() async throws {
    let version = try await kept()
    try await folder.remove(version)
    await #expect(throws: DocumentFileError.self) {
      try await folder.resolve(file, keeping: version)
    }
    #expect(try desk.names == [])
  }

  @Test func v4_nothingIsMadeWhereALinkOrAFileStandsOnTheWay() async throws {
    let version = try await kept()
    try desk.write("letters", "a file")
    await #expect(throws: (any Error).self) {
      try await folder.resolve(file, keeping: version)
    }
    #expect(try desk.names == ["letters"] && desk.read("letters") == "a file")
    try desk.remove("letters")
    try LinuxFileSystem().makeSymbolicLink(desk.path("letters"), to: desk.state)
    await #expect(throws: (any Error).self) {
      try await folder.resolve(file, keeping: version)
    }
    let files = FileManager.default
    #expect(!files.fileExists(atPath: desk.state.appending("old").string))
  }
}
