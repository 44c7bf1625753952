import DocumentFiles
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// What becomes of edits when something that is no file takes the place of an open document: D7.
@Suite struct TakenPlaceTests {
  enum Taker: CaseIterable, Sendable {
    case linkOut
    case linkInside
    case folder
    case fifo
  }

  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  private func take(_ name: String, by taker: Taker) throws {
    try desk.remove(name)
    let files = LinuxFileSystem()
    switch taker {
    case .linkOut: try files.makeSymbolicLink(desk.path(name), to: desk.state)
    case .linkInside: try files.makeSymbolicLink(desk.path(name), to: "other.txt")
    case .folder: try desk.makeFolder(desk.path(name))
    case .fifo: #expect(mkfifo(desk.path(name).string, 0o600) == 0)
    }
  }

  private func kept() throws -> FileVersion {
    let kept = try #require(try folder.otherVersions(of: "a.txt"))
    #expect(kept.map(\.origin) == [.kept])
    #expect(try kept.map { try folder.contents(of: $0) } == [Array("edited".utf8)])
    return try #require(kept.first)
  }

  @Test(arguments: Taker.allCases)
  func d7_unsavedEditsAreKeptBeforeTheDocumentCloses(_ taker: Taker) async throws {
    try desk.write("other.txt", "other")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let log = EventLog(document)
    try await document.edit { $0 = "edited" }
    try take("a.txt", by: taker)
    await document.look()
    #expect(await document.state == .closed)
    #expect(await !document.hasUnsavedChanges)
    let id = try kept().persistentIdentifier
    #expect(await eventually { await log.events.last == .closed(.deleted(keptAs: id)) })
    #expect(try desk.names == ["a.txt", "other.txt"] && desk.read("other.txt") == "other")
  }

  @Test(arguments: Taker.allCases)
  func d7_savingTellsAndKeepsThemWhereNobodyHasLooked(_ taker: Taker) async throws {
    try desk.write("other.txt", "other")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try take("a.txt", by: taker)
    await #expect(throws: (any Error).self) { try await document.save() }
    #expect(await document.state == .closed)
    _ = try kept()
    #expect(try desk.names == ["a.txt", "other.txt"] && desk.read("other.txt") == "other")
  }

  /// What takes the place of the folder that a document is in.
  enum FolderTaker: CaseIterable, Sendable {
    case file
    case linkOut
  }

  @Test(arguments: FolderTaker.allCases)
  func d7_unsavedEditsAreKeptWhereSomethingElseTakesItsFoldersPlace(
    _ taker: FolderTaker
  ) async throws {
    try desk.makeFolder(desk.path("letters"))
    try desk.write("letters/b.txt", "old")
    let document = try await DocumentFile<String>.open("letters/b.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try desk.remove("letters/b.txt")
    #expect(rmdir(desk.path("letters").string) == 0)
    switch taker {
    case .file: try desk.write("letters", "a file")
    case .linkOut:
      try LinuxFileSystem().makeSymbolicLink(desk.path("letters"), to: desk.state)
    }
    await document.look()
    if taker == .file {
      #expect(await eventually { desk.time.due.contains(.seconds(1)) })
      desk.time.advance(by: .seconds(1))
    }
    #expect(await eventually { await document.state == .closed })
    #expect(await !document.hasUnsavedChanges)
    try desk.remove("letters")
    let kept = try #require(try folder.otherVersions(of: "letters/b.txt"))
    #expect(try kept.map { try folder.contents(of: $0) } == [Array("edited".utf8)])
  }

  @Test func d8_editsOfADocumentThatWasMovedOutAreKeptUnderTheNameThatItHad() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let other = try FileCoordinator(try desk.domain())
    let (old, new) = (desk.path("a.txt"), desk.state.appending("b.txt"))
    try other.write(old, .forMoving) { path in
      try LinuxFileSystem().rename(path, to: new)
      try other.item(at: old, didMoveTo: new)
      // Whoever moves it may be a while; nobody has looked yet.
    }
    #expect(await eventually { document.path == new })
    _ = try? await document.edit { $0 = "edited" }
    #expect(await eventually { await document.state == .closed })
    #expect(await !document.hasUnsavedChanges)
    let kept = try folder.otherVersions(of: "a.txt") ?? []
    // It may have looked before it was edited, and then refuses that.
    #expect(try kept.allSatisfy { try folder.contents(of: $0) == Array("edited".utf8) })
  }

  @Test func aDocumentWithoutEditsClosesAndNothingIsKept() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let log = EventLog(document)
    try take("a.txt", by: .folder)
    await document.look()
    #expect(await eventually { await log.events.last == .closed(.unreadable) })
    #expect(throws: DocumentFileError.self) { try folder.otherVersions(of: "a.txt") }
  }
}
