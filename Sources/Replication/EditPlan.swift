import CanonicalJSON

/// The steps that turn what a writer saw into what it wants (protocol.md 11, 13, 16).
///
/// Deciding only: the caller stamps the steps, applies and stores them.
package struct EditPlan: Sendable, Equatable {
  package struct Step: Sendable, Equatable {
    package let path: Path
    package let kind: OperationKind
    package let payload: [UInt8]

    package init(_ kind: OperationKind, at path: Path, payload: [UInt8] = []) {
      self.path = path
      self.kind = kind
      self.payload = payload
    }
  }

  /// What a put or patch comes to.
  package enum Outcome: Sendable, Equatable {
    /// The document is as wanted; nothing is to be written.
    case unchanged
    case write(EditPlan)
    /// The base has been deleted or rewritten since, by somebody whom its reader had not seen.
    case stale
  }

  /// By what to tell what led up to the operations that a removal takes away which waits.
  package enum Grounds: Sendable, Equatable {
    /// By nothing: it means all that its author saw.
    case all
    /// By what is here.
    case present(Frontier)
    /// By what an earlier read noted (``VersionToken/grounds``): what has closed since does not
    /// tell any more.
    case noted([Context.Entry: Context])
  }

  package let steps: [Step]
  /// What the write may claim to have seen.
  package let context: Context
  /// What its author saw (``Frontier/seen``), beyond `context` where something has not closed.
  package let seen: Context
  /// What tells what a removal means that waits.
  let grounds: Grounds
  /// What had been applied where its author looked; nil for what is now.
  package let applied: Context?
  /// The insert that the steps edit; nil if the first step is a new insert.
  package let insert: Dot?
  /// Whether it takes away edits whose insert is not here: its author has looked at them.
  package let settlesOrphans: Bool

  package init(
    steps: [Step], context: Context, seen: Context, grounds: Grounds = .all,
    applied: Context? = nil, insert: Dot?, settlesOrphans: Bool = false
  ) {
    self.steps = steps
    self.context = context
    self.seen = seen
    self.grounds = grounds
    self.applied = applied
    self.insert = insert
    self.settlesOrphans = settlesOrphans
  }
}

extension DocumentState {
  /// Plans a write of the whole document.
  ///
  /// - parameter new: the wanted body, an object.
  /// - parameter patch: the merge patch that `new` came from; a path it does not name stays as it
  ///   is, also where it is in conflict. Nil for a put, which settles every conflict.
  /// - parameter token: the version the writer had read; nil for the present one.
  /// - parameter rewritesEqual: whether a value that shows already is written again, so that it
  ///   wins over what is concurrent with the new write.
  /// - parameter kinds: where numbers are to be counters, and arrays sets, once they change; where
  ///   they show as such already, they stay it anyway.
  /// - parameter restoring: what of it is brought back, as what it was.
  /// - parameter settlesOrphans: whether edits whose insert is not here are taken away: the writer
  ///   has looked at them. Then everything is written.
  /// - parameter present: what had been seen (``Frontier/seen``); nil to have it worked out, which
  ///   goes through all that is open: so it is told by whoever writes many documents.
  package func plan(
    writing new: JSON, patch: JSON? = nil, token: VersionToken? = nil,
    rewritesEqual: Bool = false, kinds: [Path: ReplicatedKind] = [:],
    restoring: Restoration? = nil, settlesOrphans: Bool = false, frontier: Frontier,
    seen present: Context? = nil, digest: VersionToken.Digest
  ) -> EditPlan.Outcome {
    let view = view()
    guard let root = view.root, let insert = view.inserts.last?.dot else {
      let seen = present ?? frontier.seen
      var planner = EditPlanner(
        kinds: kinds, restoring: restoring,
        counters: SeenCounters(
          self, context: frontier.closed, seen: seen, settlesOrphans: settlesOrphans))
      planner.write(new, at: .root, over: nil)
      return .write(
        EditPlan(
          steps: planner.steps, context: frontier.closed, seen: seen,
          grounds: .present(frontier), insert: nil, settlesOrphans: settlesOrphans))
    }
    if let token, isStale(token, view: view) { return .stale }
    let context = token?.context ?? frontier.closed
    let seen = token?.seen ?? present ?? frontier.seen
    var planner = EditPlanner(
      base: token.map { BaseVersion(token: $0, digest: digest) }
        ?? BaseVersion(present: view, digest: digest),
      kept: uncovered.map { entries[$0] }, rewritesEqual: rewritesEqual, kinds: kinds,
      restoring: restoring,
      // Of what its authors had seen, that which had not arrived was not in the writer's number.
      counters: SeenCounters(
        self, context: context, seen: token?.applied ?? seen, applied: token?.applied,
        settlesOrphans: settlesOrphans))
    if view.hasUndoneDelete || settlesOrphans {
      // A patch that names nothing new, and nothing that is in conflict, leaves both as they are.
      if patch != nil, !planner.changes(to: new, over: root, patch: patch) { return .unchanged }
      planner.write(new, at: .root, over: root)
    } else {
      planner.change(.root, to: new, present: root, patch: patch)
    }
    guard !planner.steps.isEmpty else { return .unchanged }
    // Where the writer had seen a delete beside an edit, it settles them by a new insert.
    let isInsert = planner.steps.first.map { $0.kind == .clear && $0.path.isRoot } ?? false
    return .write(
      EditPlan(
        steps: planner.steps, context: context, seen: seen,
        grounds: token.map { .noted($0.grounds) } ?? .present(frontier), applied: token?.applied,
        insert: isInsert ? nil : token.map { shownInsert(of: $0, in: view) ?? insert } ?? insert,
        settlesOrphans: settlesOrphans))
  }

  /// Whether a delete, or a rewrite of the whole document, came in between that the reader of
  /// `token` had not seen.
  ///
  /// What its authors had seen, and had not arrived, has not been shown to the reader.
  private func isStale(_ token: VersionToken, view: DocumentView) -> Bool {
    let present = visibility()
    // One that may be covered may as well not be.
    let hasUnseenDelete = (uncovered + present.hiddenDeletes).contains { index in
      entries[index].effect.kind.cover == .document
        && relation(of: token.applied, to: entries[index].stamp) < .expected
    }
    // A delete that waits has no dot to be seen by. But where the document shows in spite of it, a
    // later reader had applied what undoes it, which the delete had not seen.
    let hasUnseenWaiting = pending.contains { removal in
      removal.kind.cover == .document
        && !present.values.contains { index in
          relation(of: removal.seen, to: entries[index].stamp) == .none
            && relation(of: token.applied, to: entries[index].stamp) >= .expected
            && !wasOrphan(entries[index], applied: token.applied)
        }
    }
    return hasUnseenDelete || hasUnseenWaiting || shownInsert(of: token, in: view) == nil
  }

  private func shownInsert(of token: VersionToken, in view: DocumentView) -> Dot? {
    view.inserts.last { token.inserts.contains($0.dot) }?.dot
  }

  /// Plans the deletion of the document; nil if it is absent.
  ///
  /// The plan has no step where part of what its author sees is not closed yet: then it waits as a
  /// pending removal (protocol.md 7).
  ///
  /// - parameter present: as that of a plan of a write.
  /// - parameter settlesOrphans: whether edits whose insert is not here are deleted, too; so can a
  ///   document be that shows nothing else.
  package func planDelete(
    frontier: Frontier, seen present: Context? = nil, settlesOrphans: Bool = false
  ) -> EditPlan? {
    let view = view()
    guard
      let insert = view.isVisible
        ? view.inserts.last?.dot : settlesOrphans ? lastMissingInsert : nil
    else { return nil }
    let isClosed = entries.allSatisfy { entry in
      // What has not even been applied belongs to the transaction in the making, of which each
      // step has seen those before it.
      !entry.effect.kind.carriesValue || !settlesOrphans && isOrphan(entry)
        || frontier.lineage.relation(of: frontier.closed, to: entry.stamp) == .certain
        || frontier.lineage.relation(of: frontier.applied, to: entry.stamp) == .none
    }
    return EditPlan(
      steps: isClosed ? [EditPlan.Step(.delete, at: .root)] : [], context: frontier.closed,
      seen: present ?? frontier.seen, grounds: .present(frontier), insert: insert,
      settlesOrphans: settlesOrphans)
  }
}
