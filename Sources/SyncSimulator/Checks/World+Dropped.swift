import DocumentStorage
import ReferenceModel
import Replication
import SegmentFormat

/// What holds of what devices drop, and heed that others have dropped (protocol.md 21, 22).
extension World {
  /// What was dropped would show nowhere, and no list of conflicts would have it, but where
  /// somebody wrote of whom the one who dropped it had never heard: then what only a delete covered
  /// does not come back, as it would have.
  func checkDropped(_ key: DocumentKey) throws {
    let operations = ledger.operations(on: key)
    let dropped = operations.map(\.dot).filter { ledger.dropped[$0] != nil }
    guard !dropped.isEmpty else { return }
    let whole = PlainModel(operations: operations)
    let visible = Set(whole.visible.map(\.dot))
    for dot in dropped where visible.contains(dot) {
      guard isDroppedUnawares(dot, of: operations) else {
        throw Finding("\(dot) of \(key.id) was dropped, and would show")
      }
    }
    guard !dropped.contains(where: { isDroppedUnawares($0, of: operations) }) else { return }
    let left = PlainModel(operations: operations, dropped: Set(dropped)).shown()
    guard left.conflictCount == whole.shown().conflictCount else {
      throw Finding(
        "\(key.id) has \(left.conflictCount) conflicts, and would have"
          + " \(whole.shown().conflictCount) if nothing had been dropped")
    }
  }

  /// Whether some of a document's operations are by somebody of whom whoever dropped one of them
  /// had never heard; where nobody was waited for, it may also be an edit that was late.
  func isDroppedUnawares(_ dot: PlainModel.Dot, of operations: [PlainModel.Operation]) -> Bool {
    guard let known = ledger.dropped[dot] else { return false }
    return operations.contains { operation in
      operation.isValue && known[operation.dot.author] < operation.dot.sequence
        && (isTravelling || known[operation.dot.author] == 0)
    }
  }

  /// The logs that a device keeps have of each document what its state has and what that counts as
  /// forgotten: where it counts less, something may be dropped that is needed (protocol.md 21).
  ///
  /// But for what was dropped: a file may have it still that reaches beyond the one that lacks it.
  func checkCounted(
    _ documents: [StoreDatabase.KeptDocument], on machine: Machine
  ) throws {
    let states = Dictionary(uniqueKeysWithValues: documents.map { ($0.key, $0.state) })
    let recorded = try machine.database.readSnapshot { try $0.events(of: Set(allKeys)) }
    guard recorded.missing.isEmpty else { return }
    for key in allKeys {
      let kept = Set((states[key]?.entries ?? []).map(\.stamp))
      let logged = (recorded.events[key] ?? []).flatMap { event in event.steps.map(event.stamp) }
        .filter { kept.contains($0) || !isDropped($0) }
      guard let forgotten = states[key].map(\.forgotten) ?? 0,
        logged.count != kept.count + forgotten
      else { continue }
      throw Finding(
        "device \(machine.number) has \(kept.count) operations on \(key.id) and counts"
          + " \(forgotten) as forgotten, and its logs have \(logged.count)")
    }
  }

  private func isDropped(_ stamp: Stamp) -> Bool {
    guard let place = ledger.place(of: stamp.transaction) else { return false }
    let dot = PlainModel.Dot(
      author: place.author, sequence: place.sequence, index: Int(stamp.dot.index))
    return ledger.dropped[dot] != nil
  }

  /// A device heeds what was dropped only once it has all that whoever dropped it had.
  ///
  /// Judged where no database is an older one.
  func checkHeeded(by machine: Machine) throws {
    guard isCompacting, figures.copies == 0 else { return }
    let frontier = try machine.database.frontier()
    for stream in frontier.lineage.streams.keys {
      for segment in try machine.database.archivedSegments(of: stream)
      where segment.isReduced && segment.isHeeded
        && machine.heeded.insert(segment.digest).inserted
      {
        guard let bytes = try machine.database.archivedBytes(of: segment),
          let statement = try SegmentFile.decode(bytes).segment.statement
        else { continue }
        guard frontier.lineage.holds(statement.applied) else {
          throw Finding(
            "device \(machine.number) heeds what was dropped of \(stream) before it has what who"
              + " dropped it had")
        }
      }
    }
  }
}
