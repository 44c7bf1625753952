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
    nil
  }
}

extension StreamPosition {
  /// Whether a transaction that leans on this one can be completed.
  var isComplete: Bool { sequence == 0 || nonce != nil }
}

extension Segment {
  var leansOnPrevious: Bool { transactions.first?.leansOnPrevious ?? false }
}
