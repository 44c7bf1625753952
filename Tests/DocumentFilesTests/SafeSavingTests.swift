import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// How files are replaced: D2 and D10, whatever happens at whatever moment.
@Suite struct SafeSavingTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  @Test func d2_savingReplacesTheFileAndKeepsItsMode() async throws {
    #expect(chmod(desk.path("a.txt").string, 0o600) == 0)
    let before = try LinuxFileSystem().status(of: desk.path("a.txt"))
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "new" }
    try await document.save()
    let after = try LinuxFileSystem().status(of: desk.path("a.txt"))
    #expect(try desk.read("a.txt") == "new" && desk.names == ["a.txt"])
    #expect(after.inode != before.inode && after.mode == 0o600 && after.links == 1)
  }

  @Test func d2_aSaveThatFailsAtAnyStepLeavesTheOldFileWhole() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let desk = desk
    for step in [DocumentAmbient.Step.written, .synchronized, .closed] {
      try await document.edit { $0 += "+" }
      desk.atSteps { if $0 == step { throw FileError(.write, desk.root, .noSpace) } }
      await #expect(
        throws: DocumentFileError.system(
          operation: "write", path: desk.root.string, errno: Errno.noSpace.rawValue)
      ) { try await document.save() }
      #expect(try desk.read("a.txt") == "old" && desk.names == ["a.txt"])
      #expect(await document.state == .savingError)
      #expect(await document.hasUnsavedChanges)
    }
    desk.atSteps(nil)
    try await document.save()
    #expect(try desk.read("a.txt") == "old+++")
    #expect(await document.state == .normal)
  }

  @Test func d2_aSaveIsDoneThoughWhatItHasReplacedCannotBeRemoved() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let desk = desk
    desk.atSteps { if $0 == .replaced { throw FileError(.remove, desk.root, .ioError) } }
    try await document.edit { $0 = "new" }
    try await document.save()
    desk.atSteps(nil)
    #expect(await document.state == .normal)
    #expect(await !document.hasUnsavedChanges)
    #expect(try desk.read("a.txt") == "new")
    let left = try desk.names.filter { $0 != "a.txt" }
    #expect(left.count == 1 && left.allSatisfy { $0.hasSuffix(".nosync") })
    #expect(try left.map { try desk.read($0) } == ["old"])
    // What it has saved is what it expects.
    try await document.edit { $0 = "newer" }
    try await document.save()
    #expect(try desk.read("a.txt") == "newer" && folder.otherVersions(of: "a.txt") == [])
    try await document.close()
  }

  @Test func d2_theTemporaryFileHasANameThatSyncersIgnore() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "new" }
    let (desk, heard) = (desk, Heard())
    desk.atSteps { step in
      for name in try desk.names where name != "a.txt" { heard.note(name) }
      if step == .synchronized { #expect(try desk.read("a.txt") == "old") }
    }
    try await document.save()
    // Written, synchronized, closed, and twice more when the old file stands under that name.
    #expect(heard.lines.count == 5)
    for name in heard.lines { #expect(name.hasPrefix(".feedsync-") && name.hasSuffix(".nosync")) }
  }

  @Test func d10_aFileThatIsReplacedInTheLastMomentIsNotOverwritten() async throws {
    let desk = desk
    for step in [DocumentAmbient.Step.written, .synchronized, .closed] {
      try desk.write("a.txt", "old")
      let document = try await DocumentFile<String>.open("a.txt", in: folder)
      try await document.edit { $0 = "edited" }
      desk.atSteps { if $0 == step { try desk.write("a.txt", "a syncer's") } }
      await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
        try await document.save()
      }
      desk.atSteps(nil)
      #expect(try desk.read("a.txt") == "a syncer's")
      #expect(await document.contents == "a syncer's")
      #expect(await document.state == .inConflict)
      let versions = try #require(try folder.unresolvedConflictVersions(of: "a.txt"))
      #expect(
        try versions.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) } == [
          "edited"
        ])
      #expect(versions.first?.localizedNameOfSavingComputer == "testdesklocal")
      #expect(try desk.names.count == 2)
      try await folder.removeOtherVersions(of: "a.txt")
      try await document.close()
    }
  }

  @Test func d10_aNewerFileThatIsThereAlreadyKeepsItsNameAllTheTime() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try desk.write("a.txt", "a syncer's")
    let (desk, heard) = (desk, Heard())
    desk.atSteps { heard.note("\($0) \(try desk.read("a.txt"))") }
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("a.txt").string)) {
      try await document.save()
    }
    desk.atSteps(nil)
    // Only the version beside it was written.
    #expect(
      heard.lines == ["written a syncer's", "synchronized a syncer's", "closed a syncer's"])
    #expect(try contents(of: "a.txt") == ["a syncer's", "edited"])
  }

  /// All contents that the document has by versions, and as it is; nothing else may be there.
  private func contents(of name: String) throws -> Set<String> {
    #expect(try desk.names.allSatisfy { !$0.hasPrefix(".") })
    let current = try? desk.read(name)
    let others = try folder.otherVersions(of: FilePath(name)) ?? []
    let texts = try others.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) }
    return Set(texts + (current.map { [$0] } ?? []))
  }

  /// Saves an edit of a document, which another program writes before it changes places, and with
  /// which it does this before they are compared.
  ///
  /// - parameter afterCopying: what it does when what it wrote has been copied.
  private func save(
    _ name: String = "a.txt", _ meanwhile: @escaping @Sendable () throws -> Void,
    afterCopying: @escaping @Sendable () throws -> Void = {}
  ) async throws {
    let document = try await DocumentFile<String>.open(FilePath(name), in: folder)
    try await document.edit { $0 = "edited" }
    let desk = desk
    desk.atSteps { step in
      if step == .synchronized { try desk.write(name, "second") }
      if step == .exchanged { try meanwhile() }
      if step == .kept { try afterCopying() }
    }
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path(name).string)) {
      try await document.save()
    }
    desk.atSteps(nil)
  }

  @Test func d10_whatIsWrittenBetweenTheTwoExchangesBecomesAVersion() async throws {
    try await save { [desk] in try desk.write("a.txt", "third") }
    #expect(try contents(of: "a.txt") == ["second", "third", "edited"])
  }

  @Test func d10_whatWasToBePutBackIsThereWhereTheNewFileIsRemovedMeanwhile() async throws {
    try await save { [desk] in try desk.remove("a.txt") }
    #expect(try desk.read("a.txt") == "second")
    #expect(try contents(of: "a.txt") == ["second", "edited"])
  }

  @Test func d10_whatIsWrittenBetweenBecomesAVersionBesideOneOfTheSameSecond() async throws {
    try await folder.addConflict(Array("first".utf8), of: "a.txt")
    try await save { [desk] in try desk.write("a.txt", "third") }
    #expect(try contents(of: "a.txt") == ["first", "second", "third", "edited"])
  }

  @Test func d10_whatIsWrittenBetweenIsKeptWhereNoNameBesideItHasRoom() async throws {
    let name = String(repeating: "a", count: 240) + ".txt"
    try desk.write(name, "old")
    try await save(name) { [desk] in try desk.write(name, "third") }
    #expect(try contents(of: name) == ["second", "third", "edited"])
    #expect(try desk.names == ["a.txt", name])
  }

  @Test func d10_whatGoesOnBeingWrittenWhileItIsKeptIsKeptWhole() async throws {
    let name = String(repeating: "a", count: 240) + ".txt"
    try desk.write(name, "old")
    try await save(name) { [desk] in
      try desk.write(name, "third")
    } afterCopying: { [desk] in
      for hidden in try desk.names where hidden.hasPrefix(".feedsync-") {
        guard try desk.read(hidden) == "third" else { continue }
        // In the same file, as one does who has it open.
        try "third and last".write(
          toFile: desk.path(hidden).string, atomically: false, encoding: .utf8)
      }
    }
    #expect(try contents(of: name) == ["second", "third", "third and last", "edited"])
    #expect(try desk.names == ["a.txt", name])
  }

  @Test func v4_whatIsWrittenWhileAVersionIsRemovedStays() async throws {
    let copy = Desk.copy("a")
    try desk.write(copy, "first")
    let version = try #require(try folder.otherVersions(of: "a.txt")?.first)
    let changed = DocumentFileError.changedMeanwhile(path: desk.path(copy).string)
    let file = try FileHandle(forWritingTo: URL(filePath: desk.path(copy).string))
    let desk = desk
    desk.atSteps { step in
      // Its owner writes into it, and then a syncer brings another.
      try file.write(contentsOf: Data("second".utf8))
      try desk.write(copy, "third")
    }
    await #expect(throws: changed) { try await folder.remove(version) }
    #expect(try contents(of: "a.txt") == ["old", "second", "third"])
    // Now that it is known to be another one, it keeps its name all the time.
    desk.atSteps { Issue.record("\($0)") }
    await #expect(throws: changed) { try await folder.remove(version) }
    desk.atSteps(nil)
    #expect(try desk.read(copy) == "third")
  }

  @Test func d10_aFileThatAppearsWhileOneIsMadeIsNotOverwritten() async throws {
    let desk = desk
    desk.atSteps { if $0 == .synchronized { try desk.write("b.txt", "a syncer's") } }
    await #expect(throws: DocumentFileError.changedMeanwhile(path: desk.path("b.txt").string)) {
      try await DocumentFile.create("b.txt", "mine", in: folder)
    }
    desk.atSteps(nil)
    #expect(try desk.read("b.txt") == "a syncer's" && desk.names == ["a.txt", "b.txt"])
    let document = try await DocumentFile.create("c.txt", "mine", in: folder)
    #expect(try desk.read("c.txt") == "mine")
    try await document.close()
  }
}
