import Foundation
import GRDB
import Replication
import SegmentFormat

/// How much of what others have dropped is taken out in one transaction of the database: whoever
/// wants to write waits for that.
package struct HeedingPace: Sendable {
  let documents: Int
  let operations: Int
  /// A document that would have to be written anew, and is larger than that, stays as it is.
  let revivalBytes: Int

  /// - precondition: all are greater than zero.
  package init(
    documents: Int, operations: Int, revivalBytes: Int = StoreWriter.maximumBytes
  ) {
    self.documents = documents
    self.operations = operations
    self.revivalBytes = revivalBytes
  }

  package static let standard = HeedingPace(documents: 128, operations: 2_048)

  /// Where what is done at once ends that begins with a document.
  func end(from start: Int, of documents: [HeedingPlan.Document]) -> Int {
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
  /// In many transactions, nearly all of them as short as `pace` says. Whoever ends in their midst
  /// has done part of it, by which no document shows anything else; the next call goes on.
  ///
  ///     let isDone = try database.heedStatements(now: ambient.time, nonce: nonce)
  ///
  /// - parameters:
  ///   - unfinished: Whether also statements are looked at again of which something had to stay.
  ///   - now: The wall clock.
  ///   - nonce: A random number of this process.
  ///   - isStopping: Asked between two transactions whether to end early.
  ///   - onRevived: Called with how many documents were written anew for it (protocol.md 24), once
  ///     that is done, where some were.
  /// - returns: false if it ended early.
  /// - throws: ``StorageError`` if the database cannot be read or written.
  @discardableResult
  package func heedStatements(
    unfinished: Bool = false, _ pace: HeedingPace = .standard, now: HybridTime, nonce: UInt64,
    unless isStopping: () -> Bool = { false }, onRevived: (Int) throws -> Void = { _ in }
  ) throws -> Bool {
    try heedStatements(
      unfinished: unfinished, pace, now: now, nonce: nonce, ending: { _ in isStopping() },
      onRevived: onRevived)
  }

  /// The same, for who has something done by each call.
  ///
  /// - parameter isEnding: Asked with whether anything was done by this call.
  @discardableResult
  package func heedStatements(
    unfinished: Bool = false, _ pace: HeedingPace = .standard, now: HybridTime, nonce: UInt64,
    ending isEnding: (_ hasDone: Bool) -> Bool, onRevived: (Int) throws -> Void = { _ in }
  ) throws -> Bool {
    let progress: [StatementTable.Progress] = unfinished ? [.waiting, .unfinished] : [.waiting]
    let (wanted, due) = try read { db in try StatementTable.due(progress, streams(db), db) }
    guard !wanted.isEmpty else { return true }
    return try withoutActuallyEscaping(isEnding) { isEnding in
      try withoutActuallyEscaping(onRevived) { onRevived in
        let heeding = StatementHeeding(
          database: self, due: due, pace: pace, now: Int64(now.milliseconds),
          reviving: Reviving(now: now, nonce: nonce, identity: identity),
          isEnding: isEnding, onRevived: onRevived)
        do {
          return try heeding.heed(wanted)
        } catch StorageError.clockExhausted {
          // Nothing can be written anew, so that has to wait; imports and the rest need not.
          return true
        }
      }
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
  /// The numbers of the statements that can be heeded, now or later: what they have is here.
  let due: Set<Int64>
  let pace: HeedingPace
  /// In milliseconds since 1970.
  let now: Int64
  let reviving: Reviving
  /// Asked with whether anything was done.
  let isEnding: (Bool) -> Bool
  let onRevived: (Int) throws -> Void

  /// - returns: false if it ended early.
  func heed(_ wanted: [StatementTable.Kept]) throws -> Bool {
    var rest = try heedAlone(wanted)
    // Of these something had to stay.
    var unfinished: [StatementTable.Kept] = []
    var hasDone = false
    while !rest.isEmpty {
      // What has come meanwhile, or another process has done, is looked at again.
      var again: [StatementTable.Kept] = []
      var reviving: [HeedingPlan] = []
      for statement in rest {
        guard !isEnding(hasDone) else { return false }
        let plan: HeedingPlan?
        do {
          plan = try HeedingPlan(statement, besides: due, in: database, pace)
        } catch is HeedingPlan.Outdated {
          again.append(statement)
          continue
        }
        guard let plan else { continue }
        guard plan.dying.isEmpty else {
          reviving.append(plan)
          again.append(statement)
          continue
        }
        switch try carryOut(plan) {
        case .done where plan.documents.isEmpty: break
        case .done:
          // What had to stay beside this may go now.
          again += unfinished
          unfinished = []
        case .unfinished: unfinished.append(statement)
        case .changed:
          again.append(statement)
          continue
        case .stopped: return false
        }
        hasDone = true
      }
      // All that is written anew is written under one stream.
      let left = try reviving.isEmpty ? [] : revive(reviving)
      rest = again.filter { !left.contains($0.id) }
    }
    return true
  }

  /// Heeds those beside which nothing else is kept of their transactions, as nearly all are that a
  /// new device finds: there is nothing that they leave out.
  ///
  /// Many in a transaction: each is a few rows.
  ///
  /// - returns: the others.
  private func heedAlone(_ wanted: [StatementTable.Kept]) throws -> [StatementTable.Kept] {
    var (others, next) = ([] as [StatementTable.Kept], 0)
    while next < wanted.count, next == 0 || !isEnding(true) {
      let some = wanted[next..<min(next + pace.documents, wanted.count)]
      let left = try database.write { db in
        let clock = try DeviceRecord.clock(db, database.readCache.streams(db, isWriting: true))
        return try some.filter { statement in
          guard try StatementTable.heedIfAlone(statement, clock: clock, db) else { return true }
          try SpentSegments.keep(
            [], of: statement.first...statement.last, stream: statement.stream, now: now, db)
          try SegmentArchive.noteJoinedUnlessNoted(
            (Int64(statement.first), Int64(statement.last)), digest: statement.digest, now: now,
            stream: statement.stream, db)
          return false
        }
      }
      if left.count < some.count { database.countStreamChange() }
      others += left
      next = some.endIndex
    }
    return others + wanted[next...]
  }

  /// How a plan was carried out.
  private enum Outcome {
    case done
    /// Some of it has to stay for now.
    case unfinished
    /// It held no more; what was done by then stays.
    case changed
    case stopped
  }

  private func steps(of plan: HeedingPlan) -> HeedingSteps {
    HeedingSteps(
      plan: plan, database: database, reviving: reviving, revivalBytes: pace.revivalBytes)
  }

  private func carryOut(_ plan: HeedingPlan) throws -> Outcome {
    var steps = steps(of: plan)
    var next = plan.mark.done
    while next < plan.documents.count {
      let end = pace.end(from: next, of: plan.documents)
      guard let count = try steps.drop(plan.documents[next..<end]) else { return .changed }
      if count > 0 { try onRevived(count) }
      next = end
      // Behind a step, so that each look at it brings one about.
      guard !isEnding(true) else { return .stopped }
    }
    guard try steps.finish(now: now) else { return .changed }
    return plan.isWhole ? .done : .unfinished
  }

  /// Writes documents anew, and takes out what they were made of: in one transaction, however many
  /// they are.
  ///
  /// What would be more than a transaction holds stays as it is, and so does all that the same
  /// statements leave out: nobody could write it in parts that show nothing else on the way.
  ///
  /// - returns: the numbers of those statements.
  private func revive(_ plans: [HeedingPlan]) throws -> Set<Int64> {
    defer { database.countStreamChange() }
    let large = try reviveUnlessLarge(plans)
    let left = plans.filter { $0.dying.contains { large.contains($0.key) } }
    for plan in left { try steps(of: plan).leave() }
    let rest = plans.filter { plan in !left.contains { $0.statement.id == plan.statement.id } }
    guard !left.isEmpty, !rest.isEmpty else { return Set(left.map(\.statement.id)) }
    return try revive(rest).union(left.map(\.statement.id))
  }

  /// - returns: the documents that are too large; if there are any, nothing was changed.
  private func reviveUnlessLarge(_ plans: [HeedingPlan]) throws -> Set<DocumentKey> {
    let (count, large) = try database.write { db -> (Int, Set<DocumentKey>) in
      guard try plans.allSatisfy({ try $0.isCurrent($0.statement.heeding, db) }) else {
        return (0, [])
      }
      var dropped: [DocumentKey: [Dot: Fingerprint]] = [:]
      for document in plans.flatMap(\.dying) {
        dropped[document.key, default: [:]].merge(document.dropped) { first, _ in first }
      }
      let documents = dropped.sorted { $0.key < $1.key }.map {
        HeedingPlan.Document(key: $0.key, dropped: $0.value, isUncertain: false)
      }
      var dropping = try DocumentDropping(database.readCache.streams(db, isWriting: true), db)
      let revivals = try documents.compactMap { document in
        try dropping.revival(of: document, dropping.state(of: document.key))
      }
      let large = revivals.filter { $0.bytes > pace.revivalBytes }
      guard large.isEmpty else { return (0, Set(large.map(\.key))) }
      if !revivals.isEmpty {
        try reviving.write(revivals, db)
        dropping = try DocumentDropping(StreamDirectory(db), db)
      }
      for document in documents { try dropping.drop(document, isGone: false) }
      if let plan = plans.first { try dropping.noteChanges(by: plan.reading.range.stream) }
      return (revivals.count, [])
    }
    if count > 0 { try onRevived(count) }
    return large
  }
}

/// The transactions of the database in which a plan is carried out.
private struct HeedingSteps {
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
