import Foundation
import GRDB
import Replication
import SegmentFormat

/// The transactions whose content this database keeps: those of the archive, and what waits to be
/// published.
///
/// Segments are read one after another, so that any number of them takes the memory of one.
struct TransactionLog {
  let db: Database
  let streams: StreamDirectory

  /// Calls `body` with the transactions of a stream, each once, in order.
  ///
  /// - returns: which of those that are applied are not kept.
  func forEach(
    of stream: StreamID, _ body: (Transaction) throws -> Void
  ) throws -> [ClosedRange<UInt64>] {
    var reading = StreamReading()
    for archived in try SegmentArchive.list(stream, db) {
      guard let bytes = try SegmentArchive.bytes(of: archived, db) else { continue }
      try reading.take(bytes, body)
    }
    if try DeviceRecord.fetch(db)?.stream == stream {
      let sql = "SELECT content FROM outbox ORDER BY sequence"
      let rows = try Row.fetchCursor(db, sql: sql)
      while let row = try rows.next() { try reading.take([UInt8](row[0] as Data), body) }
    }
    return reading.missing(upTo: streams.position(of: stream).sequence)
  }
}

/// One stream being read, segment by segment in the order of their first transactions.
private struct StreamReading {
  /// Where the segments read so far end, for those that go on there.
  private var ends: [Fingerprint: StreamPosition] = [.origin: .start]
  /// The transactions given out, as far as a later segment may hold them again.
  private var given: [Fingerprint: UInt64] = [:]
  private var ranges: [ClosedRange<UInt64>] = []

  mutating func take(_ bytes: [UInt8], _ body: (Transaction) throws -> Void) throws {
    let segment = try SegmentFile.decode(bytes).segment
    let range = segment.range
    ends = ends.filter { $0.value.sequence + 1 >= range.first }
    given = given.filter { $0.value >= range.first }
    var start = ends[range.fingerprintBefore]
    if start == nil, segment.transactions.first?.leansOnPrevious == false {
      start = StreamPosition(
        sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    }
    // Its transactions cannot be completed without those before it.
    guard let start else { return }
    let transactions = try segment.transactions(after: start)
    for transaction in transactions {
      let header = transaction.header
      guard given.updateValue(header.sequence, forKey: header.fingerprint) == nil else { continue }
      try body(transaction)
    }
    guard let last = transactions.last else { return }
    ends[last.header.fingerprint] = StreamPosition(after: last.header)
    note(range.first...range.last)
  }

  private mutating func note(_ range: ClosedRange<UInt64>) {
    guard let last = ranges.last, range.lowerBound <= last.upperBound + 1 else {
      return ranges.append(range)
    }
    ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
  }

  func missing(upTo end: UInt64) -> [ClosedRange<UInt64>] {
    var missing: [ClosedRange<UInt64>] = []
    var reached: UInt64 = 0
    for range in ranges where range.lowerBound <= end {
      if range.lowerBound > reached + 1 { missing.append(reached + 1...range.lowerBound - 1) }
      reached = max(reached, range.upperBound)
    }
    if reached < end { missing.append(reached + 1...end) }
    return missing
  }
}
