import Foundation
import GRDB
import Replication
import SegmentFormat

// What a diagnosis asks of the database; nothing here writes.
extension StoreDatabase {
  /// What SQLite finds wrong with the file, at most a few lines; empty if nothing.
  ///
  /// Reads the whole database, without comparing the indexes with their tables.
  package func integrityProblems() throws -> [String] {
    try read { db in
      try String.fetchAll(db, sql: "PRAGMA quick_check(5)").filter { $0 != "ok" }
    }
  }

  /// When the first transaction that waits to be published was written; nil if none waits.
  package func oldestUnpublished() throws -> HybridTime? {
    try read { db in
      let sql = "SELECT content FROM outbox ORDER BY stream, sequence LIMIT 1"
      guard let content = try Data.fetchOne(db, sql: sql) else { return nil }
      let stored = try SegmentFile.decode([UInt8](content)).segment
      let before = StreamPosition(
        sequence: stored.range.first - 1, fingerprint: stored.range.fingerprintBefore,
        context: Context())
      return try stored.transactions(after: before).first?.header.time
    }
  }
}

extension StoreDatabase {
  /// How many entries the context of a write has now.
  package func contextEntries() throws -> Int {
    try read { db in try streams(db).frontier.closed.entries.count }
  }
}
