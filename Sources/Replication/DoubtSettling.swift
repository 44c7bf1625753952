import CanonicalJSON

extension DocumentState {
  /// Plans a write of what is to stand at `path` whatever shows there, so that it covers all that
  /// may be hidden there: it settles what is in doubt (``doubtfulEntries``).
  ///
  /// - parameters:
  ///   - content: nil to take away what stands there, which is not the root.
  ///   - restored: the newest operation of what is hidden, if that is what was chosen.
  package func plan(
    settling path: Path, as content: JSON?, restoring restored: Stamp? = nil, frontier: Frontier
  ) -> KindEdit.Outcome {
    let view = view()
    var (place, wanted) = (path, content)
    if let obstacle = view.way(to: path).obstacle {
      // Something else than an object shows above it: that is written anew, or an object in its
      // place that has what was chosen.
      let keys = path.keys.dropFirst(obstacle.path.keys.count)
      place = obstacle.path
      wanted = content.map { JSON.object(JSONObject()).with($0, at: keys) } ?? obstacle.json
    }
    let way = view.way(to: place)
    var planner = EditPlanner(
      kinds: doubtfulKinds(at: path, of: restored).filter {
        // What shows stays what it is.
        restored != nil || view.way(to: $0.key).target == nil
      },
      unclaimed: unclaimedIncrements(
        context: frontier.closed, seen: frontier.seen, settlesOrphans: place.isRoot))
    if let wanted {
      _ = planner.lead(to: place, along: way.steps, isWhole: view.hasUndoneDelete)
      planner.write(wanted, at: place, over: way.target)
    } else {
      planner.append(EditPlan.Step(.remove, at: place))
    }
    let isInsert = planner.steps.first.map { $0.kind == .clear && $0.path.isRoot } ?? false
    let plan = EditPlan(
      steps: planner.steps, context: frontier.closed, seen: frontier.seen,
      frontier: frontier, insert: isInsert ? nil : view.inserts.last?.dot,
      settlesOrphans: isInsert && place.isRoot)
    let present = view.json ?? .object(JSONObject())
    return .write(plan, body: present.with(wanted, at: place.keys[...]))
  }

  /// As what a value that is hidden at `path` would show, and those within it: the one stamped
  /// `stamp`, or the newest.
  private func doubtfulKinds(at path: Path, of stamp: Stamp?) -> [Path: ReplicatedKind] {
    var kinds = path.isRoot ? restored(visibility())?.kinds ?? [:] : [:]
    let hidden = doubtfulEntries[path] ?? []
    let chosen =
      stamp == nil
      ? hidden.max { $0.stamp < $1.stamp } : hidden.first { $0.stamp == stamp }
    switch chosen?.effect.kind {
    case .counter, .increment: kinds[path] = .counter
    case .emptySet, .add: kinds[path] = .set
    default: break
    }
    return kinds
  }
}
