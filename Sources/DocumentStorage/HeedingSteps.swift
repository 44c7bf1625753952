import Foundation
import GRDB
import Replication
import SegmentFormat

/// The transactions of the database in which a plan is carried out.
struct HeedingSteps {
  let plan: HeedingPlan
  let database: StoreDatabase
  let reviving: Reviving
  let revivalBytes: Int
  /// What is noted of it.
  private var noted: Data?
  private var mark: HeedingMark

  init(plan: HeedingPlan, database: StoreDatabase, reviving: Reviving, revivalBytes: Int) {
    (self.plan, self.database, self.reviving) = (plan, database, reviving)
    self.revivalBytes = revivalBytes
    (noted, mark) = (plan.statement.heeding, plan.mark)
  }

  /// Takes something out of the next documents, once what would go with it is written anew.
  ///
  /// Where all of it can go, they are done then.
  ///
  /// - returns: how many were written anew; nil, with nothing changed, if the plan holds no more.
  mutating func drop(_ documents: ArraySlice<HeedingPlan.Document>) throws -> Int? {
    defer { database.countStreamChange() }
    var next = mark
    next.done += documents.count
    let count: Int? = try database.write { [self] db in
      guard try plan.isCurrent(noted, db) else { return nil }
      var dropping = try DocumentDropping(database.readCache.streams(db, isWriting: true), db)
      var revivals: [Revival] = []
      for document in documents {
        let state = try dropping.state(of: document.key)
        guard !plan.isWhole || state.canDrop(document.dropped) else { return nil }
        if let revival = dropping.revival(of: document, state) { revivals.append(revival) }
        guard revivals.last.map({ $0.bytes <= revivalBytes }) ?? true else { return nil }
      }
      if !revivals.isEmpty {
        try reviving.write(revivals, db)
        dropping = try DocumentDropping(StreamDirectory(db), db)
      }
      for document in documents {
        try dropping.drop(
          document, isGone: plan.isWhole, isUncertain: plan.isWhole && mark.isUncertain)
      }
      try dropping.noteChanges(by: plan.reading.range.stream)
      if plan.isWhole { try StatementTable.note(next.bytes, of: plan.statement.id, db) }
      return revivals.count
    }
    guard let count else { return nil }
    if plan.isWhole { (mark, noted) = (next, next.bytes) }
    return count
  }

  /// Lets go what is kept of the originals, or notes that some of it has to stay.
  ///
  /// - parameter now: in milliseconds since 1970.
  /// - returns: false, with nothing changed, if the plan holds no more.
  func finish(now: Int64) throws -> Bool {
    defer { database.countStreamChange() }
    return try database.write { db in
      guard try plan.isCurrent(noted, db) else { return false }
      guard plan.isWhole else {
        try giveUp(db)
        return true
      }
      let (reading, stream) = (plan.reading, plan.statement.stream)
      let streams = try database.readCache.streams(db, isWriting: true)
      try StatementTable.setHeeded(
        plan.statement.id, clock: try DeviceRecord.clock(db, streams), db)
      try SegmentArchive.noteJoinedUnlessNoted(
        (Int64(reading.range.first), Int64(reading.range.last)), digest: reading.digest, now: now,
        stream: stream, db)
      let spent = reading.spent(butFor: streams.row(of: reading.range.stream)?.learntName)
      try SpentSegments.keep(
        spent, of: reading.range.first...reading.range.last, stream: stream, now: now, db)
      try completeFollowers(besides: spent, now: now, streams, db)
      try SegmentArchive.remove(spent, stream: stream, db)
      return true
    }
  }

  /// Notes that all of it has to stay, unless the plan holds no more.
  func leave() throws {
    defer { database.countStreamChange() }
    try database.write { db in
      if try plan.isCurrent(noted, db) { try giveUp(db) }
    }
  }

  /// Notes that something has to stay, so that nothing is done for now.
  ///
  /// Where some documents were done by then, they do not know any more how much they have
  /// forgotten: no other about the same transactions shall wait for this.
  private func giveUp(_ db: Database) throws {
    try StatementTable.setUnfinished(plan.statement.id, db)
    guard noted != nil else { return }
    var dropping = try DocumentDropping(database.readCache.streams(db, isWriting: true), db)
    for document in plan.documents { try dropping.forgetCount(of: document.key) }
    try StatementTable.note(nil, of: plan.statement.id, db)
  }

  /// Writes whole, in the archive, what leaves the stream where something is left out now: a branch
  /// that leans on the transaction before it, whose header goes with the segments that have it.
  private func completeFollowers(
    besides spent: [SegmentArchive.Part], now: Int64, _ streams: StreamDirectory,
    _ db: Database
  ) throws {
    let (reading, stream) = (plan.reading, plan.statement.stream)
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
        let whole = try WholeSegment(kept.segment, after: start)
      else { continue }
      let sequence = Int64(whole.segment.range.first)
      try SegmentArchive.remove([(id, sequence, sequence)], stream: stream, db)
      try whole.store(stream: stream, db)
      // Whoever may read it needs it whole (`completedSegments`), unless the statement has it.
      guard !reading.has(whole.tip) else { continue }
      try whole.noteCompleted(now: now, stream: stream, db)
    }
  }
}
