import FeedSync
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import Testing

/// A container that was opened while its file system did not answer: to ask that takes seconds.
@Suite("A store whose folder does not answer", .timeLimit(.minutes(5))) struct SilentFolderTests {
  /// How often it was asked.
  private final class Asked: Sendable {
    let count = Mutex(0)
  }

  private let asked = Asked()
  private let place: Place
  private let store: DocumentStore

  init() throws {
    place = try Place()
    let found = try place.store()
    try found.write { try $0.put(Note(title: "x"), at: "a", in: "notes") }
    let device = found.device
    let asked = asked
    store = DocumentStore(
      try UbiquityContainer(
        device: Syncing.Device(
          record: device.record, database: device.database,
          container: ContainerFolder(
            root: device.container.root, files: UnreachableFileSystem()),
          ambient: device.ambient,
          ask: {
            asked.count.withLock { $0 += 1 }
            return .silent(resolved: $0)
          })))
  }

  @Test("reads without asking it")
  func reading() throws {
    #expect(try store.read { try $0.ids(in: "notes") } == ["a"])
    #expect(try store.rows("SELECT id FROM documents").count == 1)
    #expect(try store.result(of: DocumentQuery("notes")).count == 1)
    #expect(try !store.explain("SELECT id FROM documents").details.isEmpty)
    #expect(try store.indexes() == [])
    #expect(try store.history(of: "a", in: "notes").entries.count == 1)
    #expect(try store.body(at: "a", in: "notes", asOf: .distantFuture) != nil)
    #expect(try store.conflictedDocuments().isEmpty)
    #expect(try store.conflicts(of: "a", in: "notes").isEmpty)
    #expect(try store.status().documents == 1)
    #expect(try store.committedChanges(after: nil).changes.count == 1)
    #expect(try KeyValueStore(store).value(forKey: "none") == nil)
    #expect(try KeyValueStore(store).contents().entries.isEmpty)
    #expect(asked.count.withLock(\.self) == 0)
  }

  @Test("is followed without asking it")
  func following() async throws {
    var changes = store.changes(isImporting: false).makeAsyncIterator()
    var live = store.observe(DocumentQuery("notes"), isImporting: false).makeAsyncIterator()
    #expect(try await live.next()?.documents.count == 1)
    try await place.store().write { try $0.put(Note(title: "y"), at: "b", in: "notes") }
    #expect(try await changes.next()?.affects("notes") == true)
    #expect(try await live.next()?.documents.count == 2)
    #expect(asked.count.withLock(\.self) == 0)
  }

  @Test("is asked before something is written, which stays on this machine")
  func writing() throws {
    let result = try store.write { try $0.put(Note(title: "y"), at: "b", in: "notes") }
    #expect(result.publishingFailure?.code == .noContainer)
    #expect(asked.count.withLock(\.self) > 0)
    #expect(try store.status().unpublished == 1)
  }
}
