import DocumentFiles
import FileCoordination
import Foundation
import Synchronization
import SystemFiles
import SystemPackage
import Testing

/// A synced folder that is away, or another one under its path: nothing in it is deleted, nothing
/// written into the other, and no edit lost: D7, D10.
@Suite struct AwayFolderTests {
  /// Who says what has become of the folder.
  private final class Watchman: Sendable {
    private struct State {
      var reason: String?
      var isReplaced = false
    }
    private let state = Mutex(State())

    func tell(reason: String?) { state.withLock { $0.reason = reason } }
    func tellIsReplaced() { state.withLock { $0.isReplaced = true } }

    func absence() throws -> String? {
      try state.withLock { state in
        if state.isReplaced { throw Another() }
        return state.reason
      }
    }
  }

  private struct Another: Error {}

  private let desk: Desk
  private let folder: DocumentFolder
  private let watchman = Watchman()
  private let away: DocumentFileError

  init() throws {
    desk = try Desk()
    var folder = try desk.folder()
    folder.absence = { [watchman] in try watchman.absence() }
    self.folder = folder
    away = .folderAway(path: folder.path.string, reason: "it is not mounted")
    try desk.write("a.txt", "old")
  }

  private var elsewhere: FilePath { desk.directory.path.appending("elsewhere") }

  /// Takes the folder away, as an unmounting does.
  private func takeAway() throws {
    watchman.tell(reason: "it is not mounted")
    try LinuxFileSystem().rename(desk.root, to: elsewhere)
  }

  private func bringBack() throws {
    try LinuxFileSystem().rename(elsewhere, to: desk.root)
    watchman.tell(reason: nil)
  }

  /// Another folder, with files of the same names, takes its place.
  private func replace() throws {
    watchman.tellIsReplaced()
    try LinuxFileSystem().rename(desk.root, to: elsewhere)
    try desk.makeFolder(desk.root)
    try desk.write("a.txt", "another's")
    try desk.write(Desk.copy("a"), "another's, too")
  }

  private func expectNothingWasWritten() throws {
    #expect(try desk.names == [Desk.copy("a"), "a.txt"].sorted())
    #expect(try desk.read("a.txt") == "another's" && desk.read(Desk.copy("a")) == "another's, too")
  }

  @Test func d7_aDocumentStaysOpenWhileItsFolderIsAwayAndIsSavedWhenItIsBack() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "edited" }
    try takeAway()
    for second in 1...3 {
      await document.look()
      desk.time.advance(by: .seconds(1))
      #expect(await document.state.isDisjoint(with: [.closed, .editingDisabled]), "\(second)")
    }
    await #expect(throws: away) { try await document.save() }
    await #expect(throws: away) { try await document.close() }
    #expect(await document.state == .savingError)
    #expect(await document.hasUnsavedChanges)
    try bringBack()
    try await document.save()
    #expect(try desk.read("a.txt") == "edited" && desk.names == ["a.txt"])
    #expect(await document.state == .normal)
    try await document.close()
  }

  @Test func d6_aFolderThatIsBackIsLookedAtWithoutAnyHint() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try takeAway()
    await document.look()
    #expect(await eventually { desk.time.due == [.seconds(15)] })
    desk.time.advance(by: .seconds(15))
    #expect(await eventually { desk.time.due == [.seconds(30)] })
    #expect(await document.state == .normal)
    try bringBack()
    try desk.write("a.txt", "a syncer's")
    desk.time.advance(by: .seconds(15))
    #expect(await eventually { await document.contents == "a syncer's" })
    try await document.close()
  }

  @Test func d6_editsThatWereGivenUpWhileTheFolderWasAwayDoNotShowForGood() async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = "a mistake" }
    try takeAway()
    await #expect(throws: away) { try await document.revert() }
    #expect(await document.contents == "a mistake")
    try bringBack()
    #expect(await eventually { desk.time.due.contains(.seconds(15)) })
    desk.time.advance(by: .seconds(15))
    #expect(await eventually { await document.contents == "old" })
    try await document.close()
    #expect(try desk.read("a.txt") == "old" && desk.names == ["a.txt"])
  }

  @Test func nothingIsTakenForMissingWhereTheFolderIsAway() async throws {
    let version = try #require(try folder.currentVersion(of: "a.txt"))
    try takeAway()
    await #expect(throws: away) { try await DocumentFile<String>.open("a.txt", in: folder) }
    await #expect(throws: away) { try await DocumentFile.create("b.txt", "new", in: folder) }
    await #expect(throws: away) { try await folder.addConflict([], of: "a.txt") }
    await #expect(throws: away) {
      try await folder.resolve("a.txt", merged: [], expecting: .version(version))
    }
  }

  @Test func whatDoesNotAnswerIsAskedForNoPath() async throws {
    // To follow a link is to ask the file system, which would not come back if its server is gone.
    try LinuxFileSystem().makeSymbolicLink(desk.path("out"), to: desk.state)
    try desk.write(Desk.copy("a"), "theirs")
    let version = try #require(try folder.otherVersions(of: "a.txt")?.first)
    watchman.tell(reason: "it is not mounted")
    let path: FilePath = "out/a.txt"
    await #expect(throws: away) { try await DocumentFile<String>.open(path, in: folder) }
    await #expect(throws: away) { try await DocumentFile.create(path, "new", in: folder) }
    await #expect(throws: away) { try await folder.addConflict([], of: path) }
    await #expect(throws: away) { try await folder.replace(path, with: version) }
    await #expect(throws: away) { try await folder.resolve(path, keeping: version) }
    await #expect(throws: away) { try await folder.resolve(path, merged: []) }
    await #expect(throws: away) { try await folder.removeOtherVersions(of: path) }
    await #expect(throws: away) { try await folder.remove(version) }
    await #expect(throws: away) { try await folder.markResolved([version]) }
  }

  @Test(arguments: [false, true])
  func d10_editsAreKeptOnThisMachineWhereAnotherFolderTakesItsPlace(
    _ isSaving: Bool
  ) async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let log = EventLog(document)
    try await document.edit { $0 = "edited" }
    try replace()
    if isSaving {
      await #expect(throws: Another.self) { try await document.save() }
    } else {
      await document.look()
    }
    #expect(await document.state == .closed)
    #expect(await document.contents == "edited")
    let kept = try #require(
      try folder.otherVersions(of: "a.txt")?.first { $0.origin == .kept })
    #expect(try folder.contents(of: kept) == Array("edited".utf8))
    #expect(
      await eventually {
        await log.events.last == .closed(.deleted(keptAs: kept.persistentIdentifier))
      })
    try expectNothingWasWritten()
  }

  @Test func d10_nothingIsChangedInAnotherFolderThatTakesItsPlace() async throws {
    try desk.write(Desk.copy("a"), "theirs")
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let log = EventLog(document)
    try replace()
    let version = try #require(try folder.unresolvedConflictVersions(of: "a.txt")?.first)
    await #expect(throws: Another.self) { try await folder.remove(version) }
    await #expect(throws: Another.self) { try await folder.markResolved([version]) }
    await #expect(throws: Another.self) { try await folder.replace("a.txt", with: version) }
    await #expect(throws: Another.self) { try await folder.addConflict([], of: "a.txt") }
    await #expect(throws: Another.self) { try await DocumentFile.create("b", "", in: folder) }
    await document.look()
    // Without edits there is nothing to keep; and nothing of the other's is shown.
    #expect(await eventually { await log.events.last == .closed(.unreadable) })
    #expect(await document.contents == "old")
    try expectNothingWasWritten()
  }
}
