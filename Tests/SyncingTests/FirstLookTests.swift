import FolderWatching
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import Testing

@Suite("The first look of a watch") struct FirstLookTests {
  @Test("tells what it has imported also where it is interrupted: no later one tells it")
  func interrupted() async throws {
    let world = try World()
    let folder = try world.folder("shared")
    let (ann, bob) = (try world.peer("ann", in: folder), try world.peer("bob", in: folder))
    for number in 1...3 {
      try bob.put("\(number)", "{}")
      try bob.publish()
    }
    let reads = Atomic(0)
    let files = InterruptedFileSystem(
      world.files,
      beforeReading: { path in
        guard path.extension == "log" else { return }
        guard reads.add(1, ordering: .relaxed).newValue == 2 else { return }
        withUnsafeCurrentTask { $0?.cancel() }
      })
    let device = Device(
      record: ann.device.record, database: ann.device.database,
      container: ContainerFolder(root: folder, files: files), ambient: world.ambient)
    let session = WatchSession(
      device: device, watcher: FolderWatcher(backend: PollingBackend(reason: .watcherTaken)),
      limits: ImportPart.Limits(operations: 1, bytes: 1, foldBytes: 1))
    let events = Mutex<[WatchEvent]>([])
    let watching = Task { try await session.run { event in events.withLock { $0.append(event) } } }
    await #expect(throws: CancellationError.self) { try await watching.value }
    let told = events.withLock(\.self)
    guard case .watching = told.first else {
      Issue.record("the first line is not the one that it watches")
      return
    }
    let ids = told.flatMap { event -> [String] in
      guard case .imported(let part) = event else { return [] }
      return part.documents.map { "\($0.key.id)" }
    }
    let here = try (1...3).filter { try ann.body("\($0)") != nil }
    #expect(ids == here.map { "\($0)" })
    #expect(here == [1, 2])
  }
}
