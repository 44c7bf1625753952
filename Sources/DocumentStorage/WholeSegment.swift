import GRDB
import Replication
import SegmentFormat

/// A segment that leaned on the transaction before it, written so that it leans on nothing: of that
/// one no more than its name may be left anywhere.
struct WholeSegment {
  let segment: Segment
  /// Its last transaction.
  let tip: Context.Entry
  private let file: SegmentFile.Encoded

  /// - parameter start: where the stream stood before it.
  init?(_ leaning: Segment, after start: StreamPosition) throws {
    let all = try leaning.transactions(after: start)
    guard let last = all.last else { return nil }
    segment = Segment(
      range: leaning.range, attributes: leaning.attributes,
      transactions: all.map { EncodedTransaction($0, after: nil) })
    tip = last.header.tip
    file = SegmentFile.encode(segment)
  }

  /// Keeps it.
  func store(stream: Int64, _ db: Database) throws {
    try SegmentArchive.store(
      file.bytes, of: segment.range, digest: file.digest, fingerprint: tip.fingerprint,
      stream: stream, db)
    try SegmentRecords.note(
      segment.range, digest: file.digest, hasOwnName: false, fingerprint: tip.fingerprint,
      stream: stream, db)
  }

  /// Has it put into the folder, whoever wrote it (`completedSegments`).
  ///
  /// - parameter now: in milliseconds since 1970.
  func noteCompleted(now: Int64, stream: Int64, _ db: Database) throws {
    try SegmentArchive.noteJoinedUnlessNoted(
      (Int64(segment.range.first), Int64(segment.range.last)), digest: file.digest, now: now,
      stream: stream, db)
  }
}
