import DocumentStorage
import Foundation
import GRDB
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Versions 1 and 2 kept no segments.
@Suite("The archive of an older database") struct ArchiveFillingTests {
  private static let versions = OldStore.versions.filter { $0 < 3 }

  private static func waiting(_ device: Device) throws -> Int {
    try device.database.read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM unarchived") ?? -1
    }
  }

  /// Whether all that is applied is kept, each file as it is in the folder.
  private static func isWhole(_ device: Device) throws -> Bool {
    for summary in try device.database.streamSummaries() {
      var reached: UInt64 = 0
      for segment in try device.database.archivedSegments(of: summary.stream) {
        #expect(segment.first == reached + 1)
        reached = segment.last
        let name = String(
          format: "%016llx-%016llx-%016llx.log", segment.first, segment.last, segment.digest)
        let file = device.container.directory(of: segment.stream).appending(name)
        let bytes = try device.container.files.contents(of: file, limit: 1 << 20).bytes
        #expect(try device.database.archivedBytes(of: segment) == bytes)
      }
      if reached != summary.applied { return false }
    }
    return true
  }

  @Test("is filled from the folder by the next import", arguments: versions)
  func filling(version: Int) throws {
    let store = try OldStore(version: version)
    let device = try store.open()
    #expect(try !Self.isWhole(device))
    #expect(try Self.waiting(device) > 3)
    let report = try Importer(device: device).importAll()
    #expect(report.segments == 0)
    #expect(report.duplicates == 1)
    #expect(try Self.isWhole(device))
    #expect(try Self.waiting(device) == 0)
    #expect(try device.dump() == store.expected("dump.jsonl"))
  }

  @Test("waits for a file that is not there now", arguments: versions)
  func absent(version: Int) throws {
    let store = try OldStore(version: version)
    let device = try store.open()
    let logs = device.container.logs
    let files = device.container.files
    let away = store.folder.appending("away")
    try files.rename(logs, to: away)
    _ = try Importer(device: device).importAll()
    let count = try Self.waiting(device)
    #expect(count > 3)
    try files.rename(away, to: logs)
    _ = try Importer(device: device).importAll()
    #expect(try Self.waiting(device) == 0)
    #expect(try Self.isWhole(device))
  }
}
