import CanonicalJSON
import ReferenceModel
import Replication

/// What a device showed at some moment: judged at the end, when all that it had is known.
struct Glimpse {
  let device: Int
  let applied: Context
  let document: DocumentKey
  let body: JSON?
  let conflictCount: Int
  /// Whether somebody may have gone on from a copy of another by then.
  let isBesideCopies: Bool
  /// Whether it had files by then from which something was dropped.
  let hasReduced: Bool
  /// The deletes that it had of the document.
  let deletes: [Stamp]

  fileprivate func shows(_ wanted: PlainModel.Shown) -> Bool {
    body == wanted.body && conflictCount == wanted.conflictCount
  }
}

extension World {
  /// Remembers what a device shows of a document now.
  func glimpse(_ machine: Machine, _ random: inout SplitMix) throws {
    // What waits to be published hides more than what is published.
    guard try machine.database.counts().pendingRemovals == 0 else { return }
    // What is applied behind a hole tells of the hole, too.
    let lines = try machine.database.frontier().lineage.streams.values.flatMap(\.lines)
    guard !lines.contains(where: { $0.parent == nil && $0.base > 0 }) else { return }
    // What somebody has dropped may be missed before what took its place has come.
    guard try !machine.database.hasWaitingStatements() else { return }
    let key = random.pick(allKeys)
    let document = try machine.database.keptDocuments().first { $0.key == key }
    glimpses.append(
      Glimpse(
        device: machine.number, applied: try applied(on: machine), document: key,
        body: document?.state.view().json, conflictCount: document?.conflictCount ?? 0,
        isBesideCopies: figures.copies > 0, hasReduced: try hasReduced(machine),
        deletes: (document?.state.entries ?? []).filter { $0.effect.kind == .delete }
          .map(\.stamp)))
  }

  /// What was shown on the way follows from what had been applied.
  func checkGlimpses() throws {
    for glimpse in glimpses {
      // What went with a database that was put back, the model has never heard of.
      guard let applied = ledger.vector(of: glimpse.applied) else { continue }
      let all = ledger.operations(on: glimpse.document)
      let there = all.filter { $0.dot.sequence <= applied[$0.dot.author] }
      let ends = ledger.ends(of: applied)
      let model = PlainModel(operations: there, ends: ends)
      // Where branches are expected that are not here, nobody can know what the model knows.
      if glimpse.isBesideCopies, model.expectsMore(than: applied, ends: ends) { continue }
      guard !hasLost(model, of: there, in: all) else { continue }
      let wanted = model.shown()
      guard glimpse.shows(wanted) || lacksDeletes(glimpse, there, ends: ends) else {
        throw Finding(
          "device \(glimpse.device) showed \(glimpse.body?.canonical ?? "nothing") as"
            + " \(glimpse.document.id) with \(glimpse.conflictCount) conflicts, by the model"
            + " \(wanted.body?.canonical ?? "nothing") with \(wanted.conflictCount)")
      }
    }
  }

  private func hasReduced(_ machine: Machine) throws -> Bool {
    guard isTravelling else { return false }
    return try machine.database.streamSummaries().contains { summary in
      try machine.database.archivedSegments(of: summary.stream).contains(where: \.isReduced)
    }
  }

  /// Whether a device showed a document without deletes that were dropped: who came to the reduced
  /// files first, since nobody waited for it, has never had these.
  ///
  /// What they took away it shows until what that was dropped from comes, too; and if they were
  /// dropped by somebody who had not heard of what was written beside them, nobody lists them.
  private func lacksDeletes(
    _ glimpse: Glimpse, _ there: [PlainModel.Operation], ends: [UInt128: UInt64]
  ) -> Bool {
    let deletes = there.filter(\.isDelete).map(\.dot).filter { ledger.dropped[$0] != nil }
    let lost = Set(
      deletes.filter {
        glimpse.hasReduced || isTravelling && isDroppedUnawares($0, of: there)
      })
    // It may have some of them all the same.
    let others = lost.subtracting(glimpse.deletes.map { ledger.dot(of: $0) })
    guard !others.isEmpty else { return false }
    return glimpse.shows(PlainModel(operations: there, ends: ends, dropped: others).shown())
  }

  /// Whether something would have shown there that only a delete had covered when it was dropped,
  /// so that it did not come back with an edit of which who dropped it had never heard.
  ///
  /// - parameter there: what had been applied, of all that ever was.
  private func hasLost(
    _ model: PlainModel, of there: [PlainModel.Operation], in all: [PlainModel.Operation]
  ) -> Bool {
    let lost = model.visible.map(\.dot).filter { ledger.dropped[$0] != nil }
    guard !lost.isEmpty else { return false }
    // Where nobody was waited for, it may have been covered by something later, too.
    guard !isTravelling, !lost.contains(where: { isDroppedUnawares($0, of: there) }) else {
      return true
    }
    return !Set(PlainModel(operations: all).kept.map(\.dot)).isDisjoint(with: lost)
  }
}

extension PlainModel {
  /// Whether somebody who wrote what is kept had seen something that has not been applied, or what
  /// is edited is not there.
  fileprivate func expectsMore(than applied: Seen, ends: [UInt128: UInt64]) -> Bool {
    kept.contains { operation in
      !operation.seen.isPart(of: applied)
        || operation.isValue && ends[operation.insert.stream] ?? 0 < operation.insert.sequence
    }
  }
}
