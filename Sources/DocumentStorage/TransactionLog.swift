import Foundation
import GRDB
import Replication
import SegmentFormat

/// The transactions whose content this database keeps: those of the archive, and what waits to be
/// published.
///
/// Segments are read one after another, so that any number of them takes the memory of one.
struct TransactionLog {
  let streams: StreamDirectory
  /// Lets something be read of the database.
  private let access: ((Database) throws -> Void) throws -> Void

  /// Those of one state of the database.
  init(db: Database, streams: StreamDirectory) {
    self.streams = streams
    access = { try $0(db) }
  }

  /// Those of a database that others may use, and write to, between one segment and the next.
  init(of database: StoreDatabase, streams: StreamDirectory) {
    self.streams = streams
    access = { try database.read(step: "a segment of the log", $0) }
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value? {
    var value: Value?
    try access { value = try body($0) }
    return value
  }

  /// See ``StatementTable/historyStart(_:_:)``.
  var historyStart: HybridTime? {
    get throws { try read { try StatementTable.historyStart(streams, $0) } ?? nil }
  }

  /// The segments that are kept of a stream, in the order in which they are read.
  func segments(of stream: StreamID) throws -> [ArchivedSegment] {
    try read { try SegmentArchive.list(stream, $0) }?.sorted(by: Self.precedes) ?? []
  }

  /// Calls `body` with the transactions of a stream, each once; those of one branch in order.
  ///
  /// - returns: which of those that are applied are not kept; of what was dropped it is known that
  ///   it was.
  func forEach(
    of stream: StreamID, _ body: (Transaction) throws -> Void
  ) throws -> [ClosedRange<UInt64>] {
    var reading = StreamReading(lineage: streams.frontier.lineage.streams[stream])
    let archived = try segments(of: stream)
    // A statement that waits tells less than the originals beside it, if they are here.
    let late = archived.filter { !$0.isHeeded }
    var given: Set<Fingerprint>? = late.isEmpty ? nil : []
    func give(_ transaction: Transaction) throws {
      given?.insert(transaction.header.fingerprint)
      try body(transaction)
    }
    // A former stream of this device may have some left, and what came back from the folder may
    // lean on those.
    var waiting = try waiting(of: stream)[...]
    func takeWaiting(before first: UInt64) throws {
      while let next = waiting.first, UInt64(next) < first {
        waiting.removeFirst()
        guard let content = try content(of: next, in: stream) else { continue }
        try reading.take(content, give)
      }
    }
    for segment in archived {
      guard let bytes = try read({ try SegmentArchive.bytes(of: segment, $0) }) ?? nil else {
        continue
      }
      let content = try SegmentFile.decode(bytes).segment
      try takeWaiting(before: segment.first)
      // What follows a statement may lean on it, whether it is heeded or not.
      if segment.isHeeded { try reading.take(content, give) } else { try reading.learn(content) }
    }
    try takeWaiting(before: .max)
    try forEachLeft(in: late, of: stream, besides: given ?? []) { transaction in
      reading.note(transaction.header.tip)
      try body(transaction)
    }
    return reading.missing
  }

  /// What waits of a stream to be published, in order.
  private func waiting(of stream: StreamID) throws -> [Int64] {
    try read { db in
      try Int64.fetchAll(
        db,
        sql: """
          SELECT sequence FROM outbox
          WHERE stream = (SELECT id FROM streams WHERE stream = ?) ORDER BY sequence
          """,
        arguments: [stream.databaseBytes])
    } ?? []
  }

  private func content(of sequence: Int64, in stream: StreamID) throws -> Segment? {
    let content = try read { db in
      try Data.fetchOne(
        db,
        sql: """
          SELECT content FROM outbox
          WHERE stream = (SELECT id FROM streams WHERE stream = ?) AND sequence = ?
          """,
        arguments: [stream.databaseBytes, sequence])
    }
    return try (content ?? nil).map { try SegmentFile.decode([UInt8]($0)).segment }
  }

  /// What is left of transactions that are nowhere else.
  private func forEachLeft(
    in late: [ArchivedSegment], of stream: StreamID, besides given: Set<Fingerprint>,
    _ body: (Transaction) throws -> Void
  ) throws {
    var reading = StreamReading(lineage: streams.frontier.lineage.streams[stream])
    for segment in late {
      guard let bytes = try read({ try SegmentArchive.bytes(of: segment, $0) }) ?? nil else {
        continue
      }
      try reading.take(SegmentFile.decode(bytes).segment) { transaction in
        if !given.contains(transaction.header.fingerprint) { try body(transaction) }
      }
    }
  }

  /// In the order of their first transactions; of those that begin with the same, what was dropped
  /// from one shall not come from the other.
  private static func precedes(_ first: ArchivedSegment, _ second: ArchivedSegment) -> Bool {
    if first.first != second.first { return first.first < second.first }
    if first.isReduced != second.isReduced { return first.isReduced }
    return (first.last, first.digest) < (second.last, second.digest)
  }
}

/// One stream being read, segment by segment in the order of their first transactions.
struct StreamReading {
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

  /// Gives out the transactions of a segment that were not given out.
  ///
  /// - returns: whether they could be completed: else they lean on one that is not there.
  @discardableResult
  mutating func take(
    _ segment: Segment, _ body: (Transaction) throws -> Void
  ) throws -> Bool {
    let range = segment.range
    ends = ends.filter { $0.value.sequence + 1 >= range.first }
    given = given.filter { $0.value >= range.first }
    var start = ends[range.fingerprintBefore]
    if start == nil, segment.transactions.first?.leansOnPrevious == false {
      start = StreamPosition(
        sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    }
    // Its transactions cannot be completed without those before it, and are missing.
    guard let start else { return false }
    for transaction in try segment.transactions(after: start) {
      let header = transaction.header
      learn(transaction)
      guard given.updateValue(header.sequence, forKey: header.fingerprint) == nil else { continue }
      note(header.tip)
      try body(transaction)
    }
    return true
  }

  /// Takes in where the transactions of a segment leave the stream, and gives out none of them.
  ///
  /// - parameter segment: one from which something was dropped, so that it leans on nothing.
  mutating func learn(_ segment: Segment) throws {
    let start = StreamPosition(
      sequence: segment.range.first - 1, fingerprint: segment.range.fingerprintBefore,
      context: Context())
    for transaction in try segment.transactions(after: start) { learn(transaction) }
  }

  private mutating func learn(_ transaction: Transaction) {
    // Nothing can lean on what is left out: of that no more than its name is known. But another
    // segment may have it.
    guard transaction.reduction != .leftOut else { return }
    let header = transaction.header
    ends[header.fingerprint] = StreamPosition(after: header)
  }

  fileprivate mutating func note(_ tip: Context.Entry) {
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
