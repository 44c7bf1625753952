import Foundation
import GRDB
import Replication
import SegmentFormat

/// Finds out where a stream stood at a transaction in its midst, by reading what led up to it.
///
/// Needed only where a branch leaves a stream there, and its first segment gives its context and
/// nonce as changes to those of the transaction before.
enum SegmentReplay {
  /// - returns: nil if the segments that led up to it are not kept.
  static func position(
    at entry: Context.Entry, _ streams: StreamDirectory, _ db: Database
  ) throws -> StreamPosition? {
    guard let row = streams.row(of: entry.stream) else { return nil }
    // Back along segments of one transaction that lean on the one before: there may be thousands.
    var leaning: [Kept] = []
    var wanted = entry
    var start: StreamPosition?
    while start == nil {
      if let end = end(at: wanted, of: row) {
        start = end
      } else if let lone = try lone(wanted, stream: row.number, db) {
        leaning.append(lone.kept)
        wanted = lone.segment.range.predecessor
        if !lone.segment.leansOnPrevious { start = StreamPosition(at: wanted) }
      } else if let found = try longer(wanted, stream: row.number, db) {
        start = found
      } else {
        return nil
      }
    }
    guard var position = start else { return nil }
    for kept in leaning.reversed() {
      guard let segment = try segment(kept, db) else { return nil }
      for encoded in segment.transactions {
        for transaction in try position.next(encoded, of: entry.stream) {
          position = StreamPosition(after: transaction.header)
        }
      }
    }
    return position.fingerprint == entry.fingerprint ? position : nil
  }

  /// Where a line ends with the transaction, or the stream begins.
  private static func end(
    at entry: Context.Entry, of row: StreamDirectory.Row
  ) -> StreamPosition? {
    if entry.sequence == 0 { return entry.fingerprint == .origin ? .start : nil }
    return row.positions.first {
      $0.sequence == entry.sequence && $0.fingerprint == entry.fingerprint && $0.isComplete
    }
  }

  /// The segment that holds just this transaction.
  private static func lone(
    _ entry: Context.Entry, stream: Int64, _ db: Database
  ) throws -> (kept: Kept, segment: Segment)? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT id, 0 FROM archive
        WHERE stream = ?1 AND first = ?2 AND last = ?2 AND fingerprint = ?3
        UNION ALL SELECT id, 1 FROM spent
        WHERE stream = ?1 AND first = ?2 AND last = ?2 AND fingerprint = ?3
        """)
    let rows = try Row.fetchAll(
      statement,
      arguments: [stream, Int64(entry.sequence), entry.fingerprint.databaseBytes])
    // One that has rotted may be there a second time.
    for kept in try rows.map(Kept.init) {
      if let segment = try segment(kept, db) { return (kept, segment) }
    }
    return nil
  }

  /// The position in a segment of several transactions, the first of which never leans.
  private static func longer(
    _ entry: Context.Entry, stream: Int64, _ db: Database
  ) throws -> StreamPosition? {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT id, 0 AS is_spent, first FROM archive
        WHERE stream = ?1 AND first <= ?2 AND last >= ?2 AND first < last
        UNION ALL SELECT id, 1, first FROM spent
        WHERE stream = ?1 AND first <= ?2 AND last >= ?2 AND first < last
        ORDER BY is_spent, first DESC
        """,
      arguments: [stream, Int64(entry.sequence)])
    while let row = try rows.next() {
      guard let segment = try segment(Kept(row), db), !segment.leansOnPrevious else { continue }
      var position = StreamPosition(at: segment.range.predecessor)
      for encoded in segment.transactions where position.sequence < entry.sequence {
        // Of what is left out before the last of them, no more than its name is known.
        guard let end = try position.next(encoded, of: entry.stream).last else { continue }
        position = StreamPosition(after: end.header)
      }
      if position.fingerprint == entry.fingerprint { return position }
    }
    return nil
  }

  /// A segment in the archive, or one that was let go, by its number there.
  private struct Kept {
    let id: Int64
    let isSpent: Bool

    init(_ row: Row) throws {
      (id, isSpent) = (try row.value(0), try row.value(1))
    }
  }

  /// - returns: nil also if it has rotted.
  private static func segment(_ kept: Kept, _ db: Database) throws -> Segment? {
    do {
      return kept.isSpent
        ? try SpentSegments.segment(kept.id, db) : try SegmentArchive.segment(kept.id, db)?.segment
    } catch is SegmentError {
      // For `doctor` to tell; to imports it is as if it were not kept.
      return nil
    }
  }
}

extension StreamPosition {
  /// Behind a transaction of which no more than its name is known.
  init(at entry: Context.Entry) {
    self.init(
      sequence: entry.sequence, fingerprint: entry.fingerprint, context: Context())
  }

  /// Whether a transaction that leans on this one can be completed.
  var isComplete: Bool { sequence == 0 || nonce != nil }
}

extension Segment {
  var leansOnPrevious: Bool { transactions.first?.leansOnPrevious ?? false }
}
