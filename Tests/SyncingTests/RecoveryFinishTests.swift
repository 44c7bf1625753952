import DocumentStorage
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// protocol.md 25 and 31.
@Suite("A rebuild that ended before all was handed over") struct RecoveryFinishTests {
  /// A rebuild that died with a device made that lacks what hides in the old database.
  private static func interrupted() throws -> RecoveryScene {
    let scene = try RecoveryScene()
    for call in 1... {
      try scene.restore()
      let doom = Doom(at: call)
      _ = Result { try scene.rebuild(scene.dying(doom)) }
      try #require(doom.hasCome)
      let progress = scene.state.appending("rebuilding.json")
      guard let text = try? scene.house.files.contents(of: progress, limit: 4096),
        let store = try? StoreDatabase(directory: scene.state), try store.device() != nil
      else { continue }
      try #require(String(decoding: text.bytes, as: UTF8.self).contains("made"))
      return scene
    }
    throw FileError(.open, scene.state, .noSuchFileOrDirectory)
  }

  @Test("is finished by whoever opens the device next, wherever its folder is")
  func opened() throws {
    let scene = try Self.interrupted()
    try scene.house.files.remove(scene.folder.appending(Marker.name))
    let device = try scene.house.directory.open(container: nil)
    #expect(try device.database.counts().pendingRemovals == 1)
    // Absence means nothing: it is not made anew, but put back as it was.
    #expect(try scene.house.initialise(scene.folder).isMarkerRestored)
    #expect(try scene.house.directory.containers().map(\.id) == [device.record.container])
  }

  @Test(
    "is finished also where its note cannot be read",
    arguments: [
      "{}", "", String(repeating: " ", count: 5000),
    ])
  func unreadable(note: String) throws {
    let scene = try Self.interrupted()
    let file = scene.state.appending("rebuilding.json")
    try scene.house.files.remove(file)
    try scene.world.place(Array(note.utf8), at: file)
    #expect(try scene.house.open().device.database.counts().pendingRemovals == 1)
    let peer = try scene.house.open()
    try peer.importAll()
    #expect(try peer.body("doc") == nil)
  }

  /// Opens databases that ask before each write but the first, which makes the device.
  private static func openingStores(
    askingBeforeWrites ask: @escaping @Sendable (FilePath) throws -> Void
  ) -> DeviceDirectory.StoreOpening {
    { directory, identity, use in
      let writes = Mutex(0)
      return try StoreDatabase(
        directory: directory, identity: identity, for: use,
        beforeWriting: {
          let number = writes.withLock { count in
            count += 1
            return count
          }
          if number > 1 { try ask(directory) }
        })
    }
  }

  /// The same machine while nothing can be written into a database but that it is a device's.
  private static func refusing(
    _ scene: RecoveryScene, in state: FilePath
  ) -> DeviceDirectory {
    DeviceDirectory(
      root: scene.house.directory.root, files: scene.house.files,
      ambient: scene.house.directory.ambient,
      openStore: openingStores { directory in
        if directory == state { throw StorageError.full(directory.appending("store.sqlite")) }
      })
  }

  @Test("is shown to nobody as long as it cannot be finished")
  func refused() throws {
    let scene = try Self.interrupted()
    let full = Self.refusing(scene, in: scene.state)
    #expect(throws: (any Error).self) { try full.initialise(Self.request(scene.folder)) }
    let device = try scene.house.directory.open(container: scene.folder)
    #expect(try device.database.counts().pendingRemovals == 1)
  }

  @Test("keeps nobody from other folders as long as it cannot be finished")
  func elsewhere() throws {
    let scene = try Self.interrupted()
    let full = Self.refusing(scene, in: scene.state)
    let other = try scene.house.makeFolder("elsewhere")
    _ = try full.initialise(
      DeviceDirectory.Request(
        folder: other, identifier: nil, deviceName: nil, fallbackName: "me", joinsOnly: false))
    let empty = try scene.house.makeFolder("empty")
    #expect(throws: DeviceError.nothingToJoin(empty)) {
      try full.initialise(Self.request(empty))
    }
  }

  @Test("is done anew where what it had made is damaged itself")
  func damaged() throws {
    let scene = try Self.interrupted()
    try scene.damage("DROP TABLE taken_removals")
    let recovery = try scene.rebuild()
    #expect(recovery.kept != nil)
    let peer = try scene.house.open()
    try scene.world.deliver(scene.missing, to: scene.folder)
    for _ in 1...2 { try peer.importAll() }
    #expect(try peer.dump() == scene.expected)
  }

  @Test("is not taken for finished by one that began before it")
  func overtaken() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    #expect(throws: SalvageError.self) { try scene.rebuild(scene.full) }
    // So that the next one puts it aside.
    try scene.house.open().put("since", "{}")
    let hasBegun = Mutex(false)
    let slow = DeviceDirectory(
      root: scene.house.directory.root,
      files: InterruptedFileSystem(
        scene.house.files,
        beforeChange: { path in
          let begins =
            path.starts(with: scene.folder.appending("logs"))
            && hasBegun.withLock { hasBegun in
              defer { hasBegun = true }
              return !hasBegun
            }
          if begins { Self.rebuildUntilMade(scene) }
        }), ambient: scene.house.directory.ambient)
    _ = Result { try slow.initialise(Self.request(scene.folder)) }
    #expect(hasBegun.withLock { $0 })
    #expect(try scene.house.open().device.database.counts().pendingRemovals == 1)
  }

  /// Ends at the first call behind that which notes that the new device may not be seen yet.
  private static func rebuildUntilMade(_ scene: RecoveryScene) {
    let progress = scene.state.appending("rebuilding.json")
    let isMade = Mutex(false)
    let directory = DeviceDirectory(
      root: scene.house.directory.root,
      files: InterruptedFileSystem(
        scene.house.files,
        beforeChange: { path in if path == progress { isMade.withLock { $0 = true } } }),
      ambient: scene.house.directory.ambient,
      openStore: openingStores { directory in
        if isMade.withLock({ $0 }) { throw FileError(.write, directory, .canceled) }
      })
    _ = Result {
      try directory.rebuild(container: scene.folder, fallbackName: "me", process: "2")
    }
  }

  private static func request(_ folder: FilePath) -> DeviceDirectory.Request {
    DeviceDirectory.Request(
      folder: folder, identifier: nil, deviceName: nil, fallbackName: "me", joinsOnly: true)
  }

  @Test("is not shown where another container's database was to be adopted, either")
  func adopted() throws {
    let scene = try RecoveryScene()
    try scene.replaceContainer()
    try scene.restore()
    let marker = try ContainerFolder(root: scene.folder, files: scene.house.files).marker()
    let state = scene.house.directory.directory(of: marker.container)
    let full = Self.refusing(scene, in: state)
    let before = try scene.house.open().device.record.container
    #expect(throws: (any Error).self) { try scene.adopt(full) }
    let known = try scene.house.directory.containers()
    #expect(known.first(where: \.isDefault)?.id == before)
    let device = try scene.house.directory.open(container: scene.folder)
    #expect(device.record.container == marker.container)
    #expect(try device.database.counts().pendingRemovals == 1)
  }
}
