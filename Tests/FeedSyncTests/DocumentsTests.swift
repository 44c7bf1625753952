import FeedSync
import Foundation
import Testing

/// The user's own files, as a program that imports the library alone meets them.
@Suite struct DocumentsTests {
  private let place: Place
  private let container: UbiquityContainer

  init() throws {
    place = try Place()
    container = try UbiquityContainer.join(
      place.folder.path, identifier: "org.example.test", deviceName: "ann",
      state: place.state("ann"))
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: place.folder.appending(path: "Documents/\(name)"))
  }

  @Test func aDocumentIsMadeEditedAndSettledBesideTheCommand() async throws {
    let documents = try container.documents()
    let report = try await DocumentFile.create("report.txt", "mine", in: documents)
    try write("report.sync-conflict-20260131-101500-ABCDEFG.txt", "theirs")
    #expect(
      try place.feedsync("file", "list", "--conflicts") == "report.txt: 1 version in conflict\n")
    // Whoever has it open is asked to save what the command would not see otherwise.
    try await report.edit { $0 += ", edited" }
    try place.feedsync("file", "resolve", "report.txt", "--keep", "1")
    for _ in 0..<4_000 {
      if await report.contents == "theirs" { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(await report.contents == "theirs")
    let kept = try #require(try documents.otherVersions(of: "report.txt")?.first)
    #expect(kept.origin == .kept)
    #expect(try documents.contents(of: kept) == Array("mine, edited".utf8))
    try await report.close()
  }

  @Test func whatStandsInThePlaceOfTheFolderIsToldInWords() throws {
    let documents = place.folder.appending(path: "Documents")
    try Data().write(to: documents)
    let file = #expect(throws: FeedSyncError.self) { _ = try container.documents() }
    #expect(file?.message.hasSuffix("a file stands where a folder is to be") == true)
    try FileManager.default.removeItem(at: documents)
    try FileManager.default.createSymbolicLink(at: documents, withDestinationURL: place.root)
    let link = #expect(throws: FeedSyncError.self) { _ = try container.documents() }
    #expect(link?.message.hasSuffix("it is no regular file but: symbolicLink") == true)
    #expect(link?.hint?.contains("move it away") == true)
  }

  @Test func aDocumentStaysOpenWhileItsContainerIsAway() async throws {
    let report = try await DocumentFile.create("report.txt", "mine", in: try container.documents())
    try await report.edit { $0 += ", edited" }
    try place.setFolder(isAway: true)
    await report.look()
    let error = await #expect(throws: DocumentFileError.self) { try await report.save() }
    guard case .folderAway = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(await report.state == .savingError)
    try place.setFolder(isAway: false)
    try await report.close()
    let file = place.folder.appending(path: "Documents/report.txt")
    #expect(try String(contentsOf: file, encoding: .utf8) == "mine, edited")
  }

  @Test func nothingOfADocumentIsWrittenIntoAnotherContainer() async throws {
    let documents = try container.documents()
    let report = try await DocumentFile.create("report.txt", "mine", in: documents)
    try await report.edit { $0 += ", edited" }
    try place.setFolder(isAway: true)
    try FileManager.default.createDirectory(
      at: place.folder.appending(path: "Documents"), withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(
      place.folder.path, identifier: "org.example.test", deviceName: "bob",
      state: place.state("bob"))
    try write("report.txt", "another's")
    // Closed it is already, where it was to be saved by itself meanwhile.
    await #expect(throws: (any Error).self) { try await report.save() }
    #expect(await report.state == .closed)
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: place.folder.appending(path: "Documents").path) == ["report.txt"])
    let kept = try #require(try documents.otherVersions(of: "report.txt")?.first)
    #expect(try documents.contents(of: kept) == Array("mine, edited".utf8))
  }

  @Test func whatIsKeptOfADocumentComesAlongWhereAnotherContainerIsAdopted() throws {
    _ = try container.documents()
    try write("report.txt", "mine")
    try write("report.sync-conflict-20260131-101500-ABCDEFG.txt", "theirs")
    try place.feedsync("file", "resolve", "report.txt", "--keep", "current")
    let former = try #require(try keptVersions().first)
    try putAnotherContainersMarker()
    func kept() throws -> [String] {
      let adopted = try UbiquityContainer.adopt(place.folder.path, state: place.state("ann"))
      let documents = try adopted.container.documents()
      return try #require(try documents.otherVersions(of: "report.txt")).map {
        String(decoding: try documents.contents(of: $0), as: UTF8.self)
      }
    }
    #expect(try kept() == ["theirs"])
    #expect(try keptVersions() != [former])
    // A program that had it open all the while has set its edits aside since.
    let late = place.state("ann") + "/versions/\(former)/report.txt/ffffffffffffffff"
    try FileManager.default.createDirectory(atPath: late, withIntermediateDirectories: true)
    try Data("edited".utf8).write(to: URL(filePath: late + "/report.txt"))
    #expect(try kept() == ["theirs", "edited"])
    #expect(try keptVersions().count == 1)
  }

  /// The containers of which versions are kept.
  private func keptVersions() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.state("ann") + "/versions")
  }

  /// As a syncer does where two machines have made a container of one folder.
  private func putAnotherContainersMarker() throws {
    let elsewhere = place.root.appending(path: "theirs")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    _ = try UbiquityContainer.join(
      elsewhere.path, identifier: "org.example.test", deviceName: "bob", state: place.state("bob"))
    let marker = try Data(contentsOf: elsewhere.appending(path: "feedsync.container"))
    try marker.write(to: place.folder.appending(path: "feedsync.container"))
  }

  @Test func aContainerThatIsAwayHasNoDocumentsAndALinkIsNoFolder() throws {
    try place.setFolder(isAway: true)
    let error = #expect(throws: FeedSyncError.self) { try container.documents() }
    #expect(error?.code == .noContainer)
    try place.setFolder(isAway: false)
    try FileManager.default.createSymbolicLink(
      at: place.folder.appending(path: "Documents"), withDestinationURL: place.root)
    #expect(throws: FeedSyncError.self) { try container.documents() }
  }

  @Test func aFileThatThisUserMayNotWriteIsToldInWords() {
    let refusal = DocumentFileError.system(operation: "access", path: "/report", errno: EACCES)
    let error = FeedSyncError(refusal, operation: "save")
    #expect(error.code == .notPermitted && error.file == "/report")
    #expect(error.message == "this user may not write the file, so it is left as it is")
  }
}
