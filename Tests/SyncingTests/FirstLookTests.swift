import FolderWatching
import Glibc
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import Testing

@Suite("The first look of a watch") struct FirstLookTests {
  private let world: World
  private let ann: Peer
  private let bob: Peer
  private let events = Told()

  /// Bob has written thrice.
  init() throws {
    world = try World()
    let folder = try world.folder("shared")
    (ann, bob) = (try world.peer("ann", in: folder), try world.peer("bob", in: folder))
    for number in 1...3 {
      try bob.put("\(number)", "{}")
      try bob.publish()
    }
  }

  /// Has ann watch, and import file by file; `body` is called within, before such a file is read.
  private func watch(
    holding held: HeldEvents = HeldEvents(),
    beforeReading number: Int, _ body: @escaping @Sendable () -> Void
  ) -> Task<Void, any Error> {
    let reads = Atomic(0)
    let files = InterruptedFileSystem(
      world.files,
      beforeReading: { path in
        guard path.extension == "log" else { return }
        if reads.add(1, ordering: .relaxed).newValue == number { body() }
      })
    let device = Device(
      record: ann.device.record, database: ann.device.database,
      container: ContainerFolder(root: ann.folder, files: files), ambient: world.ambient)
    let session = WatchSession(
      device: device, watcher: FolderWatcher(backend: PollingBackend(reason: .watcherTaken)),
      limits: ImportPart.Limits(operations: 1, bytes: 1, foldBytes: 1))
    return Task { [events] in try await session.run(held: held) { events.add([$0]) } }
  }

  /// Which of bob's documents are in ann's database.
  private func imported() throws -> [String] {
    try (1...3).map { "\($0)" }.filter { try ann.body($0) != nil }
  }

  @Test("tells what it has imported also where it is interrupted: no later one tells it")
  func interrupted() async throws {
    let watching = watch(beforeReading: 2) { withUnsafeCurrentTask { $0?.cancel() } }
    await #expect(throws: CancellationError.self) { try await watching.value }
    #expect(events.beginWithWatching)
    #expect(try imported() == ["1", "2"])
    #expect(try events.ids == imported())
  }

  @Test("leaves what it has imported to who has to leave while it does not end, and tells the rest")
  func left() async throws {
    let (held, leaving, ending) = (HeldEvents(), Told(), Ending())
    let watching = watch(holding: held, beforeReading: 3) {
      // It may be read ahead, while the first is still to be committed.
      var released = held.releaseImported()
      while released.isEmpty, !ending.isOverdue {
        sched_yield()
        released = held.releaseImported()
      }
      leaving.add(released)
      ending.begin()
    }
    ending.end(watching)
    // It may have come to the end of its look by then.
    do { try await watching.value } catch is CancellationError {}
    #expect(leaving.beginWithWatching && !leaving.ids.isEmpty)
    // In one order, each once, and none of them before the line that says that it watches.
    #expect(try leaving.ids + events.ids == imported())
    #expect(!events.haveWatching)
    #expect(held.releaseImported().isEmpty)
  }

  @Test("leaves nothing where it has imported nothing, and says itself that it watches")
  func leftEarly() async throws {
    let (held, leaving, ending) = (HeldEvents(), Told(), Ending())
    let watching = watch(holding: held, beforeReading: 1) {
      leaving.add(held.releaseImported())
      ending.begin()
    }
    ending.end(watching)
    do { try await watching.value } catch is CancellationError {}
    #expect(leaving.isEmpty)
    #expect(try events.ids == imported())
    #expect(events.isEmpty || events.beginWithWatching)
  }
}

/// Ends a watch, from whichever thread.
private final class Ending: Sendable {
  private let watching = Mutex<(task: Task<Void, any Error>?, isEnding: Bool)>((nil, false))
  private let deadline = ContinuousClock.now + .seconds(60)

  var isOverdue: Bool { ContinuousClock.now > deadline }

  /// Says which one is to be ended.
  func end(_ task: Task<Void, any Error>) {
    let isEnding = watching.withLock { watching in
      watching.task = task
      return watching.isEnding
    }
    if isEnding { task.cancel() }
  }

  /// Ends it now, or as soon as it is known.
  func begin() {
    let task = watching.withLock { watching in
      watching.isEnding = true
      return watching.task
    }
    task?.cancel()
  }
}

/// What was told, in order.
private final class Told: Sendable {
  private let events = Mutex<[WatchEvent]>([])

  func add(_ more: [WatchEvent]) { events.withLock { $0 += more } }

  var isEmpty: Bool { events.withLock { $0.isEmpty } }

  var beginWithWatching: Bool { events.withLock { $0.first.map(Self.isWatching) ?? false } }

  var haveWatching: Bool { events.withLock { $0.contains(where: Self.isWatching) } }

  private static func isWatching(_ event: WatchEvent) -> Bool {
    if case .watching = event { true } else { false }
  }

  /// The documents that were imported.
  var ids: [String] {
    events.withLock { events in
      events.flatMap { event -> [String] in
        guard case .imported(let part) = event else { return [] }
        return part.documents.map { "\($0.key.id)" }
      }
    }
  }
}
