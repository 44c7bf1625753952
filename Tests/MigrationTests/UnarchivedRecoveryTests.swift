import DocumentStorage
import Foundation
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Versions 1 and 2 kept no segments, so that the folder's files are all that there is of them.
@Suite("rebuild of an older database") struct UnarchivedRecoveryTests {
  private static let versions = OldStore.versions.filter { $0 < 3 }

  private static func rebuild(_ store: OldStore) throws -> DeviceDirectory.Recovery {
    try DeviceDirectory(root: store.state, files: LinuxFileSystem(), ambient: .fixed)
      .rebuild(container: store.folder, fallbackName: "me", process: "1")
  }

  @Test("misses nothing where the folder has all of it", arguments: versions)
  func whole(version: Int) throws {
    let store = try OldStore(version: version)
    let recovery = try Self.rebuild(store)
    #expect(recovery.unreadable == 0)
    _ = try Importer(device: recovery.device).importAll()
    #expect(try recovery.device.dump() == store.expected("dump.jsonl"))
  }

  @Test("counts what the folder has not either, and is not done before it is back")
  func missing() throws {
    let store = try OldStore(version: try #require(Self.versions.last))
    let device = try store.open()
    // Not one of which the folder has a copy under another name.
    let name = try #require(
      try device.database.unarchivedSegments()
        .max { ($0.stream, $0.last) < ($1.stream, $1.last) })
    let file = device.container.directory(of: name.stream).appending(
      String(format: "%016llx-%016llx-%016llx.log", name.first, name.last, name.digest))
    let away = store.folder.appending("away")
    try device.container.files.rename(file, to: away)
    #expect(try Self.rebuild(store).unreadable == 1)
    let directory = DeviceDirectory(
      root: store.state, files: LinuxFileSystem(), ambient: .fixed)
    #expect(try directory.olderDatabases().map(\.record?.unreadable) == [1])
    #expect(try directory.olderDatabases().map(\.isSalvaged) == [false])
    try device.container.files.rename(away, to: file)
    let again = try directory.initialise(
      DeviceDirectory.Request(
        folder: store.folder, identifier: nil, deviceName: nil, joinsOnly: true))
    #expect(again.salvaged.map(\.report.unreadable) == [0])
    #expect(try directory.olderDatabases().map(\.isSalvaged) == [true])
  }
}
