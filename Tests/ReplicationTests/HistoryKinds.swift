import CanonicalJSON
import ReferenceModel
import Replication

// Counters, sets, and what is newer, in random histories.

extension History {
  mutating func editKind(
    _ key: DocumentKey, on device: Int, in draft: inout SimulatedDevice.Draft,
    _ random: inout SplitMix
  ) throws {
    let state = devices[device].state(of: key, in: draft)
    let (path, edit) = (random.memberPath(), random.kindEdit())
    note("device \(device) edits \(key.id) at \(path.pointer): \(edit)")
    switch state.plan(edit, at: path, frontier: devices[device].frontier) {
    case .unchanged:
      guard edit.isDone(at: path, in: state.view().json) else {
        throw failure("an edit that changes something writes nothing")
      }
    case .refused(let place, _):
      guard let shown = state.view().json?.value(at: place.keys) else {
        throw failure("an edit is refused where nothing stands")
      }
      let isAbove = place != path && !shown.isObject
      guard isAbove || !edit.suits(shown) else { throw failure("an edit is refused in vain") }
    case .write(let plan, let body):
      guard state.newerPath(touchedBy: plan) == nil else { return }
      guard edit.isDone(at: path, in: body) else { throw failure("the body is not as edited") }
      devices[device].perform(plan, wanted: body, at: key, in: &draft)
      try expect(body, at: key, on: device, in: draft)
      try checkSettled(path, of: devices[device].state(of: key, in: draft).view(), on: device)
    }
  }

  /// Whoever may claim all that it saw settles what is disputed on the way to what it edits.
  private func checkSettled(_ path: Path, of view: DocumentView, on device: Int) throws {
    let frontier = devices[device].frontier
    guard frontier.lineage.isCovered(frontier.seen, by: frontier.closed) else { return }
    guard !view.hasUndoneDelete else { throw failure("the edit leaves a delete undone") }
    for place in path.ancestors + [path] {
      guard let node = view.root?.node(at: place), !node.isConflicted, !node.isUnfounded else {
        throw failure("the edit leaves a dispute at \(place.pointer)")
      }
    }
  }

  mutating func writeNewer(
    _ key: DocumentKey, on device: Int, in draft: inout SimulatedDevice.Draft,
    _ random: inout SplitMix
  ) throws {
    let state = devices[device].state(of: key, in: draft)
    guard let plan = state.planNewer(frontier: devices[device].frontier, &random) else { return }
    devices[device].perform(plan, wanted: state.view().json, at: key, in: &draft)
  }
}

extension DocumentState {
  /// What a newer program may write; nil where there is no document.
  func planNewer(frontier: Frontier, _ random: inout SplitMix) -> EditPlan? {
    guard let insert = view().inserts.last?.dot else { return nil }
    let kind = random.newerKind()
    let path = random.chance(10) ? .root : random.memberPath()
    let step = EditPlan.Step(kind, at: path, payload: kind.carriesValue ? [1, 2] : [])
    return EditPlan(steps: [step], context: frontier.closed, seen: frontier.seen, insert: insert)
  }
}

extension KindEdit {
  /// Whether `body` is as the edit leaves it, or would.
  fileprivate func isDone(at path: Path, in body: JSON?) -> Bool {
    let shown = body?.value(at: path.keys)
    switch self {
    case .increment: return shown.flatMap { CounterAmount.integer(in: $0) } != nil
    case .elements(let adding, let removing):
      let elements = Set((shown?.elements ?? []).map { SetElement($0) })
      return adding.subtracting(removing).isSubset(of: elements)
        && elements.isDisjoint(with: removing)
    }
  }

  fileprivate func suits(_ shown: JSON) -> Bool {
    switch self {
    case .increment: CounterAmount.integer(in: shown) != nil
    case .elements: shown.elements != nil
    }
  }
}

extension DocumentView.Node {
  /// Whether this is what `wanted` looks like here: the order in a set is not the writer's.
  func shows(_ wanted: JSON) -> Bool {
    switch content {
    case .leaf(let leaf), .counter(let leaf): return leaf.json == wanted
    case .set(let elements):
      return wanted.elements.map { Set($0.map { SetElement($0) }) == Set(elements) } ?? false
    case .object(let members):
      guard case .object(let object) = wanted else { return false }
      return members.map(\.key) == object.members.map(\.key)
        && zip(members, object.members).allSatisfy { $0.shows($1.value) }
    }
  }

  func node(at path: Path) -> DocumentView.Node? { subtree.first { $0.path == path } }
}

extension SplitMix {
  /// `body` with other numbers where counters of the root show.
  mutating func restarted(_ body: JSON, _ view: DocumentView) -> JSON {
    guard case .object(var object) = body, case .object(let members) = view.root?.content else {
      return body
    }
    for member in members where member.content.kind == .counter {
      object[member.key] = .integer(Int64(below(50)))
    }
    return .object(object)
  }
}
