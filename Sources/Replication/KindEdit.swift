import CanonicalJSON

/// What stands at a path other than a plain value.
package enum ReplicatedKind: Sendable {
  case counter
  case set
}

/// An edit of a counter or a set, as such: it meets what others do to it instead of competing.
package enum KindEdit: Sendable {
  /// Adds to a counter; a plain integer becomes one, and so does what is absent.
  case increment(Int64)
  /// Adds and removes elements of a set; a plain array becomes one, and so does what is absent.
  case elements(adding: Set<SetElement>, removing: Set<SetElement>)

  package enum Outcome: Sendable {
    case unchanged
    /// Write this; `body` is what shows then.
    case write(EditPlan, body: JSON)
    /// Something else stands at the path or above it, which the edit would destroy.
    case refused(at: Path, found: String)
  }
}

extension DocumentState {
  /// Plans an edit of the counter or set at `path`, which is not the root.
  ///
  /// - parameter present: as that of a plan of a write.
  package func plan(
    _ edit: KindEdit, at path: Path, frontier: Frontier, seen present: Context? = nil
  ) -> KindEdit.Outcome {
    let view = view()
    let way = view.way(to: path)
    if let obstacle = way.obstacle {
      return .refused(at: obstacle.path, found: obstacle.content.name)
    }
    let target = way.target
    if let target, !edit.suits(target) { return .refused(at: path, found: target.content.name) }
    guard edit.changes(target) else { return .unchanged }
    let seen = present ?? frontier.seen
    var planner = EditPlanner(
      counters: SeenCounters(self, context: frontier.closed, seen: seen))
    let isWritten = planner.lead(
      to: path, along: way.steps, isWhole: view.hasUndoneDelete)
    let value = planner.take(edit, at: path, over: target, isWritten: isWritten)
    let isInsert = planner.steps.first.map { $0.kind == .clear && $0.path.isRoot } ?? false
    let plan = EditPlan(
      steps: planner.steps, context: frontier.closed, seen: seen,
      grounds: .present(frontier), insert: isInsert ? nil : view.inserts.last?.dot)
    let body = (view.json ?? .object(JSONObject())).with(value, at: path.keys[...])
    return .write(plan, body: body)
  }
}

extension EditPlanner {
  /// Sees to it that objects stand above `path`: those that are absent are cleared, and what is
  /// disputed is written whole.
  ///
  /// - parameter shown: the places from the root to the path, with what shows there.
  /// - returns: whether what showed at `path` has been written anew.
  mutating func lead(
    to path: Path, along shown: [(Path, DocumentView.Node?)], isWhole: Bool
  ) -> Bool {
    var isWritten = false
    for (place, node) in shown.dropLast() {
      if let node {
        guard !isWritten else { continue }
        guard isWhole || node.isConflicted || node.isUnfounded else { continue }
        write(node.json, at: place, over: node)
        isWritten = true
      } else {
        append(EditPlan.Step(.clear, at: place))
      }
    }
    return isWritten
  }

  /// Writes the edit itself; returns what shows then.
  fileprivate mutating func take(
    _ edit: KindEdit, at path: Path, over target: DocumentView.Node?, isWritten: Bool
  ) -> JSON {
    let isSettled = isWritten || !(target?.isConflicted ?? false || target?.isUnfounded ?? false)
    switch edit {
    case .increment(let amount):
      let number = target.flatMap { CounterAmount.integer(in: $0.json) }
      if let number {
        if target?.content.kind != .counter || !isSettled {
          start(number, at: path, over: target)
        }
      } else if let seen = counters?.counter(at: path), !seen.isClaimed || !seen.unclaimed.isEmpty {
        // What was there may show again, since this write cannot claim to have seen it; and so may
        // what was counted in it, and has not come.
        start(0, at: path, over: nil)
      }
      append(
        EditPlan.Step(
          .increment, at: path, payload: CounterAmount.payload(ofIncrement: amount)))
      return CounterAmount.leaf((number ?? 0) + Int128(amount)).json
    case .elements(let adding, let removing):
      let old = target.flatMap { SetElement.all(in: $0.json) } ?? []
      let new = old.union(adding).subtracting(removing)
      if target?.content.kind == .set, isSettled {
        for element in old.subtracting(new).sorted() {
          append(EditPlan.Step(.remove, at: path.appending(element.key)))
        }
        for element in new.subtracting(old).sorted() { add(element, at: path) }
      } else {
        fill(new, at: path)
      }
      return .array(new.sorted().map(\.json))
    }
  }
}

extension KindEdit {
  /// Whether what shows at the path is, or can become, what the edit is of.
  fileprivate func suits(_ target: DocumentView.Node) -> Bool {
    switch (self, target.content) {
    case (.increment, .counter), (.elements, .set): true
    case (.increment, .leaf(let leaf)): CounterAmount.integer(in: leaf.json) != nil
    case (.elements, .leaf(let leaf)):
      SetElement.all(in: leaf.json)?.allSatisfy(\.isSmall) ?? false
    default: false
    }
  }

  fileprivate func changes(_ target: DocumentView.Node?) -> Bool {
    switch (self, target?.content) {
    case (.increment(let amount), .counter): amount != 0
    case (.increment, _): true
    case (.elements(let adding, let removing), .set(let elements)):
      !adding.isSubset(of: elements) || !removing.isDisjoint(with: elements)
    case (.elements(let adding, let removing), .leaf(let leaf)):
      !adding.isEmpty || !removing.isDisjoint(with: SetElement.all(in: leaf.json) ?? [])
    case (.elements(let adding, _), _): !adding.isEmpty
    }
  }
}

extension DocumentView {
  /// The places from the root to a path, with what shows there.
  struct Way {
    let steps: [(Path, DocumentView.Node?)]
    /// What is no object and stands above the path.
    let obstacle: DocumentView.Node?
    /// What shows at the path.
    var target: DocumentView.Node? { steps.last?.1 }
  }

  func way(to path: Path) -> Way {
    var steps: [(Path, DocumentView.Node?)] = [(.root, root)]
    for here in (path.ancestors + [path]).dropFirst() {
      let above = steps.last?.1
      if let above, !above.isObject { return Way(steps: steps, obstacle: above) }
      steps.append((here, above?.member(at: here)))
    }
    return Way(steps: steps, obstacle: nil)
  }
}

extension DocumentView.Node {
  fileprivate var isObject: Bool { if case .object = content { true } else { false } }

  fileprivate func member(at path: Path) -> DocumentView.Node? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.path == path }
  }
}

extension DocumentView.Node.Content {
  package var kind: ReplicatedKind? {
    switch self {
    case .counter: .counter
    case .set: .set
    case .leaf, .object: nil
    }
  }

  /// What it is called in messages.
  var name: String {
    switch self {
    case .counter: "a counter"
    case .set: "a set"
    case .object: "an object"
    case .leaf(let leaf):
      switch leaf.json {
      case .null: "null"
      case .bool: "a boolean"
      case .integer, .unsigned: "an integer"
      case .double: "a number with a fraction"
      case .string: "a string"
      case .array: "an array"
      case .object: "an object"
      }
    }
  }
}

extension JSON {
  /// The same with `value` at a path of keys, through objects that are made where there are none;
  /// nil takes away what is there.
  func with(_ value: JSON?, at keys: ArraySlice<ByteString>) -> JSON {
    guard let key = keys.first else { return value ?? .object(JSONObject()) }
    guard value != nil || member(key) != nil else { return self }
    var object = JSONObject()
    if case .object(let present) = self { object = present }
    if keys.count == 1 {
      object[key] = value
    } else {
      object[key] = (member(key) ?? .object(JSONObject())).with(value, at: keys.dropFirst())
    }
    return .object(object)
  }

  private func member(_ key: ByteString) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }
}
