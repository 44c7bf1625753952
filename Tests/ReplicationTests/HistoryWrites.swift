import CanonicalJSON
import ReferenceModel
import Replication

// MARK: - Local transactions

extension History {
  mutating func writeLocally(on device: Int, _ random: inout SplitMix) throws {
    guard transactionCount < size.transactions else { return }
    if !reads[device].isEmpty, random.chance(30) {
      let read = random.pick(reads[device])
      return try writeOnRead(read, on: device, &random)
    }
    guard var draft = devices[device].beginDraft(wall: wall(of: device)) else { return }
    for _ in 0..<(random.chance(60) ? 1 : 2 + random.below(2)) {
      let key = self.key(&random)
      switch random.below(10) {
      case 0..<2: try delete(key, on: device, in: &draft)
      case 2..<4: try patch(key, on: device, in: &draft, &random)
      case 4..<7: try editKind(key, on: device, in: &draft, &random)
      case 7 where devices[device].isNewer:
        try writeNewer(key, on: device, in: &draft, &random)
      default: try put(key, on: device, in: &draft, &random)
      }
    }
    try commit(draft, on: device)
  }

  private mutating func commit(_ draft: SimulatedDevice.Draft, on device: Int) throws {
    if let transaction = devices[device].commit(draft) { try record(transaction, by: device) }
    var changed = draft.changed
    // What a write on an old read had to leave may have closed since.
    for transaction in devices[device].releaseRemovals(wall: wall(of: device)) {
      try record(transaction, by: device)
      changed.formUnion(transaction.operations.map(\.document))
    }
    try check(device, changed)
  }

  private mutating func put(
    _ key: DocumentKey, on device: Int, in draft: inout SimulatedDevice.Draft,
    _ random: inout SplitMix
  ) throws {
    let state = devices[device].state(of: key, in: draft)
    let view = state.view()
    var wanted = view.json ?? .object(JSONObject())
    if view.root == nil || random.chance(20) {
      wanted = random.document()
    } else if random.chance(85) {
      wanted = random.edited(wanted)
    }
    if random.chance(25) { wanted = random.restarted(wanted, view) }
    note("device \(device) puts \(key.id): \(wanted.canonical)")
    // A put leaves alone what waits for its insert: that does not show.
    let isSettled =
      view.root?.shows(wanted) == true && view.isFounded
      && state.conflicts().allSatisfy { $0.kind == .missingInsert }
    switch plan(wanted, patch: nil, at: key, on: device, in: draft) {
    case .stale: throw failure("a put of the present version is stale")
    case .unchanged:
      guard isSettled else { throw failure("a put that changes something writes nothing") }
    case .write(let plan):
      guard !isSettled else { throw failure("a put that changes nothing writes \(plan.steps)") }
      guard devices[device].state(of: key, in: draft).newerPath(touchedBy: plan) == nil else {
        return
      }
      devices[device].perform(plan, wanted: wanted, at: key, in: &draft)
      try expect(wanted, at: key, on: device, in: draft)
    }
  }

  private mutating func patch(
    _ key: DocumentKey, on device: Int, in draft: inout SimulatedDevice.Draft,
    _ random: inout SplitMix
  ) throws {
    let view = devices[device].state(of: key, in: draft).view()
    let before = devices[device].state(of: key, in: draft).competingValues
    let patch = random.patch()
    let wanted = (view.json ?? .object(JSONObject())).mergePatched(with: patch)
    note("device \(device) patches \(key.id): \(patch.canonical)")
    switch plan(wanted, patch: patch, at: key, on: device, in: draft) {
    case .stale: throw failure("a patch of the present version is stale")
    case .unchanged:
      guard view.root?.shows(wanted) == true else {
        throw failure("a patch that changes something is ignored")
      }
    case .write(let plan):
      guard devices[device].state(of: key, in: draft).newerPath(touchedBy: plan) == nil else {
        return
      }
      devices[device].perform(plan, wanted: wanted, at: key, in: &draft)
      try expect(wanted, at: key, on: device, in: draft)
      guard plan.insert != nil else { return }
      let after = Set(devices[device].state(of: key, in: draft).competingValues.map(\.stamp.dot))
      // Below other members of the root nothing was named, so nothing may have gone.
      for value in before where !patch.names(value.effect.path) {
        guard after.contains(value.stamp.dot) else {
          throw failure("the patch takes away \(value.effect.path.pointer), which it does not name")
        }
      }
    }
  }

  private mutating func delete(
    _ key: DocumentKey, on device: Int, in draft: inout SimulatedDevice.Draft
  ) throws {
    let state = devices[device].state(of: key, in: draft)
    guard let plan = state.planDelete(frontier: devices[device].frontier) else { return }
    note("device \(device) deletes \(key.id)" + (plan.steps.isEmpty ? ", which waits" : ""))
    devices[device].perform(plan, wanted: nil, at: key, in: &draft)
    guard !devices[device].state(of: key, in: draft).view().isVisible else {
      throw failure("the document is still there after its deletion")
    }
  }

  private func plan(
    _ wanted: JSON, patch: JSON?, at key: DocumentKey, on device: Int,
    in draft: SimulatedDevice.Draft
  ) -> EditPlan.Outcome {
    devices[device].state(of: key, in: draft).plan(
      writing: wanted, patch: patch, frontier: devices[device].frontier,
      digest: SimulatedDevice.digest)
  }

  func expect(
    _ wanted: JSON, at key: DocumentKey, on device: Int, in draft: SimulatedDevice.Draft
  ) throws {
    let shown = devices[device].state(of: key, in: draft).view()
    guard shown.root?.shows(wanted) == true else {
      throw failure(
        "after the write of \(wanted.canonical) \(shown.json?.canonical ?? "nothing") shows")
    }
  }
}

// MARK: - Writing on an earlier read

extension History {
  private mutating func writeOnRead(
    _ read: Read, on device: Int, _ random: inout SplitMix
  ) throws {
    var wanted = random.chance(10) ? read.body : random.edited(read.body)
    if random.chance(25) {
      wanted = random.restarted(wanted, devices[device].state(of: read.key).view())
    }
    note("device \(device) puts \(read.key.id) on an earlier read: \(wanted.canonical)")
    guard var draft = devices[device].beginDraft(wall: wall(of: device)) else { return }
    let before = devices[device].state(of: read.key)
    let outcome = before.plan(
      writing: wanted, token: read.token, frontier: devices[device].frontier,
      digest: SimulatedDevice.digest)
    if outcome != .stale { try checkNotStale(read, in: before) }
    guard case .write(let plan) = outcome else {
      if outcome == .stale { try checkStale(read, in: before) }
      note("    \(outcome == .stale ? "stale" : "unchanged")")
      return
    }
    guard before.newerPath(touchedBy: plan) == nil else { return }
    devices[device].perform(plan, wanted: wanted, at: read.key, in: &draft)
    let after = devices[device].state(of: read.key, in: draft)
    if before.view().isVisible {
      try checkMerged(read, wanted: wanted, before: before, after: after)
    } else {
      try expect(wanted, at: read.key, on: device, in: draft)
    }
    try commit(draft, on: device)
  }

  /// Rule 16: refused only where the document was deleted or rewritten meanwhile.
  private func checkStale(_ read: Read, in state: DocumentState) throws {
    guard state.view().isVisible else { throw failure("stale, though the document is absent") }
    // What only a newer version understands may cover the document from wherever it stands.
    let roots = operations[read.key, default: []].filter {
      $0.path.isEmpty || $0.kind.coversDocument
    }
    let isUnseen = roots.contains { operation in
      read.applied.sequence(of: SimulatedDevice.stream(of: operation.dot.author))
        < UInt64(operation.dot.sequence)
    }
    let isDeleting = state.pending.contains { $0.kind == .delete }
    guard isUnseen || isDeleting else { throw failure("stale, though nothing came since") }
  }

  /// Rule 16: beside a delete that the reader had not seen, a write must be refused.
  private func checkNotStale(_ read: Read, in state: DocumentState) throws {
    let deletes = state.uncovered.map { state.entries[$0] }.filter { $0.effect.kind == .delete }
    let isUnseen = deletes.contains { !read.token.applied.holds($0.stamp.dot) }
    if state.view().isVisible, isUnseen {
      throw failure("accepted beside a delete that its reader had not seen")
    }
  }

  /// A write on an old version changes what it changes, and nothing that its reader had not seen.
  private func checkMerged(
    _ read: Read, wanted: JSON, before: DocumentState, after: DocumentState
  ) throws {
    let remaining = after.competingValues
    let dots = Set(remaining.map(\.stamp.dot))
    for value in before.competingValues
    where !read.token.applied.holds(value.stamp.dot) && !dots.contains(value.stamp.dot) {
      throw failure("a write on an old read took away \(value.effect.path.pointer), not seen")
    }
    // What had no insert there was not seen.
    for value in remaining
    where read.applied.holds(value.stamp.dot) && read.applied.holds(value.effect.insert) {
      guard !wanted.has(value.effect), value.effect.kind.isUnderstood else { continue }
      throw failure("\(value.effect.path.pointer) was seen and not wanted, and is still there")
    }
    let (former, shown) = (before.view().root, after.view().root)
    for keys in wanted.scalarPaths {
      guard let value = wanted.value(at: keys), value != read.body.value(at: keys) else { continue }
      let path = Path(keys: keys)
      // Who only takes elements out of a set that is gone meanwhile brings nothing back.
      if read.sets.contains(path), former?.node(at: path)?.content.kind != .set,
        value.adds(nothingTo: read.body.value(at: keys))
      {
        continue
      }
      guard let node = shown?.node(at: path),
        shows(value, read.body.value(at: keys), in: node, beside: remaining, read)
      else { throw failure("\(path.pointer) does not show what was written") }
    }
  }

  /// Whether a change of a value shows, with what its writer had not seen added to it where it is
  /// that of a counter or a set.
  private func shows(
    _ value: JSON, _ old: JSON?, in node: DocumentView.Node, beside values: [DocumentState.Entry],
    _ read: Read
  ) -> Bool {
    switch node.content {
    case .leaf(let leaf): return leaf.json == value
    case .object: return false
    case .counter(let leaf):
      // What another start has counted, whose author could not claim it, counts beside none.
      let counted = values.filter { $0.effect.kind == .counter && $0.effect.path == node.path }
        .compactMap { CounterStart(payload: $0.effect.payload.array)?.counted }
        .reduce(into: Set<Dot>()) { $0.formUnion($1.map(\.dot)) }
      let unseen = values.filter { entry in
        entry.effect.kind == .increment && entry.effect.path == node.path
          && !counted.contains(entry.stamp.dot)
          && !(read.token.seen.holds(entry.stamp.dot) && read.applied.holds(entry.effect.insert))
      }
      let sum = unseen.reduce(CounterAmount.integer(in: value) ?? 0) {
        $0 + CounterAmount.amount($1.effect)
      }
      return CounterAmount.leaf(sum) == leaf
    case .set(let elements):
      let (new, old) = (Set(value.elements ?? []), Set(old?.elements ?? []))
      let added = new.subtracting(old).map { SetElement($0) }
      return value.elements != nil && Set(added).isSubset(of: elements)
    }
  }

  func failure(_ message: String) -> Failure { Failure(message: message) }
}

// MARK: - What is compared

extension DocumentState {
  /// The values that show or compete with what shows.
  var competingValues: [Entry] { visibility().values.map { entries[$0] } }
}

extension PlainModel.Kind {
  fileprivate var coversDocument: Bool {
    switch self {
    case .delete, .newer(cover: .document, carriesValue: _): true
    default: false
    }
  }
}

extension DocumentView {
  /// Whether every object that shows has a `clear` of its own.
  fileprivate var isFounded: Bool { root?.subtree.allSatisfy { !$0.isUnfounded } ?? false }
}

extension Context {
  fileprivate func holds(_ dot: Dot) -> Bool {
    contains(stream: dot.stream, sequence: dot.sequence)
  }
}

extension JSON {
  /// Whether this patch names the member of the root in which `path` lies.
  fileprivate func names(_ path: Path) -> Bool {
    guard let first = path.keys.first else { return true }
    return value(at: [first]) != nil
  }

  /// Whether there is a value where an operation gives one.
  fileprivate func has(_ effect: DocumentState.Effect) -> Bool {
    guard effect.kind == .add, let parent = effect.path.parent else {
      return value(at: effect.path.keys) != nil
    }
    // As an element, or as a member where an object took the set's place.
    let elements = value(at: parent.keys)?.elements ?? []
    return elements.contains { SetElement($0).key == effect.path.lastKey }
      || value(at: effect.path.keys) != nil
  }

  /// Whether all elements of this array are in another one.
  fileprivate func adds(nothingTo old: JSON?) -> Bool {
    guard let elements, let old = old?.elements else { return false }
    return Set(elements).isSubset(of: Set(old))
  }

  /// The paths of everything in this value that is no object.
  var scalarPaths: [[ByteString]] {
    guard case .object(let object) = self else { return [[]] }
    return object.members.flatMap { member in
      member.value.scalarPaths.map { [member.key] + $0 }
    }
  }
}
