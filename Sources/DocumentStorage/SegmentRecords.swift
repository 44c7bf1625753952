import Foundation
import GRDB
import Replication
import SegmentFormat

/// The segments whose content is in this database, by what they hold.
enum SegmentRecords {
  /// Notes a segment, and the fingerprint of its last transaction.
  static func note(
    _ range: Segment.Range, digest: UInt64, hasOwnName: Bool, fingerprint: Fingerprint,
    stream: Int64, _ db: Database
  ) throws {
    try db.run(
      """
      INSERT INTO segments(stream, first, last, digest, named, fingerprint)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET named = max(named, excluded.named)
      """,
      bound: [
        .integer(stream), .integer(Int64(range.first)), .integer(Int64(range.last)),
        .integer(Int64(bitPattern: digest)), .integer(hasOwnName ? 1 : 0),
        .blob(fingerprint.bytes),
      ])
  }

  /// The fingerprint of a segment's last transaction, if this very content was applied.
  static func fingerprint(
    of range: Segment.Range, digest: UInt64, stream: Int64, _ db: Database
  ) throws -> Fingerprint? {
    let known = try db.run(
      """
      SELECT fingerprint FROM segments
      WHERE stream = ? AND first = ? AND last = ? AND digest = ?
      """,
      bound: [
        .integer(stream), .integer(Int64(range.first)), .integer(Int64(range.last)),
        .integer(Int64(bitPattern: digest)),
      ])
    return try known.map { try Fingerprint(column: Data($0)) }
  }

  /// The fingerprints with which segments end at a sequence.
  static func ends(at sequence: UInt64, stream: Int64, _ db: Database) throws -> [Fingerprint] {
    let statement = try db.cachedStatement(
      sql: "SELECT fingerprint FROM segments WHERE stream = ? AND last = ?")
    return try Data.fetchAll(statement, arguments: [stream, Int64(sequence)]).map {
      try Fingerprint(column: $0)
    }
  }

  /// Whether a process of this device is about to note such a segment.
  static func isBeingPublished(
    _ range: Segment.Range, stream: Int64, _ db: Database
  ) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT EXISTS (SELECT 1 FROM batches WHERE stream = ? AND first = ? AND last = ?)")
    return try Bool.fetchOne(
      statement, arguments: [stream, Int64(range.first), Int64(range.last)]) ?? false
  }
}

extension Segment.Range {
  /// The transaction that the first of these follows; sequence 0 at the start of a stream.
  var predecessor: Context.Entry {
    Context.Entry(stream: stream, sequence: first - 1, fingerprint: fingerprintBefore)
  }
}
