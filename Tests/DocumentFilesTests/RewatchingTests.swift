import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// A document's folder that is exchanged for another of its name is watched on: D6.
@Suite struct RewatchingTests {
  private let desk: Desk

  init() throws {
    desk = try Desk()
    try desk.makeFolder(desk.path("inner"))
    try desk.write("inner/a.txt", "old")
  }

  /// Another folder takes the name, as where a syncer makes one anew.
  private func exchangeFolder() throws {
    try LinuxFileSystem().rename(desk.path("inner"), to: desk.path("aside"))
    try desk.makeFolder(desk.path("inner"))
    try desk.write("inner/a.txt", "new")
  }

  @Test func d6_aFolderIsWatchedAnewWhereItIsAnotherOneAndOnlyThere() async throws {
    let heard = Heard()
    let folder = try desk.folder { ambient in
      ambient.watch = { directory in
        heard.note(directory.lastComponent?.string ?? "")
        return .init(changes: AsyncStream { $0.finish() })
      }
    }
    let document = try await DocumentFile<String>.open("inner/a.txt", in: folder)
    for _ in 0..<3 { await document.look() }
    #expect(heard.lines == ["inner"])
    // Gone for a moment, it cannot be watched.
    try LinuxFileSystem().rename(desk.path("inner"), to: desk.path("away"))
    await document.look()
    #expect(heard.lines == ["inner"])
    try LinuxFileSystem().rename(desk.path("away"), to: desk.path("inner"))
    try exchangeFolder()
    for _ in 0..<3 { await document.look() }
    #expect(heard.lines == ["inner", "inner"])
    #expect(await document.contents == "new")
    try await document.close()
  }

  @Test(arguments: [false, true])
  func d6_whatHappensInAFolderThatTookTheNameIsSeen(_ isRemoved: Bool) async throws {
    let folder = try desk.folder(isWatching: true)
    let document = try await DocumentFile<String>.open("inner/a.txt", in: folder)
    if isRemoved {
      // On many file systems the new one has the number of the old one.
      try desk.remove("inner/a.txt")
      #expect(rmdir(desk.path("inner").string) == 0)
      try desk.makeFolder(desk.path("inner"))
      try desk.write("inner/a.txt", "new")
    } else {
      try exchangeFolder()
    }
    // A look may have come while there was none; the next one comes after a second.
    #expect(
      await eventually {
        desk.time.advance(by: .milliseconds(1))
        return await document.contents == "new"
      })
    // From here on time stands still: nobody looks by himself.
    try desk.write("inner/a.txt", "newer")
    #expect(await eventually { await document.contents == "newer" })
    try await document.close()
  }

  /// A folder above the document's is renamed, of which its own folder hears nothing.
  private func moveFolderAbove() throws {
    try LinuxFileSystem().rename(desk.path("outer"), to: desk.path("elsewhere"))
  }

  private func openBelow(_ folder: DocumentFolder) async throws -> DocumentFile<String> {
    try desk.makeFolder(desk.path("outer"))
    try desk.makeFolder(desk.path("outer/inner"))
    try desk.write("outer/inner/a.txt", "old")
    return try await DocumentFile<String>.open("outer/inner/a.txt", in: folder)
  }

  @Test func d6_whatTakesTheNameOfAFolderAboveIsSeen() async throws {
    let document = try await openBelow(desk.folder(isWatching: true))
    try moveFolderAbove()
    try desk.makeFolder(desk.path("outer"))
    try desk.makeFolder(desk.path("outer/inner"))
    try desk.write("outer/inner/a.txt", "new")
    #expect(
      await eventually {
        desk.time.advance(by: .milliseconds(1))
        return await document.contents == "new"
      })
    try desk.write("outer/inner/a.txt", "newer")
    #expect(await eventually { await document.contents == "newer" })
    try await document.close()
  }

  @Test(arguments: [false, true])
  func d6_editsAreKeptWhereAFolderAboveIsGone(_ isWatching: Bool) async throws {
    let folder = try desk.folder(isWatching: isWatching)
    let document = try await openBelow(folder)
    try await document.edit { $0 = "edited" }
    try moveFolderAbove()
    // Whoever closes it now is told that it could not be saved, or finds it closed.
    _ = try? await document.close()
    #expect(
      await eventually {
        desk.time.advance(by: .milliseconds(100))
        return await document.state == .closed
      })
    // It is told where the document's folder is again.
    try LinuxFileSystem().rename(desk.path("elsewhere"), to: desk.path("outer"))
    let kept = try #require(try folder.otherVersions(of: "outer/inner/a.txt")?.first)
    #expect(try folder.contents(of: kept) == Array("edited".utf8))
  }
}
