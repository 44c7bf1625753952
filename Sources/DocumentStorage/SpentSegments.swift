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
  /// Takes a segment of the archive that is about to be removed; none that is a statement itself.
  ///
  /// - parameter now: in milliseconds since 1970.
  static func keep(_ parts: [SegmentArchive.Part], now: Int64, _ db: Database) throws {
    for part in parts {
      try db.run(
        """
        INSERT INTO spent(stream, first, last, digest, fingerprint, content, spent_at)
        SELECT stream, first, last, digest, fingerprint, content, ? FROM archive
        WHERE id = ? AND id NOT IN (SELECT segment FROM statements)
        ON CONFLICT DO NOTHING
        """, [now, part.id])
    }
  }

  static func segment(_ id: Int64, _ db: Database) throws -> Segment? {
    try Data.fetchOne(db.prepared("SELECT content FROM spent WHERE id = ?"), arguments: [id])
      .map { try SegmentFile.decode([UInt8]($0)).segment }
  }
}

extension StoreDatabase {
  /// Lets go what was spent long ago.
  ///
  /// - parameter time: in milliseconds since 1970.
  package func removeSpent(before time: Int64) throws {
    let sql = "SELECT EXISTS (SELECT 1 FROM spent WHERE spent_at < ?)"
    let isNeeded = try read { db in
      try Bool.fetchOne(db.prepared(sql), arguments: [time]) ?? false
    }
    guard isNeeded else { return }
    try write { db in try db.run("DELETE FROM spent WHERE spent_at < ?", [time]) }
  }
}
