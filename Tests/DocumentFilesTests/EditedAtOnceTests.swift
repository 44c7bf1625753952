import DocumentFiles
import FileCoordination
import SystemPackage
import Testing

/// Several programs that have edits of a document when a syncer replaces it: D10.
@Suite struct EditedAtOnceTests {
  @Test func d10_eachSetsItsEditsAsideAndNoneWaitsForAnother() async throws {
    let (desk, heard) = (try Desk(), Heard())
    var documents: [DocumentFile<String>] = []
    try desk.write("a.txt", "old")
    for _ in 0..<3 {
      let folder = try desk.folder(
        waiting: AccessWaiting(onLapse: { heard.note("lapsed: \($0.path)") }))
      documents.append(try await DocumentFile<String>.open("a.txt", in: folder))
    }
    for round in 1...10 {
      for (number, document) in documents.enumerated() {
        try await document.edit { $0 = "edit \(number) of round \(round)" }
      }
      try desk.write("a.txt", "a syncer's \(round)")
      await withTaskGroup(of: Void.self) { group in
        for document in documents { group.addTask { await document.look() } }
      }
      for document in documents {
        // What it hears of the others' accesses may have it look once more.
        for _ in 0..<100 where await document.contents != "a syncer's \(round)" {
          await document.look()
        }
        #expect(await document.contents == "a syncer's \(round)")
        #expect(await !document.hasUnsavedChanges)
      }
    }
    #expect(heard.lines == [])
    let folder = try desk.folder()
    let versions = try folder.unresolvedConflictVersions(of: "a.txt") ?? []
    let texts = try versions.map { String(decoding: try folder.contents(of: $0), as: UTF8.self) }
    let expected = (1...10).flatMap { round in (0..<3).map { "edit \($0) of round \(round)" } }
    #expect(texts.sorted() == expected.sorted())
    for document in documents { try await document.close() }
  }
}
