import Dispatch
import DocumentFiles
import FileCoordination
import Synchronization
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

  /// Has the file open, and once there is another version keeps those who ask it to save waiting.
  private final class Slow: FilePresenter {
    let presentedItemPath: FilePath?
    let presentedItemQueue = DispatchQueue(label: "slow")
    private let folder: DocumentFolder
    private let state = Mutex<(isFree: Bool, waiting: [@Sendable ((any Error)?) -> Void])>(
      (false, []))

    init(_ path: FilePath, _ folder: DocumentFolder) {
      (presentedItemPath, self.folder) = (path, folder)
    }

    var waiting: Int { state.withLock { $0.waiting.count } }

    func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
      let versions = (try? folder.unresolvedConflictVersions(of: "a.txt")) ?? []
      let isWaiting = state.withLock { state in
        guard !state.isFree, !versions.isEmpty else { return false }
        state.waiting.append(done)
        return true
      }
      if !isWaiting { done(nil) }
    }

    func free() {
      let waiting = state.withLock { state in
        state.isFree = true
        return state.waiting
      }
      for done in waiting { done(nil) }
    }
  }

  @Test func d10_aSaveWhoseEditsBecameAVersionSaysSoThoughItGaveWayAfterwards() async throws {
    let (desk, folder) = try Desk.withDocument()
    let document = try await DocumentFile<String>.open("a.txt", in: folder)
    let (other, path) = (try desk.domain(), desk.path("a.txt"))
    let slow = Slow(path, folder)
    try other.addFilePresenter(slow)
    try await document.edit { $0 = "mine" }
    try desk.write("a.txt", "a syncer's")
    // It sets the edits aside, and then waits with reading for the one that is slow.
    let saving = Task { try await document.save() }
    #expect(await eventually { slow.waiting == 1 })
    // Somebody else reads, and has the document asked to save, which comes first.
    let reader = try FileCoordinator(try desk.domain())
    let reading = Task { try await reader.coordinate([.reading(path)]) { _ in } }
    // The two, and the document once more: it gave way, and begins to read anew.
    #expect(await eventually { slow.waiting == 3 })
    slow.free()
    try await reading.value
    await #expect(throws: DocumentFileError.changedMeanwhile(path: path.string)) {
      try await saving.value
    }
    other.removeFilePresenter(slow)
    try await document.close()
  }
}
