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
    arguments: ["7: out of memory", "10: disk I/O error"])
  func transient(detail: String) throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let failing = Self.failing(scene) { .failed($0, detail: detail) }
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

  @Test("goes on without one that is damaged, and says so")
  func damaged() throws {
    let scene = try RecoveryScene()
    try scene.restore()
    let failing = Self.failing(scene) { .damaged($0, detail: "11: malformed") }
    let recovery = try scene.rebuild(failing)
    #expect(recovery.kept != nil)
  }
}
