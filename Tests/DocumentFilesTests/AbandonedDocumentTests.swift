import DocumentFiles
import Foundation
import SystemPackage
import Testing

/// A document that its program has let go of lives until its edits are somewhere: D3, D7.
@Suite struct AbandonedDocumentTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  /// Opens a document, edits it, and has it no more.
  private func edit(_ text: String) async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    try await document.edit { $0 = text }
  }

  @Test func d3_editsAreSavedThoughNobodyHasTheDocumentAnyMore() async throws {
    try await edit("edited")
    #expect(await eventually { desk.time.due == [.seconds(2)] })
    desk.time.advance(by: .seconds(2))
    #expect(try await eventually { try desk.read("a.txt") == "edited" })
    #expect(await eventually { folder.domain.filePresenters.isEmpty })
  }

  @Test func d7_editsAreKeptWhereTheFileIsGoneByTheTimeTheyAreToBeSaved() async throws {
    try await edit("edited")
    try desk.remove("a.txt")
    #expect(await eventually { desk.time.due == [.seconds(2)] })
    desk.time.advance(by: .seconds(2))
    // It is gone, but may be replaced in two steps; in a second that is decided.
    #expect(await eventually { desk.time.due.contains(.seconds(3)) })
    desk.time.advance(by: .seconds(1))
    #expect(try await eventually { try folder.otherVersions(of: "a.txt")?.count == 1 })
    let kept = try #require(try folder.otherVersions(of: "a.txt")?.first)
    #expect(try folder.contents(of: kept) == Array("edited".utf8))
    #expect(await eventually { folder.domain.filePresenters.isEmpty })
  }
}
