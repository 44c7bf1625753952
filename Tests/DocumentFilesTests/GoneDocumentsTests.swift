import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// Documents that are gone are found by the versions of them that are kept on this machine.
@Suite struct GoneDocumentsTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws {
    desk = try Desk()
    folder = try desk.folder()
  }

  /// Has versions kept of a document, which is there.
  private func keep(_ name: String, versions: Int = 1) async throws {
    let path = desk.path(name)
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    try desk.write(name, "a")
    for number in 0..<versions {
      try await folder.resolve(FilePath(name), merged: Array("\(number)".utf8))
    }
  }

  private func listed() throws -> [String] {
    try folder.documents(includingGone: true).map { "\($0.relativePath) \($0.kept)" }
  }

  private func shown(
    _ predicate: MetadataPredicate = .everything, scope: MetadataScope = .documents
  ) throws -> [String] {
    try folder.metadata(where: predicate, scope: scope, includingGone: true).items
      .map { "\($0.relativePath) \($0.kept)" }
  }

  @Test func oneThatIsGoneIsListedWithTheNumberOfItsVersionsWhereThatIsAskedFor() async throws {
    for name in ["a.txt", "letters/b.txt", "letters/c.txt"] { try await keep(name, versions: 2) }
    #expect(try listed() == ["a.txt 0", "letters/b.txt 0", "letters/c.txt 0"])
    try desk.remove("letters/b.txt")
    #expect(try listed() == ["a.txt 0", "letters/b.txt 2", "letters/c.txt 0"])
    // Its folder as well.
    try FileManager.default.removeItem(atPath: desk.path("letters").string)
    #expect(try listed() == ["a.txt 0", "letters/b.txt 2", "letters/c.txt 2"])
    #expect(try folder.documents().map(\.relativePath) == ["a.txt"])
    #expect(try folder.metadata().items.map(\.relativePath) == ["a.txt"])
    let entry = try #require(try folder.documents(includingGone: true).last)
    #expect(entry.size == nil && entry.modificationDate == nil && entry.conflicts == 0)
    #expect(try folder.otherVersions(of: entry.path)?.count == 2)
    for version in try folder.otherVersions(of: "letters/b.txt") ?? [] {
      try await folder.remove(version)
    }
    #expect(try listed() == ["a.txt 0", "letters/c.txt 2"])
  }

  @Test func itShowsAsMissingAndConditionsHoldForIt() async throws {
    for name in ["a.txt", "letters/b.txt"] { try await keep(name) }
    try desk.remove("letters/b.txt")
    #expect(try shown() == ["a.txt 0", "letters/b.txt 1"])
    #expect(try shown(.status(.missing)) == ["letters/b.txt 1"])
    #expect(try shown(.inFolder("letters")) == ["letters/b.txt 1"])
    #expect(try shown(.name("a*")) == ["a.txt 0"])
    #expect(try shown(.hasUnresolvedConflicts) == [])
    let item = try #require(try folder.metadata(includingGone: true).items.last)
    #expect(item.size == nil && item.kind == .document && !item.isPublished)
  }

  @Test func oneThatHasConflictCopiesOrIsArrivingIsListedOnceAndAsThat() async throws {
    for name in ["a.txt", "b.txt"] { try await keep(name) }
    for name in ["a.txt", "b.txt"] { try desk.remove(name) }
    try desk.write(Desk.copy("a"), "theirs")
    try Data("b".utf8).write(to: URL(filePath: desk.path(".syncthing.b.txt.tmp").string))
    #expect(try listed() == ["a.txt 0", "b.txt 1"])
    #expect(try shown() == ["a.txt 0", "b.txt 0"])
    let copies = try shown(scope: .documentsAndConflictCopies)
    #expect(copies == ["\(Desk.copy("a")) 0", "a.txt 0", "b.txt 0"])
  }

  @Test func oneThatWasOpenedAsAConflictCopyIsListedToo() async throws {
    let name = Desk.copy("a")
    try desk.write(name, "theirs")
    let document = try await DocumentFile<String>.open(FilePath(name), in: folder)
    try await document.edit { $0 = "edited" }
    try desk.remove(name)
    await document.look()
    #expect(await eventually { desk.time.due.contains(.seconds(1)) })
    desk.time.advance(by: .seconds(1))
    #expect(await eventually { await document.state == .closed })
    #expect(try listed() == ["\(name) 1"] && shown() == ["\(name) 1"])
    let version = try #require(try folder.otherVersions(of: FilePath(name))?.first)
    #expect(try folder.contents(of: version) == Array("edited".utf8))
  }

  @Test func whatHasTakenItsPlaceIsNoDocument() async throws {
    try await keep("a.txt")
    try desk.remove("a.txt")
    try LinuxFileSystem().makeSymbolicLink(desk.path("a.txt"), to: "b.txt")
    try desk.write("b.txt", "b")
    #expect(try listed() == ["a.txt 1", "b.txt 0"])
  }

  @Test func aFolderThatIsCalledLikeAVersionIsTakenForNone() async throws {
    let name = "00c0ffee00c0ffee/00c0ffee00c0ffee"
    try await keep(name)
    #expect(try listed() == ["\(name) 0"])
    try desk.remove(name)
    #expect(try listed() == ["\(name) 1"])
  }

  @Test func nothingIsGoneInAFolderThatIsAway() async throws {
    try await keep("a.txt")
    var folder = folder
    let (desk, looked) = (desk, Heard())
    // It goes away just when it has been looked at.
    folder.absence = {
      defer { looked.note("") }
      return looked.lines.isEmpty ? nil : "it is not mounted"
    }
    try desk.remove("a.txt")
    #expect(throws: DocumentFileError.self) { try folder.metadata(includingGone: true) }
    #expect(throws: DocumentFileError.self) { try folder.documents(includingGone: true) }
    #expect(try folder.documents() == [])
  }

  @Test func nothingIsListedWhereNothingWasEverKept() throws {
    try desk.write("a.txt", "a")
    #expect(try listed() == ["a.txt 0"] && shown() == ["a.txt 0"])
  }
}
