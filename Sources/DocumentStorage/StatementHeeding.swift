import Foundation
import GRDB
import Replication
import SegmentFormat

/// How much of what others have dropped is taken out in one transaction of the database: whoever
/// wants to write waits for that.
package struct HeedingPace: Sendable {
  let documents: Int
  let operations: Int

  /// - precondition: both are greater than zero.
  package init(documents: Int, operations: Int) {
    self.documents = documents
    self.operations = operations
  }

  package static let standard = HeedingPace(documents: 128, operations: 2_048)

  /// Where what is done at once ends that begins with a document.
  fileprivate func end(from start: Int, of documents: [HeedingPlan.Document]) -> Int {
    var (end, held) = (start, 0)
    while end < documents.count, end - start < self.documents, held < operations {
      held += documents[end].dropped.count
      end += 1
    }
    return end
  }
}

extension StoreDatabase {
  /// Takes out what others have dropped of their streams, where that can be done.
  ///
  /// In many transactions, each as short as `pace` says. Whoever ends in their midst has done part
  /// of it, by which no document shows anything else; the next call goes on.
  ///
  ///     let revived = try database.heedStatements(now: ambient.time, nonce: nonce)
  ///
  /// - parameters:
  ///   - unfinished: Whether also statements are looked at again of which something had to stay.
  ///   - now: The wall clock.
  ///   - nonce: A random number of this process.
  ///   - isStopping: Asked between two transactions whether to end early.
  /// - returns: how many documents were written anew for it (protocol.md 24).
  /// - throws: ``StorageError`` if the database cannot be read or written.
  package func heedStatements(
    unfinished: Bool = false, _ pace: HeedingPace = .standard, now: HybridTime, nonce: UInt64,
    unless isStopping: () -> Bool = { false }
  ) throws -> Int {
    let progress: [StatementTable.Progress] = unfinished ? [.waiting, .unfinished] : [.waiting]
    let due = try read { db in try StatementTable.due(progress, streams(db), db) }
    return try withoutActuallyEscaping(isStopping) { isStopping in
      let heeding = StatementHeeding(
        database: self, due: Set(due), pace: pace, now: now, nonce: nonce, isStopping: isStopping)
      return try due.reduce(0) { try $0 + heeding.heed($1) }
    }
  }
}

/// Takes out what others have dropped of their streams (protocol.md 22).
///
/// A segment that lacks operations which its transactions had is a statement: they are dead, for
/// ever. It is heeded once all that its writer had applied is applied here: before that, what it
/// leaves out may show, since what covers it has not come. Then the difference between it and the
/// segments that have them is taken out of the documents, and those segments are let go.
///
/// A document at a time, since none shows anything else without what is dead of it; but what it
/// counts as forgotten has to be exact, so how far it has come is noted with it.
private struct StatementHeeding {
  let database: StoreDatabase
  /// The numbers of the statements that can be heeded.
  let due: Set<Int64>
  let pace: HeedingPace
  let now: HybridTime
  let nonce: UInt64
  let isStopping: () -> Bool

  /// - returns: how many documents were written anew.
  func heed(_ statement: Int64) throws -> Int {
    var revived = 0
    while !isStopping() {
      let plan = try database.read { db in
        try HeedingPlan(statement, besides: due, database.streams(db), db)
      }
      guard let plan, try !carryOut(plan, &revived) else { return revived }
      // Something has come, or another process was at it.
    }
    return revived
  }

  /// - returns: whether that was done.
  private func carryOut(_ plan: HeedingPlan, _ revived: inout Int) throws -> Bool {
    var steps = HeedingSteps(
      plan: plan, database: database,
      reviving: Reviving(now: now, nonce: nonce, identity: database.identity))
    guard try plan.dying.isEmpty || steps.drop(plan.dying[...], isLast: false) else { return false }
    defer { revived += steps.revived }
    var next = plan.mark.done
    while next < plan.documents.count {
      guard !isStopping() else { return true }
      let end = pace.end(from: next, of: plan.documents)
      guard try steps.drop(plan.documents[next..<end], isLast: plan.isWhole) else { return false }
      next = end
    }
    return try steps.finish(now: Int64(now.milliseconds))
  }
}

/// The transactions of the database in which a plan is carried out.
private struct HeedingSteps {
  let plan: HeedingPlan
  let database: StoreDatabase
  let reviving: Reviving
  /// What is noted of it.
  private var noted: Data?
  private var mark: HeedingMark
  /// How many documents were written anew.
  private(set) var revived = 0

  init(plan: HeedingPlan, database: StoreDatabase, reviving: Reviving) {
    (self.plan, self.database, self.reviving) = (plan, database, reviving)
    (noted, mark) = (plan.statement.heeding, plan.mark)
  }

  /// Takes something out of some documents, once what would go with it is written anew.
  ///
  /// - parameter isLast: Whether it is counted as gone from the logs, too: those documents are done
  ///   then, and the next ones follow them.
  /// - returns: false, with nothing changed, if the plan holds no more.
  mutating func drop(_ documents: ArraySlice<HeedingPlan.Document>, isLast: Bool) throws -> Bool {
    defer { database.countStreamChange() }
    var next = mark
    if isLast { next.done += documents.count }
    let count: Int? = try database.write { [self] db in
      guard try plan.isCurrent(noted, db) else { return nil }
      var dropping = try DocumentDropping(database.readCache.streams(db, isWriting: true), db)
      var revivals: [Revival] = []
      for document in documents {
        let state = try dropping.state(of: document.key)
        guard !isLast || state.canDrop(document.dropped) else { return nil }
        if let revival = dropping.revival(of: document, state) { revivals.append(revival) }
      }
      if !revivals.isEmpty {
        try reviving.write(revivals, db)
        dropping = try DocumentDropping(StreamDirectory(db), db)
      }
      for document in documents {
        try dropping.drop(document, isLast: isLast, isUncertain: isLast && mark.isUncertain)
      }
      if isLast { try StatementTable.note(next.bytes, of: plan.statement.id, db) }
      return revivals.count
    }
    guard let count else { return false }
    revived += count
    if isLast { (mark, noted) = (next, next.bytes) }
    return true
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
        try StatementTable.set(.unfinished, of: plan.statement.id, db)
        return true
      }
      let (reading, stream) = (plan.reading, plan.statement.stream)
      let streams = try database.readCache.streams(db, isWriting: true)
      try StatementTable.set(.heeded, of: plan.statement.id, db)
      try SegmentArchive.noteJoinedUnlessNoted(
        reading.range, digest: reading.digest, now: now, stream: stream, db)
      let spent = reading.spent(butFor: streams.row(of: reading.range.stream)?.learntName)
      try completeFollowers(besides: spent, streams, db)
      try SegmentArchive.remove(spent, stream: stream, db)
      return true
    }
  }

  /// Writes whole, in the archive, what leaves the stream where something is left out now: a branch
  /// that leans on the transaction before it, whose header goes with the segments that have it.
  private func completeFollowers(
    besides spent: [SegmentArchive.Part], _ streams: StreamDirectory, _ db: Database
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
