import DocumentStorage
import Replication
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Temporary files of killed processes") struct LeftoverTests {
  private static let day: Int64 = 86_400_000_000_000
  private static let name: FilePath.Component = ".feedsync-00c0ffee00c0ffee.nosync"

  private struct Scene {
    let fake: InMemoryFileSystem
    let world: World
    let ann: Peer
    let now: Int64

    init() throws {
      fake = InMemoryFileSystem()
      world = try World(.fake, fake: fake)
      ann = try world.peer("ann", in: try world.folder("ann"))
      try ann.put("a", "{}")
      try ann.publish()
      now = world.ambient.now() * 1_000_000
    }

    /// Puts a file below `logs/`, `age` nanoseconds old; returns where.
    func put(
      _ name: FilePath.Component, in directory: FilePath.Component, age: Int64
    ) -> FilePath {
      let path = ann.folder.appending("logs").appending(directory).appending(name)
      fake.put(path, [1], modified: now - age)
      return path
    }

    func isThere(_ path: FilePath) -> Bool { fake.bytes(at: path) != nil }
  }

  @Test("go from the own directory when nobody has touched them for a day")
  func removed() throws {
    let scene = try Scene()
    let old = scene.put(Self.name, in: scene.ann.directory, age: Self.day + 1_000_000)
    try scene.ann.importAll()
    #expect(!scene.isThere(old))
    #expect(try scene.world.logs(in: scene.ann.folder).count == 1)
  }

  @Test("go from the directories of the streams that the device had before and has by now")
  func otherStreams() throws {
    let scene = try Scene()
    let device = scene.ann.device
    try #require(try device.database.beginStream(insteadOf: scene.ann.stream))
    let record = try #require(try device.database.device())
    let own = try #require(device.container.directory(of: record.stream).lastComponent)
    let again = Device(
      record: record, database: device.database, container: device.container,
      ambient: device.ambient)
    for opened in [device, again] {
      let paths = [scene.ann.directory, own].map {
        scene.put(Self.name, in: $0, age: Self.day + 1_000_000)
      }
      _ = try Importer(device: opened).importAll()
      #expect(paths.filter { scene.isThere($0) } == [])
    }
  }

  // Lesson 20.
  @Test("stay while they may be in use, elsewhere, and under names that are not ours")
  func kept() throws {
    let scene = try Scene()
    let old = Self.day * 100
    let paths = [
      scene.put(Self.name, in: scene.ann.directory, age: Self.day - 1_000_000),
      scene.put(".feedsync-1.nosync", in: scene.ann.directory, age: -old),
      scene.put(Self.name, in: "0123456789abcdef0123456789abcdef", age: old),
      scene.put(".syncthing.x.log.tmp", in: scene.ann.directory, age: old),
      scene.put("mine.nosync", in: scene.ann.directory, age: old),
      scene.put("notes.log", in: scene.ann.directory, age: old),
    ]
    scene.fake.put(scene.ann.folder.appending(Self.name), [1], modified: 0)
    try scene.ann.importAll()
    for path in paths + [scene.ann.folder.appending(Self.name)] {
      #expect(scene.isThere(path), "\(path)")
    }
  }

  @Test("that were in use after all cost a publish, and nothing else")
  func inUse() throws {
    for features in CrashTests.features {
      var named = features
      named.namelessFiles = false
      let fake = InMemoryFileSystem(features: named)
      let world = try World(.fake, fake: fake)
      let ann = try world.peer("ann", in: try world.folder("ann"))
      try ann.put("a", "{}")
      let batch = try #require(try ann.device.database.nextBatch())
      _ = try ann.device.container.publish(batch.segment, temporaryName: "t")
      let path = ann.device.container.directory(of: ann.stream)
      let file = try fake.createTemporary(in: path, fallbackName: Self.name)
      try fake.write([1], to: file)
      try fake.remove(path.appending(Self.name))
      do throws(FileError) {
        // Where a name is given by the file, not by its old name, it is given all the same.
        try fake.place(file, at: path.appending("x.log"))
        #expect(fake.bytes(at: path.appending("x.log")) == [1])
      } catch {
        fake.discard(file)
        #expect(fake.bytes(at: path.appending("x.log")) == nil)
      }
      #expect(try ann.publish().transactions == 1)
    }
  }

  @Test("go from the state with the next init")
  func state() throws {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder)
    let state = house.directory.root
    // A default that was not put in its place, and a database that was removed by half.
    try house.files.publish([1], at: state.appending(Self.name), temporaryName: "t")
    let doomed = state.appending(".feedsync-1.nosync")
    try house.files.makeDirectory(doomed, mode: 0o700)
    try house.files.publish([1], at: doomed.appending("store.sqlite-wal"), temporaryName: "t")
    let stream = try house.initialise(folder).device.record.stream
    #expect(try house.files.list(state).count == 3)
    #expect(try house.open().stream == stream)
  }

  /// The same state, with an init beside that takes for a leftover what is staged to note how far
  /// an older database has come.
  private static func withInitBeside(
    _ scene: RecoveryScene, onTaking: @escaping @Sendable () -> Void
  ) -> DeviceDirectory {
    let (root, files) = (scene.house.directory.root, scene.house.files)
    return DeviceDirectory(
      root: root,
      files: InterruptedFileSystem(
        files,
        beforeChange: { (path) throws(FileError) in
          guard path.parent == root, LeftoverName.matches(path.lastComponent?.bytes ?? []),
            (try? files.status(of: path)) != nil,
            let lock = try? files.lock(
              root.appending("lock"), exclusive: true, wait: false, holder: [])
          else { return }
          defer { lock.release() }
          onTaking()
          try files.remove(path)
        }), ambient: scene.house.directory.ambient)
  }

  @Test(
    "of a recovery may be taken by an init beside it: it makes them again",
    arguments: [false, true])
  func beside(isAdopting: Bool) throws {
    let scene = try RecoveryScene()
    if isAdopting { try scene.replaceContainer() }
    try scene.restore()
    let taken = Mutex(0)
    let directory = Self.withInitBeside(scene) { taken.withLock { $0 += 1 } }
    if isAdopting { try scene.adopt(directory) } else { _ = try scene.rebuild(directory) }
    #expect(taken.withLock(\.self) > 0)
    #expect(try scene.house.directory.olderDatabases().allSatisfy(\.isSalvaged))
  }
}
