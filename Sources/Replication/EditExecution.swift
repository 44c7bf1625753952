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
    // First: a delete that waits hides more once it is a removal.
    let unshown = unshown(to: plan)
    // A document that is written anew beside a delete that still waits would undo it by being
    // concurrent with it, so from now on the delete takes away exactly what its author saw.
    if plan.steps.first.map({ $0.kind == .clear && $0.path.isRoot }) == true {
      pending = pending.map { $0.asRemoval(before: header, seen: plan.seen) }
    }
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
      hideLeftovers(of: plan, wanted: wanted, insert: insert, unshown: unshown)
    } else if plan.steps.isEmpty {
      pending.append(deletion(plan, header: header, insert: insert))
    }
    return operations
  }

  /// What a removal of `victims` means that waits: what may be claimed, and what led up to them.
  ///
  /// So it takes away nothing that its author did not see, as long as none of them builds on that.
  ///
  /// - parameter runs: those of what is here, where that tells.
  private func meaning(
    of plan: EditPlan, removing victims: [Entry], _ runs: inout Grounds?
  ) -> Context {
    switch plan.grounds {
    case .all: return plan.seen
    case .present(let frontier):
      var known = runs ?? Grounds(frontier)
      defer { runs = known }
      return frontier.lineage.union(plan.context, known.seen(upTo: victims.map(\.stamp)))
    case .noted(let grounds):
      let lineage = lineage ?? Lineage()
      var meaning = plan.context
      for transaction in Set(victims.map(\.stamp.transaction)) {
        // A token of an older version may have none.
        guard let ground = ground(of: transaction, among: grounds) else { return plan.seen }
        meaning = lineage.union(meaning, ground)
      }
      return meaning
    }
  }

  /// What is noted of the run that a transaction belongs to.
  private func ground(
    of transaction: Context.Entry, among grounds: [Context.Entry: Context]
  ) -> Context? {
    if let exact = grounds[transaction] { return exact }
    let all = grounds.keys.filter { $0.stream == transaction.stream }
    let after = all.filter { lineage?.isAtOrBefore(transaction, $0) ?? true }
    // A branch that leaves its line later has heard of other things.
    let line = lineage?.place(of: transaction)
    let own = after.filter { lineage?.place(of: $0) == line }
    let end =
      (own.isEmpty ? after : own).min { $0.sequence < $1.sequence }
      ?? all.max { $0.sequence < $1.sequence }
    return end.flatMap { grounds[$0] }
  }

  /// A deletion that waits; its author saw also what the transaction in the making wrote before it.
  private func deletion(
    _ plan: EditPlan, header: Transaction.Header, insert: Dot
  ) -> PendingRemoval {
    func isOwn(_ entry: Entry) -> Bool {
      entry.stamp.dot.stream == header.stream && entry.stamp.dot.sequence == header.sequence
        && entry.stamp.fingerprint == header.fingerprint
    }
    let removals = WaitingRemovals(self)
    var runs: Grounds?
    // What a write hides goes by that, whose insert may not be here: what led up to it, and shows
    // here for the first time after the deletion, is not meant.
    let victims = (uncovered + doubtfullyHidden).map { entries[$0] }.filter { entry in
      entry.effect.kind.carriesValue && !isOwn(entry)
        && (plan.settlesOrphans || !isOrphan(entry)) && !removals.hide(entry)
    }
    var seen = meaning(of: plan, removing: victims, &runs)
    var meant = plan.meant(removing: victims, seeing: seen)
    if entries.contains(where: isOwn) {
      // The fingerprint is not known yet; `seal` puts it in.
      seen.advance(header.tip)
      meant?.advance(header.tip)
    }
    return PendingRemoval(path: .root, kind: .delete, seen: seen, insert: insert, meant: meant)
  }

  /// Hides what the steps would have covered if the context could claim all that the author saw,
  /// except where the new body has a value: there it stays, as a conflict.
  ///
  /// Edits whose insert is not here did not show, so they stay, unless they are what is settled:
  /// then they go, also where the new body has a value.
  ///
  /// - parameter unshown: what did not show either. It would now, so it is hidden until the rest of
  ///   what its author saw has come; then the removal is given up.
  private mutating func hideLeftovers(
    of plan: EditPlan, wanted: JSON, insert: Dot, unshown: Set<Stamp>
  ) {
    guard !isCovered(plan.seen, by: plan.context) else { return }
    let wantedPaths = Set(Path.root.allPaths(in: wanted))
    let written = Set(plan.steps.map(\.path))
    let removals = WaitingRemovals(self)
    var hidden: [Path: [Entry]] = [:]
    for entry in entries where entry.effect.kind.carriesValue {
      guard wasThere(entry, plan), relation(of: plan.context, to: entry.stamp) == .none,
        !removals.hide(entry),
        (entry.effect.path.ancestors + [entry.effect.path]).contains(where: written.contains),
        wasOrphan(entry, applied: plan.applied)
          ? plan.settlesOrphans : !wantedPaths.contains(entry.effect.path)
      else { continue }
      hidden[entry.effect.path, default: []].append(entry)
    }
    // Each means its own: what led up to one may be what nobody saw of another.
    var runs: Grounds?
    for (path, entries) in hidden.sorted(by: { $0.key < $1.key }) {
      let seen = meaning(of: plan, removing: entries, &runs)
      let isMeant = entries.allSatisfy { !unshown.contains($0.stamp) }
      pending.append(
        PendingRemoval(
          path: path, kind: .remove, seen: seen, insert: insert,
          meant: isMeant ? plan.meant(removing: entries, seeing: seen) : Context()))
    }
  }

  /// What the document has and did not show to whoever makes it now, though its insert counts as
  /// come: another branch has come that far (``isOrphan(_:)``), but no insert is here.
  private func unshown(to plan: EditPlan) -> Set<Stamp> {
    guard plan.insert == nil, !plan.settlesOrphans, !isCovered(plan.seen, by: plan.context),
      !view().isVisible
    else { return [] }
    return Set(visibility().values.map { entries[$0].stamp })
  }

  /// Whether the author of a plan had an operation before it, and not just by hearsay.
  private func wasThere(_ entry: Entry, _ plan: EditPlan) -> Bool {
    guard let applied = plan.applied else {
      return relation(of: plan.seen, to: entry.stamp) != .none
    }
    return relation(of: applied, to: entry.stamp) >= .expected
  }

}

extension DocumentState.PendingRemoval {
  /// The same as a removal that takes away nothing of the transaction in the making: what that
  /// wrote before this removal, the write that comes now covers.
  fileprivate func asRemoval(before header: Transaction.Header, seen present: Context) -> Self {
    var seen = self.seen
    if seen.sequence(of: header.stream) >= header.sequence {
      seen = seen.without(header.stream)
      if let own = present.entry(of: header.stream) { seen.advance(own) }
    }
    return Self(path: path, kind: .remove, seen: seen, insert: insert, meant: meant)
  }
}

extension Path {
  /// This path and those of everything inside `value`, an array's elements as those of a set.
  fileprivate func allPaths(in value: JSON) -> [Path] {
    switch value {
    case .object(let object):
      [self] + object.members.flatMap { appending($0.key).allPaths(in: $0.value) }
    case .array(let elements): [self] + elements.map { appending(SetElement($0).key) }
    default: [self]
    }
  }
}
