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

  /// Calls `body` with the transactions of a stream, each once; those of one branch in order.
  ///
  /// - returns: which of those that are applied are not kept.
  func forEach(
    of stream: StreamID, _ body: (Transaction) throws -> Void
  ) throws -> [ClosedRange<UInt64>] {
    var reading = StreamReading(lineage: streams.frontier.lineage.streams[stream])
    for archived in try SegmentArchive.list(stream, db) {
      guard let bytes = try SegmentArchive.bytes(of: archived, db) else { continue }
      try reading.take(bytes, body)
    }
    // A former stream of this device may have some left, too.
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT content FROM outbox WHERE stream = (SELECT id FROM streams WHERE stream = ?)
        ORDER BY sequence
        """,
      arguments: [stream.databaseBytes])
    while let row = try rows.next() { try reading.take([UInt8](try row.value(0) as Data), body) }
    return reading.missing
  }
}

/// One stream being read, segment by segment in the order of their first transactions.
private struct StreamReading {
  /// How the stream stands; nil if nothing of it is applied.
  let lineage: Lineage.Stream?
  /// Where the transactions read so far leave the stream: the next segment, or one of a branch, may
  /// go on behind any of them.
  private var ends: [Fingerprint: StreamPosition] = [.origin: .start]
  /// The transactions given out, as far as a later segment may hold them again.
  private var given: [Fingerprint: UInt64] = [:]
  /// What was given out of each line.
  private var ranges: [[ClosedRange<UInt64>]]

  init(lineage: Lineage.Stream?) {
    self.lineage = lineage
    ranges = Array(repeating: [], count: lineage?.lines.count ?? 0)
  }

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
    // Its transactions cannot be completed without those before it, and are missing.
    guard let start else { return }
    for transaction in try segment.transactions(after: start) {
      let header = transaction.header
      guard given.updateValue(header.sequence, forKey: header.fingerprint) == nil else { continue }
      ends[header.fingerprint] = StreamPosition(after: header)
      note(header.tip)
      try body(transaction)
    }
  }

  private mutating func note(_ tip: Context.Entry) {
    for index in lineage?.lines(holding: tip) ?? [] {
      if let last = ranges[index].last, last.upperBound + 1 == tip.sequence {
        ranges[index][ranges[index].count - 1] = last.lowerBound...tip.sequence
      } else {
        ranges[index].append(tip.sequence...tip.sequence)
      }
    }
  }

  /// What of any line was not given out.
  var missing: [ClosedRange<UInt64>] {
    var missing: Set<ClosedRange<UInt64>> = []
    for (line, ranges) in zip(lineage?.lines ?? [], ranges) {
      var reached = line.base
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if range.lowerBound > reached + 1 { missing.insert(reached + 1...range.lowerBound - 1) }
        reached = max(reached, range.upperBound)
      }
      if reached < line.tip.sequence { missing.insert(reached + 1...line.tip.sequence) }
    }
    return missing.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
  }
}
