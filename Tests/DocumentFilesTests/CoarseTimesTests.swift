import DocumentFiles
import FileCoordination
import Foundation
import SystemPackage
import Testing

/// A file that is written in place within the second in which it was read, keeps its length, and so
/// looks as it was, where times have whole seconds: D6, D10.
@Suite struct CoarseTimesTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  /// Writes into the very file, as of so many seconds ago.
  private func write(_ text: String, secondsAgo: Int64 = 0) throws {
    let path = desk.path("a.txt").string
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(desk.now - secondsAgo))],
      ofItemAtPath: path)
  }

  /// Which edits are versions.
  private func versions() throws -> [String] {
    try (folder.unresolvedConflictVersions(of: "a.txt") ?? []).map {
      String(decoding: try folder.contents(of: $0), as: UTF8.self)
    }
  }

  @Test(arguments: [0, 100])
  func d10_itIsNotOverwrittenByASave(secondsAgo: Int64) async throws {
    try write("old", secondsAgo: secondsAgo)
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try write("new", secondsAgo: secondsAgo)
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.save()
    }
    #expect(try desk.read("a.txt") == "new" && versions() == ["edited"])
    #expect(await document.contents == "new")
    try await document.close()
  }

  @Test func d10_norWhereItIsWrittenAfterASave() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "one" }
    try await document.save()
    // As if that had been saved on such a file system.
    try write("one")
    await document.look()
    try await document.edit { $0 = "edited" }
    try write("two")
    await document.look()
    #expect(try desk.read("a.txt") == "two" && versions() == ["edited"])
    #expect(await document.contents == "two")
    try await document.close()
  }

  @Test func d10_whatIsAsItWasIsSavedOver() async throws {
    try write("old")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    for text in ["edited", "edited again"] {
      try await document.edit { $0 = text }
      try await document.save()
      try write(text)
      await document.look()
    }
    try await document.close()
    #expect(try desk.read("a.txt") == "edited again" && desk.names == ["a.txt"])
  }

  @Test func d6_itIsReadAgain() async throws {
    try write("old")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try write("new")
    await document.look()
    #expect(await document.contents == "new")
    try await document.close()
  }

  @Test func d6_itIsReadAgainThoughNobodyLooksUntilTheSecondIsOver() async throws {
    try write("old")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try write("new")
    desk.time.advance(by: .seconds(60))
    await document.look()
    #expect(await document.contents == "new")
    try await document.close()
  }
}
