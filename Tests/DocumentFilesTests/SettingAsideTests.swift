import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// Edits that meet a newer file become one version, once, whatever the document is called: D10.
@Suite struct SettingAsideTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
  }

  /// Opens a document, edits it, has a syncer write it, and looks.
  private func meet(_ name: String) async throws -> DocumentFile<String> {
    try desk.write(name, "old")
    let document = try await DocumentFile<String>.open(FilePath(name), in: folder)
    try await document.edit { $0 = "edited" }
    try desk.write(name, "a syncer's")
    await document.look()
    return document
  }

  private func text(_ version: FileVersion) throws -> String {
    String(decoding: try folder.contents(of: version), as: UTF8.self)
  }

  @Test(arguments: [
    (Desk.copy("a"), "a.txt"),
    ("budget_conflict-20240101-120000.xlsx", "budget.xlsx"),
    ("b (Ann's conflicted copy 2026-01-31).txt", "b.txt"),
  ])
  func d10_theyAreSetAsideOnceWhereTheDocumentIsAConflictCopyItself(
    _ name: String, _ first: String
  ) async throws {
    let document = try await meet(name)
    #expect(try desk.names.count == 2)
    #expect(await document.contents == "a syncer's")
    #expect(await document.state == .normal)
    #expect(await !document.hasUnsavedChanges)
    // Looking again, as for the event of the copy itself, brings no other.
    await document.look()
    try await document.close()
    #expect(try desk.names.count == 2)
    // Both are versions of the file whose name is without marks.
    let versions = try #require(try folder.unresolvedConflictVersions(of: FilePath(first)))
    #expect(try Set(versions.map(text)) == ["edited", "a syncer's"])
  }

  @Test func d10_theVersionIsTheOneThatIsListed() async throws {
    for name in ["a.txt", Desk.copy("a")] {
      try desk.write(name, "there")
      let added = try await folder.addConflict(Array("mine".utf8), of: FilePath(name))
      #expect(added.file == desk.path("a.txt") && added.origin == .conflict && added.size == 4)
      #expect(added.localizedNameOfSavingComputer == "testdesklocal")
      let listed = try #require(try folder.unresolvedConflictVersions(of: "a.txt"))
      #expect(listed.contains(added))
      #expect(try text(added) == "mine")
      // It can be settled as it was returned.
      try await folder.remove(added)
      #expect(try !desk.names.contains(added.persistentIdentifier))
    }
  }

  @Test func d10_theyAreKeptOnThisMachineWhereTheNameLeavesNoRoomForAMark() async throws {
    let name = String(repeating: "n", count: 230) + ".txt"
    let document = try await meet(name)
    #expect(await document.contents == "a syncer's")
    #expect(await !document.hasUnsavedChanges)
    let versions = try #require(try folder.otherVersions(of: FilePath(name)))
    #expect(versions.map(\.origin) == [.kept])
    #expect(try versions.map(text) == ["edited"])
    try await document.close()
    #expect(try desk.names == [name])
  }

  /// As where a file system has shorter names, or is full.
  @Test func d10_theyAreKeptOnThisMachineWhereTheFolderDoesNotTakeThem() async throws {
    desk.atSteps { step in
      guard step == .synchronized else { return }
      throw FileError(.rename, "a.sync-conflict.txt", .fileNameTooLong)
    }
    let document = try await meet("a.txt")
    #expect(await document.contents == "a syncer's")
    #expect(await !document.hasUnsavedChanges)
    let versions = try #require(try folder.otherVersions(of: "a.txt"))
    #expect(versions.map(\.origin) == [.kept])
    #expect(try versions.map(text) == ["edited"])
    try await document.close()
    #expect(try desk.names == ["a.txt"])
  }

  @Test func d10_theyAreKeptOnThisMachineWhereNoNameOfThisMinuteIsFree() async throws {
    try desk.write("a.txt", "there")
    for _ in 0..<60 { try await folder.addConflict(Array("mine".utf8), of: "a.txt") }
    let names = try desk.names
    #expect(names.count == 61)
    let kept = try await folder.addConflict(Array("one more".utf8), of: "a.txt")
    #expect(try kept.origin == .kept && text(kept) == "one more" && desk.names == names)
  }
}
