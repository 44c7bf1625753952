import CanonicalJSON

/// Walks a wanted body beside the version that its writer saw, and collects what differs.
struct EditPlanner {
  /// Nil where everything is to be written.
  var base: BaseVersion?
  /// What the document keeps, shown or not.
  var kept: [DocumentState.Entry] = []
  var rewritesEqual = true
  /// Where numbers are to be counters, and arrays sets, whatever shows.
  var kinds: [Path: ReplicatedKind] = [:]
  var restoring: Restoration?
  /// The counters that the writer saw, also those that do not show and may again.
  var counters: SeenCounters?
  private(set) var steps: [EditPlan.Step] = []

  init(
    base: BaseVersion? = nil, kept: [DocumentState.Entry] = [], rewritesEqual: Bool = true,
    kinds: [Path: ReplicatedKind] = [:], restoring: Restoration? = nil,
    counters: SeenCounters? = nil
  ) {
    self.base = base
    self.kept = kept
    self.rewritesEqual = rewritesEqual
    self.kinds = kinds
    self.restoring = restoring
    self.counters = counters
  }

  /// Whether a patch of what shows has any steps.
  func changes(to new: JSON, over present: DocumentView.Node, patch: JSON?) -> Bool {
    var trial = self
    trial.change(.root, to: new, present: present, patch: patch)
    return !trial.steps.isEmpty
  }

  mutating func change(
    _ path: Path, to new: JSON, present: DocumentView.Node?, patch: JSON?
  ) {
    guard let base else { return write(new, at: path, over: present) }
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
    let isPlainAgain = restoring.map { $0.covers(path) && $0.kinds[path] != .set } ?? false
    if case .set = base.recorded(at: path), !rewritesEqual, !isPlainAgain,
      let wanted = SetElement.all(in: new, at: path)
    {
      return changeElements(of: path, to: wanted, present: present)
    }
    writeValue(new, at: path, over: present)
  }

  /// Adds and removes what the writer did; what it had not seen stays.
  private mutating func changeElements(
    of path: Path, to wanted: Set<SetElement>, present: DocumentView.Node?
  ) {
    let here: Set<SetElement> =
      if case .set(let elements) = present?.content { Set(elements) } else {
        // The set that the writer saw lost against something else since.
        Set(kept.compactMap { $0.effect.element(of: path) })
      }
    for element in here.sorted() where !wanted.contains(element) {
      guard base?.hadElement(element, of: path) == true else { continue }
      steps.append(EditPlan.Step(.remove, at: path.appending(element.key)))
    }
    for element in wanted.sorted() where base?.hadElement(element, of: path) != true {
      add(element, at: path)
    }
  }

  /// Where the writer did not see an undisputed object with a `clear` of its own, it writes the
  /// object whole; but a patch that changes nothing in it leaves it alone.
  private mutating func changeUnfounded(
    _ path: Path, to new: JSON, present: DocumentView.Node?, patch: JSON?
  ) {
    if case .object = patch, case .object(let wanted) = new, let present,
      !present.isConflicted, present.json == new
    {
      // What it names and is in conflict is settled, and nothing else in the object.
      return changeMembers(of: path, to: wanted, present: present, patch: patch)
    }
    write(new, at: path, over: present)
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

  // MARK: Writing whole

  /// Writes a value whole: `clear` of every object, the outermost first, and all leaves.
  ///
  /// - parameter present: what shows there; counters stay counters, and sets sets.
  mutating func write(_ new: JSON, at path: Path, over present: DocumentView.Node?) {
    guard case .object(let members) = new else {
      return writeValue(new, at: path, over: present)
    }
    var nodes: [ByteString: DocumentView.Node] = [:]
    if case .object(let shown) = present?.content { for node in shown { nodes[node.key] = node } }
    steps.append(EditPlan.Step(.clear, at: path))
    for (key, value) in members.members {
      write(value, at: path.appending(key), over: nodes[key])
    }
  }

  /// As what a number or an array is written.
  private func kind(at path: Path, over present: DocumentView.Node?) -> ReplicatedKind? {
    if let restoring, restoring.covers(path) { return restoring.kinds[path] }
    return kinds[path] ?? present?.content.kind
  }

  private mutating func writeValue(
    _ new: JSON, at path: Path, over present: DocumentView.Node?
  ) {
    switch kind(at: path, over: present) {
    case .counter:
      if let number = CounterAmount.integer(in: new) {
        return start(number, at: path, over: present)
      }
    case .set:
      if let elements = SetElement.all(in: new, at: path) { return fill(elements, at: path) }
    case nil: break
    }
    guard let leaf = Leaf(new) else { return }
    steps.append(EditPlan.Step(.set, at: path, payload: leaf.bytes))
  }

  /// Makes the path a counter that shows `number`, which goes on where one shows that.
  mutating func start(_ number: Int128, at path: Path, over present: DocumentView.Node?) {
    var start = CounterStart(number)
    let basis = restoring?.counts[path]
    let seen = counters?.counter(at: path, basis: basis)
    start.counted = seen?.unclaimed ?? []
    if let basis {
      start.mark = basis.mark
    } else if restoring?.kinds[path] == .counter {
      start.mark = seen?.mark(comingTo: number) ?? 0
    } else if goesOn(number, at: path, over: present) {
      start.mark = seen?.mark ?? 0
    }
    steps.append(EditPlan.Step(.counter, at: path, payload: start.payload))
  }

  /// Whether a number is what the writer saw a counter come to, or may be.
  private func goesOn(
    _ number: Int128, at path: Path, over present: DocumentView.Node?
  ) -> Bool {
    guard case .counter(let shown) = present?.content else { return false }
    let leaf = CounterAmount.leaf(number)
    return base?.mayHaveShown(leaf, at: path) ?? (shown == leaf)
  }

  /// Makes the path a set of `elements`.
  mutating func fill(_ elements: Set<SetElement>, at path: Path) {
    steps.append(EditPlan.Step(.emptySet, at: path))
    for element in elements.sorted() { add(element, at: path) }
  }

  mutating func add(_ element: SetElement, at path: Path) {
    steps.append(EditPlan.Step(.add, at: path.appending(element.key)))
  }

  mutating func append(_ step: EditPlan.Step) { steps.append(step) }
}
