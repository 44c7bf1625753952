import CanonicalJSON
import DocumentStorage
import Foundation
import GRDB
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A database of an older version") struct OlderVersionTests {
  /// Today's version, as a new database has it.
  private static func newest() throws -> (version: Int?, structure: [String]) {
    try StoreDatabase.inMemory().read { db in
      (try Int.fetchOne(db, sql: "PRAGMA user_version"), try Structure.of(db))
    }
  }

  @Test("is among the fixtures, for every version there was")
  func fixtures() throws {
    let newest = try #require(try Self.newest().version)
    #expect(newest > 1)
    #expect(OldStore.versions == Array(1..<newest), "see fixtures/stores/README.md")
    for version in OldStore.versions {
      #expect(try OldStore(version: version).rawVersion() == version)
    }
  }

  @Test("holds something of everything", arguments: OldStore.versions)
  func complete(version: Int) throws {
    let store = try OldStore(version: version)
    try store.raw { db in
      for table in [
        "open_transactions", "outbox", "batches", "files", "segments", "documents",
        "documents WHERE pending > 0", "documents WHERE conflicts > 0",
        "streams WHERE gap_since IS NOT NULL",
        "outbox WHERE sequence > (SELECT max(last) FROM batches)",
      ] {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
        #expect(count > 0, "\(table)")
      }
      let reasons = try String.fetchSet(db, sql: "SELECT DISTINCT reason FROM files")
      #expect(reasons == ["waiting", "duplicate", "damaged", "incomplete", "newer"])
      #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM collections") ?? 0 >= 4)
    }
  }

  @Test("has the structure of a new one once it is opened", arguments: OldStore.versions)
  func structure(version: Int) throws {
    let store = try OldStore(version: version)
    _ = try store.open()
    let newest = try Self.newest()
    #expect(try store.rawVersion() == newest.version)
    #expect(try store.tables() == newest.structure)
  }

  /// Programs of version 3 went out before it had them.
  @Test("gets the columns that its version got late", arguments: ["both", "inserts", "named_at"])
  func lateColumns(lacking: String) throws {
    let store = try OldStore(version: 3)
    let columns = [("open_transactions", "inserts"), ("streams", "named_at")]
    try store.raw { db in
      for (table, column) in columns where lacking == "both" || lacking == column {
        try db.execute(sql: "ALTER TABLE \(table) DROP COLUMN \(column)")
      }
    }
    let device = try store.open()
    #expect(try Set(store.tables()) == Set(Self.newest().structure))
    #expect(try device.dump() == store.expected("dump.jsonl"))
  }

  @Test("reads as the old program read it", arguments: OldStore.versions)
  func reads(version: Int) throws {
    let store = try OldStore(version: version)
    let device = try store.open()
    #expect(try device.dump() == store.expected("dump.jsonl"))
    let status = try store.expectedStatus()
    let counts = try device.database.counts()
    #expect(Int64(counts.documents) == status.number("documents"))
    #expect(Int64(counts.conflicts) == status.number("conflicts"))
    #expect(Int64(counts.unpublished) == status.number("unpublished"))
    #expect(Int64(counts.pendingRemovals) == status.number("pending_removals"))
    let summaries = try device.database.streamSummaries()
    #expect(
      summaries.map { $0.stream.description } == status.array("devices").map { $0.text("id") })
    #expect(summaries.map(\.name) == status.array("devices").map { $0.text("name") })
    #expect(
      summaries.map { Int64($0.applied) }
        == status.array("devices").map { $0.number("transactions") })
    #expect(summaries.filter { $0.gapSince != nil }.map(\.name) == ["ann"])
    #expect(device.record.name == "dev")
    #expect(device.record.container == store.container)
  }

  @Test("publishes the files that the old program would have", arguments: OldStore.versions)
  func outbox(version: Int) throws {
    let store = try OldStore(version: version)
    let before = try Self.files(store)
    let device = try store.open()
    #expect(
      try Publisher(device: device).publishAll().transactions
        == device.database.publishedEnd() - 4)
    let new = try Self.files(store).filter { !before.contains($0) }
    #expect(new.joined(separator: "\n") + "\n" == (try store.expected("published.txt")))
    #expect(try device.database.unpublishedCount() == 0)
  }

  @Test("looks at damaged and newer files again, and at no others", arguments: OldStore.versions)
  func setAside(version: Int) throws {
    let store = try OldStore(version: version)
    let device = try store.open()
    let reasons = try device.database.fileRecords().values.map(\.reason.rawValue).sorted()
    // Version 10 notes when it has looked at one: what is looked at from time to time is at once.
    let kept = version < 10 ? ["duplicate", "incomplete", "waiting"] : ["duplicate", "waiting"]
    #expect(reasons == kept)
    let report = try Importer(device: device).importAll()
    #expect(report.setAside.map(\.reason.rawValue) == ["damaged", "incomplete", "newer"])
    #expect(report.gaps.map(\.first) == [3])
    #expect(report.segments == 0)
    #expect(report.duplicates == 1)
  }

  /// The files under logs/, in the order of their sequences.
  private static func files(_ store: OldStore) throws -> [String] {
    let logs = URL(filePath: store.folder.appending("logs").string)
    return try FileManager.default.subpathsOfDirectory(atPath: logs.path)
      .filter { $0.hasSuffix(".log") }
      .sorted { URL(filePath: $0).lastPathComponent < URL(filePath: $1).lastPathComponent }
  }
}
