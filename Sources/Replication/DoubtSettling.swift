import CanonicalJSON

extension DocumentState {
  /// Plans a write of what is to stand at `path` whatever shows there, so that it covers all that
  /// may be hidden there: it settles what is in doubt (``doubtfulEntries(_:)``).
  ///
  /// - parameters:
  ///   - content: nil to take away what stands there, which is not the root.
  ///   - restored: what was chosen, if that is hidden; nil for what shows, or another value, which
  ///     becomes what the newest of what is hidden was where nothing shows.
  ///   - present: as that of a plan of a write.
  package func plan(
    settling path: Path, as content: JSON?, restoring restored: DocumentConflict.Value? = nil,
    frontier: Frontier, seen present: Context? = nil
  ) -> KindEdit.Outcome {
    let view = view()
    let seen = present ?? frontier.seen
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
      // What shows stays what it is.
      kinds: hiddenKinds(at: path).filter { view.way(to: $0.key).target == nil },
      restoring: restored.map { Restoration([path], kinds: $0.kinds) },
      counters: SeenCounters(
        self, context: frontier.closed, seen: seen, settlesOrphans: place.isRoot,
        settlesDoubt: true))
    if let wanted {
      _ = planner.lead(to: place, along: way.steps, isWhole: view.hasUndoneDelete)
      planner.write(wanted, at: place, over: way.target)
    } else {
      planner.append(EditPlan.Step(.remove, at: place))
    }
    let isInsert = planner.steps.first.map { $0.kind == .clear && $0.path.isRoot } ?? false
    let plan = EditPlan(
      steps: planner.steps, context: frontier.closed, seen: seen,
      grounds: .present(frontier), insert: isInsert ? nil : view.inserts.last?.dot,
      settlesOrphans: isInsert && place.isRoot)
    let present = view.json ?? .object(JSONObject())
    return .write(plan, body: present.with(wanted, at: place.keys[...]))
  }

  /// As what the newest value that is hidden at `path` would show, and those within it.
  private func hiddenKinds(at path: Path) -> [Path: ReplicatedKind] {
    conflicts().filter { $0.path == path && $0.kind == .doubtful }.flatMap { $0.values.dropFirst() }
      .reduce(into: [:]) { kinds, value in
        kinds.merge(value.kinds) { first, _ in first }
      }
  }
}
