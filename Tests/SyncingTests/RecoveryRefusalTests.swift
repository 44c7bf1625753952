import DocumentStorage
import Replication
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A rebuild while SQLite fails for a moment") struct RecoveryRefusalTests {
  /// The same machine while the database that is put aside cannot be opened.
  private static func failing(
    _ scene: RecoveryScene, _ error: @escaping @Sendable (FilePath) -> StorageError
  ) -> DeviceDirectory {
    DeviceDirectory(
      root: scene.house.directory.root, files: scene.house.files,
      ambient: scene.house.directory.ambient,
      openStore: { directory, identity, use in
        guard use != .salvage else { throw error(directory.appending("store.sqlite")) }
        return try StoreDatabase(directory: directory, identity: identity, for: use)
      })
  }

  @Test(
    "leaves nothing behind: what the old database holds comes with the next command",
    arguments: [StorageError.noMemory, StorageError.busy])
  func transient(error: @escaping @Sendable (FilePath) -> StorageError) throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let failing = Self.failing(scene, error)
    #expect(throws: (any Error).self) { try scene.rebuild(failing) }
    // Before anybody sees the device without it.
    let device = try scene.house.directory.open(container: scene.folder)
    #expect(try device.database.counts().pendingRemovals == 1)
    let done = try scene.house.initialise(scene.folder)
    #expect(done.salvageFailure == nil)
    try scene.world.deliver(scene.missing, to: scene.folder)
    let peer = try scene.house.open()
    for _ in 1...2 { try peer.importAll() }
    #expect(try peer.dump() == scene.expected)
  }

  @Test("goes on without one that is damaged, or on a disk that cannot be read, and says so")
  func damaged() throws {
    try goesOn { .damaged($0, detail: "11: malformed") }
    try goesOn { .failed($0, detail: "10: disk I/O error") }
  }

  @Test("does not take one for empty that cannot be looked at")
  func unlookable() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let database = scene.state.appending("store.sqlite")
    let looks = Mutex(0)
    let failing = DeviceDirectory(
      root: scene.house.directory.root,
      files: InterruptedFileSystem(
        scene.house.files,
        beforeLooking: { (path) throws(FileError) in
          guard path.string.hasPrefix(database.string) else { return }
          // The first is that which finds out whose database is to be rebuilt.
          let isLater = looks.withLock { looks in
            looks += 1
            return looks > 1
          }
          if isLater { throw FileError(.status, path, .ioError) }
        }), ambient: scene.house.directory.ambient)
    #expect(throws: FileError(.status, database, .ioError)) { try scene.rebuild(failing) }
    #expect(try scene.house.directory.olderDatabases().isEmpty)
    #expect(try scene.rebuild().kept != nil)
  }

  private func goesOn(_ error: @escaping @Sendable (FilePath) -> StorageError) throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let failing = Self.failing(scene, error)
    let recovery = try scene.rebuild(failing)
    #expect(recovery.kept != nil)
  }
}
