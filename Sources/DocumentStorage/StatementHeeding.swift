import Foundation
import GRDB
import Replication
import SegmentFormat

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
          reviving: Reviving(nonce: nonce, identity: identity),
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
      let left = try reviving.isEmpty ? [] : revive(reviving, &hasDone)
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
  /// - parameter hasDone: Set where any was written anew.
  /// - returns: the numbers of those statements.
  private func revive(_ plans: [HeedingPlan], _ hasDone: inout Bool) throws -> Set<Int64> {
    let documents = dying(plans)
    // Found out while others may write: it may be so at each look, for good.
    var large = try largeRevivals(of: documents)
    if large.isEmpty { large = try reviveUnlessLarge(plans, documents, &hasDone) }
    let left = plans.filter { $0.dying.contains { large.contains($0.key) } }
    for plan in left where !plan.isLeft { try steps(of: plan).leave() }
    let rest = plans.filter { plan in !left.contains { $0.statement.id == plan.statement.id } }
    guard !left.isEmpty, !rest.isEmpty else { return Set(left.map(\.statement.id)) }
    return try revive(rest, &hasDone).union(left.map(\.statement.id))
  }

  /// The documents that have to be written anew for some plans, and what they all take out.
  private func dying(_ plans: [HeedingPlan]) -> [HeedingPlan.Document] {
    var dropped: [DocumentKey: [Dot: Fingerprint]] = [:]
    for document in plans.flatMap(\.dying) {
      dropped[document.key, default: [:]].merge(document.dropped) { first, _ in first }
    }
    return dropped.sorted { $0.key < $1.key }.map {
      HeedingPlan.Document(key: $0.key, dropped: $0.value, isUncertain: false)
    }
  }

  /// Those that are too large to be written anew, as they are now.
  private func largeRevivals(of documents: [HeedingPlan.Document]) throws -> Set<DocumentKey> {
    var (large, next) = (Set<DocumentKey>(), 0)
    while next < documents.count {
      let some = documents[next..<pace.end(from: next, of: documents)]
      try database.read { db in
        let dropping = try DocumentDropping(database.streams(db), db)
        large.formUnion(try largeOnes(of: revivals(of: some, dropping)))
      }
      next = some.endIndex
    }
    return large
  }

  private func revivals(
    of documents: some Sequence<HeedingPlan.Document>, _ dropping: DocumentDropping
  ) throws -> [Revival] {
    try documents.compactMap { document in
      try dropping.revival(of: document, dropping.state(of: document.key))
    }
  }

  private func largeOnes(of revivals: [Revival]) -> Set<DocumentKey> {
    Set(revivals.filter { $0.bytes > pace.revivalBytes }.map(\.key))
  }

  /// - returns: the documents that are too large by now; if there are any, nothing was changed.
  private func reviveUnlessLarge(
    _ plans: [HeedingPlan], _ documents: [HeedingPlan.Document], _ hasDone: inout Bool
  ) throws -> Set<DocumentKey> {
    defer { database.countStreamChange() }
    let (count, large) = try database.write { db -> (Int?, Set<DocumentKey>) in
      guard try plans.allSatisfy({ try $0.isCurrent($0.statement.heeding, db) }) else {
        return (nil, [])
      }
      var dropping = try DocumentDropping(database.readCache.streams(db, isWriting: true), db)
      let revivals = try revivals(of: documents, dropping)
      let large = largeOnes(of: revivals)
      guard large.isEmpty else { return (nil, large) }
      if !revivals.isEmpty {
        try reviving.write(revivals, db)
        dropping = try DocumentDropping(StreamDirectory(db), db)
      }
      for document in documents { try dropping.drop(document, isGone: false) }
      if let plan = plans.first { try dropping.noteChanges(by: plan.reading.range.stream) }
      return (revivals.count, [])
    }
    guard let count else { return large }
    hasDone = true
    if count > 0 { try onRevived(count) }
    return []
  }
}
