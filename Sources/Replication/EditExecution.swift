import CanonicalJSON

extension DocumentState {
  /// Carries out a plan: stamps its steps, applies them, and returns them as operations.
  ///
  /// What the author saw away but may not claim yet is hidden by a ``PendingRemoval``.
  ///
  /// - parameter wanted: the body that the plan is for; nil for a deletion.
  /// - parameter header: the transaction so far; its fingerprint comes later, by ``seal(_:)``.
  /// - parameter firstIndex: how many operations the transaction has already.
  package mutating func perform(
    _ plan: EditPlan, wanted: JSON?, on document: DocumentKey, header: Transaction.Header,
    firstIndex: Int
  ) -> [Operation] {
    let insert = plan.insert ?? header.stamp(firstIndex).dot
    // A write beside a delete that still waits would undo it by being concurrent with it, so from
    // now on the delete takes away exactly what its author saw, as a write does.
    pending = pending.map { $0.asRemoval }
    let operations = plan.steps.map { step in
      Operation(
        document: document, insert: insert, path: step.path, kind: step.kind,
        payload: step.payload)
    }
    for (offset, operation) in operations.enumerated() {
      apply(
        Effect(operation), stamp: header.stamp(firstIndex + offset), context: plan.context)
    }
    if let wanted {
      hideLeftovers(of: plan, wanted: wanted, insert: insert)
    } else if plan.steps.isEmpty {
      pending.append(PendingRemoval(path: .root, kind: .delete, seen: plan.seen, insert: insert))
    }
    return operations
  }

  /// Hides what the author saw and did not want, but what the context could not claim.
  private mutating func hideLeftovers(of plan: EditPlan, wanted: JSON, insert: Dot) {
    guard !plan.seen.isCovered(by: plan.context) else { return }
    let wantedPaths = Set(Path.root.allPaths(in: wanted))
    var hidden: Set<Path> = []
    for entry in entries where entry.effect.kind.carriesValue {
      let dot = entry.stamp.dot
      guard plan.seen.contains(stream: dot.stream, sequence: dot.sequence),
        !plan.context.contains(stream: dot.stream, sequence: dot.sequence),
        !wantedPaths.contains(entry.effect.path), hidden.insert(entry.effect.path).inserted
      else { continue }
      pending.append(
        PendingRemoval(path: entry.effect.path, kind: .remove, seen: plan.seen, insert: insert))
    }
  }

  /// Takes out a removal that may be published now, and applies it under its real stamp.
  package mutating func publish(
    _ removal: PendingRemoval, on document: DocumentKey, header: Transaction.Header, index: Int
  ) -> Operation {
    pending.removeAll { $0 == removal }
    let operation = Operation(
      document: document, insert: removal.insert, path: removal.path, kind: removal.kind)
    apply(Effect(operation), stamp: header.stamp(index), context: header.context)
    return operation
  }
}

extension DocumentState.PendingRemoval {
  fileprivate var asRemoval: Self {
    Self(path: path, kind: .remove, seen: seen, insert: insert)
  }
}

extension Path {
  /// This path and those of everything inside `value`.
  fileprivate func allPaths(in value: JSON) -> [Path] {
    guard case .object(let object) = value else { return [self] }
    return [self] + object.members.flatMap { appending($0.key).allPaths(in: $0.value) }
  }
}
