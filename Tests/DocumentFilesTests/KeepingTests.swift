import Dispatch
import DocumentFiles
import FileCoordination
import Foundation
import SystemPackage
import Testing

/// Edits of a file that is gone become a version of it as other versions are changed: V5.
@Suite struct KeepingTests {
  /// Notes what becomes of versions.
  private final class Listener: FilePresenter {
    let presentedItemPath: FilePath?
    let presentedItemQueue = DispatchQueue(label: "listener")
    let heard = Heard()

    init(_ path: FilePath) { presentedItemPath = path }

    func presentedItem(_ event: FileVersionEvent, version: String) {
      heard.note("\(event) \(version)")
    }
  }

  private let desk: Desk
  private let folder: DocumentFolder
  private let path: FilePath

  init() throws {
    (desk, folder) = try Desk.withDocument()
    path = desk.path("a.txt")
  }

  private func open(in folder: DocumentFolder) async throws -> DocumentFile<String> {
    try await DocumentFile<String>.open("a.txt", in: folder)
  }

  /// Deletes the file as a syncer does, and lets the time pass until it counts as deleted.
  private func delete(noticedBy documents: DocumentFile<String>...) async throws {
    try desk.remove("a.txt")
    for document in documents { await document.look() }
    let count = documents.count
    #expect(await eventually { desk.time.due.count { $0 == .seconds(1) } == count })
    desk.time.advance(by: .seconds(1))
  }

  private func kept() throws -> [String] {
    let versions = try folder.otherVersions(of: "a.txt") ?? []
    return try versions.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) }
  }

  @Test func v5_theyAreKeptInTheirTurnAndAllPresentersAreTold() async throws {
    let document = try await open(in: folder)
    let log = EventLog(document)
    try await document.edit { $0 = "edited" }
    let (other, path) = (try desk.domain(), path)
    let listener = Listener(path)
    try other.addFilePresenter(listener)
    let (hold, writing) = (DispatchSemaphore(value: 0), Heard())
    let writer = Task {
      try await FileCoordinator(other).coordinate([.writing(path)]) { _ in
        writing.note("writes")
        hold.wait()
      }
    }
    #expect(await eventually { !writing.lines.isEmpty })
    try await delete(noticedBy: document)
    #expect(
      try await eventually { try other.report().claims.contains { $0.state == .waiting } })
    #expect(try folder.otherVersions(of: "a.txt") == nil)
    #expect(await document.hasUnsavedChanges)
    // Whoever saves, or closes, meanwhile is told that the edits are in no file.
    let asking = [Task { try await document.save() }, Task { try await document.close() }]
    await Task.yield()
    hold.signal()
    try await writer.value
    await #expect(throws: DocumentFileError.self) { try await asking[0].value }
    let closing = await asking[1].result
    #expect(await eventually { await document.state == .closed })
    if case .failure(let error) = closing { #expect(error is DocumentFileError) }
    #expect(try kept() == ["edited"])
    let id = try #require(try folder.otherVersions(of: "a.txt")?.first).persistentIdentifier
    #expect(await eventually { await log.events.last == .closed(.deleted(keptAs: id)) })
    #expect(await eventually { listener.heard.lines == ["gained \(id)"] })
  }

  @Test func v5_thoseOfTwoProgramsAreKeptAndNeitherWaitsForTheOtherToSave() async throws {
    let (one, other) = (try await open(in: folder), try await open(in: try desk.folder()))
    try await one.edit { $0 = "edited here" }
    try await other.edit { $0 = "edited there" }
    try await delete(noticedBy: one, other)
    for document in [one, other] {
      #expect(await eventually { await document.state == .closed })
      #expect(await !document.hasUnsavedChanges)
    }
    #expect(try kept().sorted() == ["edited here", "edited there"])
  }

  @Test func v5_theyAreKeptAllTheSameWhereTheirTurnDoesNotCome() async throws {
    let impatient = try desk.folder(
      waiting: AccessWaiting(longestForKeeping: .milliseconds(50)))
    let document = try await open(in: impatient)
    try await document.edit { $0 = "edited" }
    let (other, path) = (try desk.domain(), path)
    let (hold, writing) = (DispatchSemaphore(value: 0), Heard())
    let writer = Task {
      try await FileCoordinator(other).coordinate([.writing(path)]) { _ in
        writing.note("writes")
        hold.wait()
      }
    }
    #expect(await eventually { !writing.lines.isEmpty })
    try await delete(noticedBy: document)
    #expect(await eventually { await document.state == .closed })
    #expect(try kept() == ["edited"])
    hold.signal()
    try await writer.value
  }

  @Test func v5_whoeverDeletesAFileWaitsUntilTheyAreKeptAndNoLonger() async throws {
    let document = try await open(in: folder)
    try await document.edit { $0 = "edited" }
    let lapses = Heard()
    let deleter = try FileCoordinator(
      try desk.domain(), onLapse: { lapses.note("\($0.process.id)") })
    let (kept, path) = (kept, path)
    let found = try await deleter.coordinate([.writing(path, .forDeleting)]) { _ in
      let found = try kept()
      #expect(unlink(path.string) == 0)
      return found
    }
    #expect(found == ["edited"])
    #expect(lapses.lines.isEmpty)
    #expect(await document.state == .closed)
  }
}
