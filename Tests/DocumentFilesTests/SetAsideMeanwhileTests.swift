import Dispatch
import DocumentFiles
import FileCoordination
import SystemPackage
import Testing

/// Edits that become a version while saving them waits for its turn: D10.
@Suite struct SetAsideMeanwhileTests {
  private let desk: Desk
  private let folder: DocumentFolder

  init() throws { (desk, folder) = try Desk.withDocument() }

  /// A document with edits which a look is about to set aside, behind another program that writes.
  private func waiting(
    _ body: (DocumentFile<String>, _ goOn: () async throws -> Void) async throws -> Void
  ) async throws {
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let (other, path) = (try desk.domain(), desk.path("a.txt"))
    let (hold, writing) = (DispatchSemaphore(value: 0), Heard())
    let writer = Task {
      try await FileCoordinator(other).coordinate([.writing(path)]) { _ in
        writing.note("writes")
        hold.wait()
      }
    }
    #expect(await eventually { !writing.lines.isEmpty })
    try await document.edit { $0 = "mine" }
    try desk.write("a.txt", "unseen")
    let look = Task { await document.look() }
    #expect(
      try await eventually { try other.report().claims.contains { $0.state == .waiting } })
    try await body(document) {
      hold.signal()
      try await writer.value
      await look.value
    }
    #expect(await eventually { await document.contents == "unseen" })
    try await document.close()
  }

  private func versions() throws -> [String] {
    let versions = try folder.unresolvedConflictVersions(of: "a.txt") ?? []
    return try versions.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) }
  }

  @Test func d10_aSaveSaysThatTheyAreInNoFile() async throws {
    try await waiting { document, goOn in
      let saving = Task { try await document.save() }
      await Task.yield()
      try await goOn()
      await #expect(throws: DocumentFileError.self) { try await saving.value }
    }
    #expect(try versions() == ["mine"])
  }

  @Test func d10_aCloseSaysSo() async throws {
    try await waiting { document, goOn in
      let closing = Task { try await document.close() }
      await Task.yield()
      try await goOn()
      await #expect(throws: DocumentFileError.self) { try await closing.value }
    }
    #expect(try versions() == ["mine"])
  }

  @Test func v6_aConflictIsNotSettledForWhatNobodyHasSeen() async throws {
    try desk.write(Desk.copy("a"), "theirs")
    try await waiting { document, goOn in
      let current = try #require(try folder.currentVersion(of: "a.txt"))
      let settling = Task { try await document.resolve(keeping: current, discarding: true) }
      await Task.yield()
      try await goOn()
      await #expect(throws: DocumentFileError.self) { try await settling.value }
    }
    #expect(try versions().sorted() == ["mine", "theirs"])
  }
}
