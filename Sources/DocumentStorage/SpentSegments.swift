import Foundation
import GRDB
import Replication
import SegmentFormat

/// Segments that the archive let go when a statement was heeded, since that leaves out something
/// which they have.
///
/// Nothing of them shows, and nobody is given them: they are kept for what may lean on them. Of a
/// transaction of which nothing is left, nobody can tell from the folder what its author had seen.
/// But a copy of that author, of which nobody had heard when it was dropped, may have gone on
/// behind it, in a file that gives its context as a change to that. Who has this can complete the
/// file, and publish it whole.
enum SpentSegments {
  /// Takes segments of the archive that are about to be removed; also statements, of which another
  /// leaves less.
  ///
  /// What is there already of the same transactions stays for as long again: of some that one still
  /// told of, nothing may be left now.
  ///
  /// - parameters:
  ///   - sequences: the transactions of the statement for which they go.
  ///   - now: in milliseconds since 1970.
  static func keep(
    _ parts: [SegmentArchive.Part], of sequences: ClosedRange<UInt64>, stream: Int64, now: Int64,
    _ db: Database
  ) throws {
    try db.run(
      "UPDATE spent SET spent_at = ? WHERE stream = ? AND first <= ? AND last >= ?",
      [now, stream, Int64(sequences.upperBound), Int64(sequences.lowerBound)])
    for part in parts {
      try db.run(
        """
        INSERT INTO spent(stream, first, last, digest, fingerprint, spent_at, content)
        SELECT stream, first, last, digest, fingerprint, ?, content FROM archive WHERE id = ?
        ON CONFLICT DO NOTHING
        """, [now, part.id])
    }
  }

  /// Takes a file of which all is held here, and which came after what says that.
  static func keep(
    _ bytes: [UInt8], of range: Segment.Range, digest: UInt64, fingerprint: Fingerprint,
    stream: Int64, now: Int64, _ db: Database
  ) throws {
    try db.run(
      """
      INSERT INTO spent(stream, first, last, digest, fingerprint, spent_at, content)
      VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      [
        stream, Int64(range.first), Int64(range.last), Int64(bitPattern: digest),
        fingerprint.databaseBytes, now, Data(bytes),
      ])
  }

  static func segment(_ id: Int64, _ db: Database) throws -> Segment? {
    try Data.fetchOne(db.prepared("SELECT content FROM spent WHERE id = ?"), arguments: [id])
      .map { try SegmentFile.decode([UInt8]($0)).segment }
  }
}

extension StoreDatabase {
  private func removeSomeSpent(before time: Int64) throws -> Bool {
    try write { db in
      try db.run(
        "DELETE FROM spent WHERE id IN (SELECT id FROM spent WHERE spent_at < ? LIMIT 8)", [time])
      return db.changesCount > 0
    }
  }

  /// Lets go what was spent long ago; a later call goes on where it was stopped.
  ///
  /// - parameters:
  ///   - time: in milliseconds since 1970.
  ///   - isStopping: asked between a few of them.
  package func removeSpent(before time: Int64, unless isStopping: () -> Bool) throws {
    let sql = "SELECT EXISTS (SELECT 1 FROM spent WHERE spent_at < ?)"
    let isNeeded = try read { db in
      try Bool.fetchOne(db.prepared(sql), arguments: [time]) ?? false
    }
    guard isNeeded else { return }
    // A few at a time: each may be large, and others wait for the database. Asked behind them, so
    // that each call lets some go.
    while try removeSomeSpent(before: time), !isStopping() {}
  }
}
