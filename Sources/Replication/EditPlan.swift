import CanonicalJSON

/// The steps that turn what a writer saw into what it wants (protocol.md 11, 13, 16).
///
/// Deciding only: the caller stamps the steps, applies and stores them.
package struct EditPlan: Sendable, Equatable {
  package struct Step: Sendable, Equatable {
    package let path: Path
    package let kind: OperationKind
    package let payload: [UInt8]

    init(_ kind: OperationKind, at path: Path, payload: [UInt8] = []) {
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

  package let steps: [Step]
  /// What the write may claim to have seen.
  package let context: Context
  /// What its author saw (``Frontier/seen``), beyond `context` where something has not closed.
  package let seen: Context
  /// The insert that the steps edit; nil if the first step is a new insert.
  package let insert: Dot?
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
  package func plan(
    writing new: JSON, patch: JSON? = nil, token: VersionToken? = nil,
    rewritesEqual: Bool = false, frontier: Frontier, digest: VersionToken.Digest
  ) -> EditPlan.Outcome {
    let view = view()
    guard let root = view.root, let insert = view.inserts.last?.dot else {
      return .write(wholeWrite(of: new, context: frontier.closed, seen: frontier.seen))
    }
    if let token, isStale(token, view: view) { return .stale }
    let context = token?.context ?? frontier.closed
    let seen = token?.seen ?? frontier.seen
    let base =
      token.map { BaseVersion(token: $0, digest: digest) }
      ?? BaseVersion(present: view, digest: digest)
    if view.hasUndoneDelete {
      if patch != nil, root.json == new { return .unchanged }
      return .write(wholeWrite(of: new, context: context, seen: seen))
    }
    let kept = uncovered.map { entries[$0] }
    var planner = EditPlanner(base: base, kept: kept, rewritesEqual: rewritesEqual)
    planner.change(.root, to: new, present: root, patch: patch)
    guard !planner.steps.isEmpty else { return .unchanged }
    // Where the writer had seen a delete beside an edit, it settles them by a new insert.
    let isInsert = planner.steps.first.map { $0.kind == .clear && $0.path.isRoot } ?? false
    return .write(
      EditPlan(
        steps: planner.steps, context: context, seen: seen,
        insert: isInsert ? nil : token.map { shownInsert(of: $0, in: view) ?? insert } ?? insert))
  }

  private func wholeWrite(of new: JSON, context: Context, seen: Context) -> EditPlan {
    var planner = EditPlanner(base: nil, kept: [], rewritesEqual: true)
    planner.write(new, at: .root)
    return EditPlan(steps: planner.steps, context: context, seen: seen, insert: nil)
  }

  /// Whether a delete, or a rewrite of the whole document, came in between that the reader of
  /// `token` had not seen.
  private func isStale(_ token: VersionToken, view: DocumentView) -> Bool {
    let hasUnseenDelete = uncovered.contains { index in
      entries[index].effect.kind.cover == .document
        && relation(of: token.seen, to: entries[index].stamp) < .expected
    }
    // A delete that waits has no dot to be seen by. But where the document shows in spite of it, a
    // later reader had applied what undoes it, which the delete had not seen.
    let hasUnseenWaiting = pending.contains { removal in
      removal.kind.cover == .document && isCovered(token.seen, by: removal.seen)
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
  package func planDelete(frontier: Frontier) -> EditPlan? {
    let view = view()
    guard view.isVisible, let insert = view.inserts.last?.dot else { return nil }
    let isClosed = entries.allSatisfy { entry in
      // What has not even been applied belongs to the transaction in the making, of which each
      // step has seen those before it.
      !entry.effect.kind.carriesValue
        || frontier.lineage.relation(of: frontier.closed, to: entry.stamp) == .certain
        || frontier.lineage.relation(of: frontier.applied, to: entry.stamp) == .none
    }
    return EditPlan(
      steps: isClosed ? [EditPlan.Step(.delete, at: .root)] : [], context: frontier.closed,
      seen: frontier.seen, insert: insert)
  }
}

/// Walks a wanted body beside the version that its writer saw, and collects what differs.
private struct EditPlanner {
  /// Nil where everything is to be written.
  let base: BaseVersion?
  /// What the document keeps, shown or not.
  let kept: [DocumentState.Entry]
  let rewritesEqual: Bool
  var steps: [EditPlan.Step] = []

  init(base: BaseVersion?, kept: [DocumentState.Entry], rewritesEqual: Bool) {
    self.base = base
    self.kept = kept
    self.rewritesEqual = rewritesEqual
  }

  mutating func change(
    _ path: Path, to new: JSON, present: DocumentView.Node?, patch: JSON?
  ) {
    guard let base else { return write(new, at: path) }
    if case .object(let wanted) = new {
      guard case .object = base.recorded(at: path) else {
        return changeUnfounded(path, to: new, present: present, patch: patch)
      }
      return changeMembers(of: path, to: wanted, present: present, patch: patch)
    }
    guard let leaf = Leaf(new) else { return }
    if !rewritesEqual, case .leaf = base.recorded(at: path), base.showed(leaf, at: path) {
      return
    }
    steps.append(EditPlan.Step(.set, at: path, payload: leaf.bytes))
  }

  /// Where the writer did not see an undisputed object with a `clear` of its own, it writes the
  /// object whole; but a patch that changes nothing in it leaves it alone.
  private mutating func changeUnfounded(
    _ path: Path, to new: JSON, present: DocumentView.Node?, patch: JSON?
  ) {
    if case .object = patch, let present, !present.isConflicted, present.json == new { return }
    write(new, at: path)
  }

  private mutating func changeMembers(
    of path: Path, to wanted: JSONObject, present: DocumentView.Node?, patch: JSON?
  ) {
    let named: JSONObject? = if case .object(let members) = patch { members } else { nil }
    var members: [ByteString: DocumentView.Node] = [:]
    let keys: Set<ByteString>
    if case .object(let nodes) = present?.content {
      for node in nodes { members[node.key] = node }
      keys = Set(members.keys)
    } else {
      // The object that the writer saw lost against a scalar since; its members wait beneath.
      keys = keptKeys(below: path)
    }
    for key in keys.sorted() where wanted[key] == nil {
      guard named == nil || named?[key] != nil else { continue }
      let child = path.appending(key)
      // What the writer had not seen is not taken away.
      if case .absent? = base?.recorded(at: child) { continue }
      steps.append(EditPlan.Step(.remove, at: child))
    }
    for (key, value) in wanted.members {
      guard named == nil || named?[key] != nil else { continue }
      change(path.appending(key), to: value, present: members[key], patch: named?[key])
    }
  }

  private func keptKeys(below path: Path) -> Set<ByteString> {
    let depth = path.keys.count
    var keys: Set<ByteString> = []
    for entry in kept where entry.effect.kind.carriesValue && entry.effect.path.isAtOrBelow(path) {
      keys.formUnion(entry.effect.path.keys.dropFirst(depth).prefix(1))
    }
    return keys
  }

  /// Writes a value whole: `clear` of every object, the outermost first, and all leaves.
  mutating func write(_ new: JSON, at path: Path) {
    guard case .object(let members) = new else {
      guard let leaf = Leaf(new) else { return }
      steps.append(EditPlan.Step(.set, at: path, payload: leaf.bytes))
      return
    }
    steps.append(EditPlan.Step(.clear, at: path))
    for (key, value) in members.members { write(value, at: path.appending(key)) }
  }
}
