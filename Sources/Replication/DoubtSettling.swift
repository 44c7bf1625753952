import CanonicalJSON

extension DocumentState {
  /// Plans a write of what is to stand at `path` whatever shows there, so that it covers all that
  /// may be hidden there: it settles what is in doubt (``doubtfulEntries``).
  ///
  /// - parameter content: nil to take away what stands there, which is not the root.
  package func plan(
    settling path: Path, as content: JSON?, frontier: Frontier
  ) -> KindEdit.Outcome {
    let view = view()
    let way = view.way(to: path)
    if let obstacle = way.obstacle {
      return .refused(at: obstacle.path, found: obstacle.content.name)
    }
    var planner = EditPlanner(
      kinds: doubtfulKind(at: path).map { [path: $0] } ?? [:],
      unclaimed: unclaimedIncrements(context: frontier.closed, seen: frontier.seen))
    if let content {
      _ = planner.lead(to: path, along: way.steps, isWhole: view.hasUndoneDelete)
      planner.write(content, at: path, over: way.target)
    } else {
      planner.append(EditPlan.Step(.remove, at: path))
    }
    let isInsert = planner.steps.first.map { $0.kind == .clear && $0.path.isRoot } ?? false
    let plan = EditPlan(
      steps: planner.steps, context: frontier.closed, seen: frontier.seen,
      insert: isInsert ? nil : view.inserts.last?.dot)
    let present = view.json ?? .object(JSONObject())
    return .write(plan, body: present.with(content, at: path.keys[...]))
  }

  /// As what the newest of the hidden values at `path` would show.
  private func doubtfulKind(at path: Path) -> ReplicatedKind? {
    switch doubtfulEntries[path]?.max(by: { $0.stamp < $1.stamp })?.effect.kind {
    case .counter, .increment: .counter
    case .emptySet, .add: .set
    default: nil
    }
  }
}
