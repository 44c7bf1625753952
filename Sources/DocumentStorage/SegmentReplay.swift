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
    guard entry.sequence > 0, let number = streams.row(of: entry.stream)?.number else { return nil }
    let kept = try Data.fetchAll(
      db,
      sql: """
        SELECT content FROM archive WHERE stream = ? AND first <= ? AND last >= ? ORDER BY first
        """,
      arguments: [number, Int64(entry.sequence), Int64(entry.sequence)])
    for content in kept {
      let segment = try SegmentFile.decode([UInt8](content)).segment
      if let found = try position(at: entry, in: segment, streams, db) { return found }
    }
    return nil
  }

  /// - returns: nil if the segment is of another branch, or leans on what is not kept.
  private static func position(
    at entry: Context.Entry, in segment: Segment, _ streams: StreamDirectory, _ db: Database
  ) throws -> StreamPosition? {
    let before = segment.range.predecessor
    var start = StreamPosition(
      sequence: before.sequence, fingerprint: before.fingerprint, context: Context())
    if segment.leansOnPrevious {
      // Such a segment has one transaction, so that this ends.
      guard let found = try position(at: before, streams, db) else { return nil }
      start = found
    }
    for encoded in segment.transactions {
      start = StreamPosition(after: try start.next(encoded, of: entry.stream).header)
      guard start.sequence < entry.sequence else { break }
    }
    return start.fingerprint == entry.fingerprint ? start : nil
  }
}

extension StreamPosition {
  /// Whether a transaction that leans on this one can be completed.
  var isComplete: Bool { sequence == 0 || nonce != nil }
}

extension Segment {
  var leansOnPrevious: Bool { transactions.first?.leansOnPrevious ?? false }
}
