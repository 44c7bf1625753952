// What a traveller's work would lose by what others have dropped (protocol.md 24).
//
// Somebody deleted a document, and everybody who was live had seen that, so that what it was made
// of was dropped. Who comes back after the horizon may have edited it meanwhile: the edit undoes
// the delete, and would stand without the document that it edits. So its author writes that anew.
extension DocumentState {
  /// Writes a document anew of which operations are to be taken out that were dropped, where an
  /// edit of this device is why it shows: as a new insert with what the delete would take away, and
  /// a delete of it, which the edit undoes as it undid the other.
  ///
  /// The steps are meant for a transaction whose author has seen nothing: so they cover nothing,
  /// neither the edit nor what has still to come; and should somebody have taken the edit away,
  /// the document is as deleted as it was. Who has both lists it as a deletion that was undone.
  ///
  /// Of values that compete the one is written that shows: whoever deleted them had seen them.
  ///
  /// It is as old as the youngest of what it restates: what somebody has written of the document
  /// since, and has still to come, shows before it.
  ///
  /// - parameters:
  ///   - dropped: the operations to be taken out, with the fingerprints of their transactions.
  ///   - own: the streams that this device answers for.
  /// - returns: nil if nothing is to be written: what is taken out does not show, or is there
  ///   twice.
  package func revival(
    dropping dropped: [Dot: Fingerprint], own: (StreamID) -> Bool
  ) -> (steps: [EditPlan.Step], time: HybridTime)? {
    let shown = visibility()
    let visible = shown.values.map { entries[$0] }
    func isDying(_ entry: Entry) -> Bool { dropped[entry.stamp.dot] == entry.stamp.fingerprint }
    let undone = Set(shown.undoneDeletes.compactMap(\.self))
    let deletes = entries.filter { undone.contains($0.stamp) }
    // The delete may have been dropped before it came here. Then nothing else is left to stand on,
    // or only what was written anew before.
    let isFounded = visible.contains { $0.effect.isInsert && !isDying($0) }
    let isUnfounding = !isFounded || deletes.contains { own($0.stamp.dot.stream) }
    // Also what this device wrote itself: who looks after its stream may have dropped that.
    let mortal = visible.filter { entry in
      isUnfounding && isDying(entry)
        || deletes.contains { relation(of: $0, to: entry.stamp) != .none }
    }
    let others = Set(visible).subtracting(mortal)
    guard others.contains(where: { own($0.stamp.dot.stream) && !isDying($0) }) else { return nil }
    guard mortal.contains(where: isDying) else { return nil }
    var builder = ViewBuilder(
      entries: mortal.filter { entry in !others.contains { $0.winsOver(entry) } })
    guard let root = builder.node(in: builder.entries.indices, path: .root) else { return nil }
    let steps = root.insertion(counting: mortal)
    let rest = visible.filter { !isDying($0) }
    guard !steps.allSatisfy({ step in rest.contains { $0.effect.says(step) } }) else { return nil }
    let time = mortal.map(\.stamp.time).max() ?? .zero
    return (steps + [EditPlan.Step(.delete, at: .root)], time)
  }
}

extension DocumentState.Effect {
  fileprivate var isInsert: Bool { path.isRoot && kind == .clear }

  /// Whether it says what a step does; of a counter, that it is one.
  fileprivate func says(_ step: EditPlan.Step) -> Bool {
    path == step.path && kind == step.kind
      && (kind == .counter || payload.elementsEqual(step.payload))
  }
}

extension DocumentState.Entry {
  /// Whether it shows in the place of another, beside which it was written.
  fileprivate func winsOver(_ other: Self) -> Bool {
    guard stamp > other.stamp, effect.kind != .increment else { return false }
    if effect.path == other.effect.path { return true }
    return effect.kind == .set && other.effect.path.isAtOrBelow(effect.path)
      || other.effect.kind == .set && effect.path.isAtOrBelow(other.effect.path)
  }
}

extension DocumentView.Node {
  /// The steps that write it whole; the root's is an insert.
  ///
  /// - parameter entries: What it is made of.
  fileprivate func insertion(counting entries: [DocumentState.Entry]) -> [EditPlan.Step] {
    switch content {
    case .leaf(let leaf): [EditPlan.Step(.set, at: path, payload: leaf.bytes)]
    case .counter(let leaf):
      [
        EditPlan.Step(
          .counter, at: path,
          payload: CounterStart(
            goingOnFrom: entries.filter { $0.effect.path == path },
            at: CounterAmount.integer(in: leaf.json) ?? 0
          ).payload)
      ]
    case .set(let elements):
      [EditPlan.Step(.emptySet, at: path)]
        + elements.map { EditPlan.Step(.add, at: path.appending($0.key)) }
    case .object(let members):
      [EditPlan.Step(.clear, at: path)] + members.flatMap { $0.insertion(counting: entries) }
    }
  }
}

extension CounterStart {
  /// One that counts on from what some starts and increments of a counter come to, and covers none
  /// of them: where one of them is still there, it does not count beside this.
  fileprivate init(goingOnFrom entries: [DocumentState.Entry], at number: Int128) {
    self.init(number)
    let starts = entries.compactMap { entry in
      entry.effect.kind == .counter ? CounterStart(payload: entry.effect.payload.array) : nil
    }
    let named = entries.countedIncrements
    let increments = entries.filter { $0.effect.kind == .increment && !named.has($0) }
    mark = Self.mark(of: starts, increments.map(\.stamp))
    counted = named.union(increments.map { Increment($0.stamp) })
  }
}
