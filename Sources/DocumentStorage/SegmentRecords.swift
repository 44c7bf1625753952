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
    try db.execute(
      sql: """
        INSERT INTO segments(stream, first, last, digest, named, fingerprint)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET named = max(named, excluded.named)
        """,
      arguments: [
        stream, Int64(range.first), Int64(range.last), Int64(bitPattern: digest), hasOwnName,
        fingerprint.databaseBytes,
      ])
  }

  /// What is known of a segment whose whole range has been applied.
  enum Standing {
    /// It is what was applied; the fingerprint is that of its last transaction.
    case applied(Fingerprint)
    /// A process of this device is about to note it.
    case beingPublished
    /// Its stream went another way here: a cloned or restored device.
    case otherBranch
  }

  static func standing(
    of importable: ImportableSegment, position: StreamPosition, stream: Int64, own: StreamID?,
    _ db: Database
  ) throws -> Standing {
    let range = importable.segment.range
    let rows = try Row.fetchAll(
      db, sql: "SELECT first, digest, fingerprint FROM segments WHERE stream = ? AND last = ?",
      arguments: [stream, Int64(range.last)])
    for row in rows
    where row["first"] == Int64(range.first)
      && row["digest"] == Int64(bitPattern: importable.digest)
    {
      return .applied(try Fingerprint(column: row["fingerprint"]))
    }
    if range.stream == own, try isBeingPublished(range, db) { return .beingPublished }
    // Other borders than those known: the chain of fingerprints tells, where the file alone
    // suffices to compute it.
    guard let end = importable.segment.lastFingerprint else { return .otherBranch }
    var known = try rows.map { try Fingerprint(column: $0["fingerprint"]) }
    if range.last == position.sequence { known.append(position.fingerprint) }
    return known.contains(end) ? .applied(end) : .otherBranch
  }

  private static func isBeingPublished(_ range: Segment.Range, _ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM batches WHERE first = ? AND last = ?)",
      arguments: [Int64(range.first), Int64(range.last)]) ?? false
  }
}

extension Segment {
  /// The fingerprint of the last transaction; nil if that takes the file before this one.
  fileprivate var lastFingerprint: Fingerprint? {
    guard transactions.first?.leansOnPrevious == false else { return nil }
    let start = StreamPosition(
      sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    return try? self.transactions(after: start).last?.header.fingerprint
  }
}
