import Foundation
import GRDB
import Replication
import SegmentFormat

/// Takes out what others have dropped of their streams (protocol.md 22).
///
/// A segment that lacks operations which its transactions had is a statement: they are dead, for
/// ever. It is heeded once all that its writer had applied is applied here: before that, what it
/// leaves out may show, since what covers it has not come. Then the difference between it and the
/// segments that have them is taken out of the documents, and those segments are let go.
struct StatementHeeding {
  private let db: Database
  /// In milliseconds since 1970.
  private let now: Int64

  init(now: Int64, _ db: Database) {
    self.now = now
    self.db = db
  }

  /// Heeds the statements that can be.
  ///
  /// - parameters:
  ///   - progress: How far those are to have come that are looked at.
  ///   - isRevived: Whether what has to be written before was written.
  /// - returns: what has to be written before those are heeded that were put off: they would take
  ///   away what edits of this device show with (protocol.md 24).
  func heed(
    _ progress: [StatementTable.Progress], isRevived: Bool = false,
    _ streams: inout StreamDirectory, _ table: inout DocumentTable
  ) throws -> [Revival] {
    let due = try due(progress, streams)
    let ids = Set(due.map(\.id))
    var needed: [DocumentKey: Revival] = [:]
    for statement in due {
      guard let reading = try compared(statement, besides: ids, streams) else { continue }
      let dying = isRevived ? [] : try revivals(of: reading.omitted, streams, table)
      guard dying.isEmpty else {
        for revival in dying { needed[revival.key] = revival }
        continue
      }
      let isWhole = try drop(
        reading.omitted, besides: reading.uncertain, &streams, &table)
      guard isWhole else {
        try StatementTable.set(.unfinished, of: statement.id, db)
        continue
      }
      try StatementTable.set(.heeded, of: statement.id, db)
      try SegmentArchive.noteJoined(
        reading.range, digest: reading.digest, level: 0, now: now, stream: statement.stream, db)
      let spent = reading.spent(butFor: streams.row(of: reading.range.stream)?.learntName)
      try completeFollowers(of: reading, besides: spent, stream: statement.stream, streams)
      try SegmentArchive.remove(spent, stream: statement.stream, db)
    }
    return needed.values.sorted { $0.key < $1.key }
  }

  private func revivals(
    of omitted: [DocumentKey: [Dot: Fingerprint]], _ streams: StreamDirectory,
    _ table: DocumentTable
  ) throws -> [Revival] {
    try omitted.compactMap { key, dropped in
      let steps = try settled(key, streams, table).revival(dropping: dropped) { stream in
        streams.row(of: stream).map { $0.isOwn || $0.retiredAt != nil } ?? false
      }
      return steps.map { Revival(key: key, steps: $0) }
    }
  }

  /// The statements of which all is here that their writers had applied: also what such a one had
  /// of which only another tells, which is not heeded itself.
  ///
  /// For of that one, no more than its name may be here, and what covers may be missing.
  private func due(
    _ progress: [StatementTable.Progress], _ streams: StreamDirectory
  ) throws -> [StatementTable.Kept] {
    let open = try StatementTable.all([.waiting, .unfinished], streams: streams, db)
    var late = try Set(open.filter { try !isHere($0.applied, streams) }.map(\.id))
    // Who needs one that is late is late, too, and so on.
    var newlyLate = late
    while !newlyLate.isEmpty {
      let blocking = open.filter { newlyLate.contains($0.id) }
      let more = try open.filter { statement in
        try !late.contains(statement.id)
          && blocking.contains { other in
            try statement.leans(on: other, of: streams.stream(number: other.stream))
          }
      }
      newlyLate = Set(more.map(\.id))
      late.formUnion(newlyLate)
    }
    let wanted = try Set(StatementTable.all(progress, streams: streams, db).map(\.id))
    return open.filter { wanted.contains($0.id) && !late.contains($0.id) }
  }

  private func isHere(_ applied: Context, _ streams: StreamDirectory) throws -> Bool {
    try applied.entries.allSatisfy { entry in
      try streams.frontier.isGivenUp(entry) || streams.holds(entry, db)
    }
  }

  /// A statement beside what else is kept; nil if that cannot be told.
  private func compared(
    _ statement: StatementTable.Kept, besides due: Set<Int64>, _ streams: StreamDirectory
  ) throws -> StatementReading? {
    guard try !StatementReading.isIncomplete(statement, db) else { return nil }
    do {
      var reading = try StatementReading(statement, streams: streams, db)
      return try reading.compare(besides: due, db) ? reading : nil
    } catch is SegmentError {
      // What has rotted in the archive is for `doctor` to tell, and stops no import.
      return nil
    }
  }

  /// Writes whole, in the archive, what leaves the stream where something is left out now: a branch
  /// that leans on the transaction before it, whose header goes with the segments that have it.
  private func completeFollowers(
    of reading: StatementReading, besides spent: [SegmentArchive.Part], stream: Int64,
    _ streams: StreamDirectory
  ) throws {
    let spent = Set(spent.map(\.id))
    let rows = try Row.fetchAll(
      db.prepared(
        """
        SELECT id FROM archive
        WHERE stream = ?1 AND first = last AND first > ?2 AND first <= ?3
          AND id NOT IN (SELECT segment FROM statements)
        """),
      arguments: [stream, Int64(reading.range.first), Int64(reading.range.last)])
    for row in rows {
      let id: Int64 = try row.value(0)
      guard !spent.contains(id), let kept = try SegmentArchive.segment(id, db),
        kept.segment.leansOnPrevious, reading.has(kept.segment.range.predecessor),
        let start = try SegmentReplay.position(at: kept.segment.range.predecessor, streams, db),
        let whole = try kept.segment.whole(after: start)
      else { continue }
      let file = SegmentFile.encode(whole.segment)
      let sequence = Int64(whole.segment.range.first)
      try SegmentArchive.remove([(id, sequence, sequence)], stream: stream, db)
      try SegmentArchive.store(
        file.bytes, of: whole.segment.range, digest: file.digest, fingerprint: whole.end,
        stream: stream, db)
      try SegmentRecords.note(
        whole.segment.range, digest: file.digest, hasOwnName: false, fingerprint: whole.end,
        stream: stream, db)
    }
  }

  /// - returns: whether all of it is gone.
  private func drop(
    _ omitted: [DocumentKey: [Dot: Fingerprint]], besides uncertain: Set<DocumentKey>,
    _ streams: inout StreamDirectory, _ table: inout DocumentTable
  ) throws -> Bool {
    let isWhole = try omitted.allSatisfy { key, dropped in
      try settled(key, streams, table).canDrop(dropped)
    }
    for (key, dropped) in omitted.sorted(by: { $0.key < $1.key }) {
      var state = try settled(key, streams, table)
      let before = (state.entries.count, state.forgotten)
      state.drop(dropped, isLast: isWhole)
      if uncertain.contains(key) { state.forgetCount() }
      guard before != (state.entries.count, state.forgotten) else { continue }
      if state.isEmpty, state.forgotten == 0 {
        try table.remove(key)
      } else {
        try table.save(state, of: key) { try streams.number(of: $0, db) }
      }
    }
    return isWhole
  }

  /// A document without what has come to be covered since it was stored: that may be what a delete
  /// is kept for.
  private func settled(
    _ key: DocumentKey, _ streams: StreamDirectory, _ table: DocumentTable
  ) throws -> DocumentState {
    var state = try table.state(of: key, streams: streams)
    state.settle()
    return state
  }
}

extension Segment {
  /// The same as a segment that leans on nothing, and the fingerprint of its last transaction.
  fileprivate func whole(
    after start: StreamPosition
  ) throws -> (segment: Segment, end: Fingerprint)? {
    let all = try transactions(after: start)
    guard let last = all.last else { return nil }
    let segment = Segment(
      range: range, attributes: attributes,
      transactions: all.map { EncodedTransaction($0, after: nil) })
    return (segment, last.header.fingerprint)
  }
}
