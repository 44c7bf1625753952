import DocumentStorage
import Replication
import Syncing
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

  private func goesOn(_ error: @escaping @Sendable (FilePath) -> StorageError) throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let failing = Self.failing(scene, error)
    let recovery = try scene.rebuild(failing)
    #expect(recovery.kept != nil)
  }
}
