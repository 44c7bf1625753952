import GRDB
import Syncing
import SystemFiles
import Testing

/// What a migration would read is damaged; what waits to be published is not.
@Suite("rebuild of a damaged database of an older version") struct DamagedRecoveryTests {
  @Test(
    "publishes what waits there, though the database cannot be brought up to date",
    arguments: OldStore.versions)
  func streams(version: Int) throws {
    let store = try OldStore(version: version)
    try store.raw { db in try db.execute(sql: "UPDATE streams SET context = x'ff'") }
    #expect(throws: (any Error).self) { try store.open() }
    let directory = DeviceDirectory(root: store.state, files: LinuxFileSystem(), ambient: .fixed)
    let recovery = try directory.rebuild(
      container: store.folder, fallbackName: "me", process: "1")
    #expect(recovery.unreadable == 0)
    _ = try Importer(device: recovery.device).importAll()
    #expect(try recovery.device.dump() == store.expected("dump.jsonl"))
  }
}
