/// The counters that the author of a write saw, as that bears on the starts that it writes.
struct SeenCounters {
  private let state: DocumentState
  private let context: Context
  private let seen: Context
  private let applied: Context?
  private let settlesOrphans: Bool
  private let settlesDoubt: Bool
  /// What its author saw of counters, by path, each in the order of the stamps; nil before it is
  /// asked for.
  private var entries: [Path: [DocumentState.Entry]]?

  /// - parameters:
  ///   - context: what the write claims.
  ///   - seen: what its author had seen.
  ///   - applied: what had been applied where the author looked; nil for what is now.
  ///   - settlesOrphans: whether it takes edits away whose insert is not here.
  ///   - settlesDoubt: whether its author has chosen among what may be covered, too.
  init(
    _ state: DocumentState, context: Context, seen: Context, applied: Context? = nil,
    settlesOrphans: Bool = false, settlesDoubt: Bool = false
  ) {
    self.state = state
    self.context = context
    self.seen = seen
    self.applied = applied
    self.settlesOrphans = settlesOrphans
    self.settlesDoubt = settlesDoubt
  }

  /// The counter at a path; nil where its author saw nothing of one.
  ///
  /// Named are the increments that the author saw and cannot claim yet, also those that a delete
  /// hides: it stands only until the author's write undoes it, where that cannot claim it either.
  /// And those that a start had named which this one covers, lest they count once they arrive. What
  /// a removal hides that waits here goes for good, and what has no insert here was in no number
  /// that anybody saw, unless that is what was chosen.
  ///
  /// - parameter basis: what the number is made of that is to be written, where that is not what
  ///   the author saw there: then what starts had named that go is not counted in it.
  mutating func counter(at path: Path, basis: CountBasis? = nil) -> SeenCounter? {
    let all = entries ?? collect()
    entries = all
    guard all[path] != nil || basis != nil else { return nil }
    let entries = all[path] ?? []
    let starts = entries.compactMap { entry in
      entry.effect.kind == .counter ? CounterStart(payload: entry.effect.payload.array) : nil
    }
    let increments = entries.filter { $0.effect.kind == .increment }
    let named = Set(starts.flatMap(\.counted))
    let inherited = basis?.named ?? named
    let isOpen = { [state, context] (stamp: Stamp) in
      !stamp.isOfTheTransactionInTheMaking && state.relation(of: context, to: stamp) < .certain
    }
    let counted = increments.map(\.stamp) + (basis?.increments ?? [])
    return SeenCounter(
      starts: starts,
      increments: increments.filter { !named.has($0) },
      unclaimed: Set(counted.filter(isOpen).map { CounterStart.Increment($0) })
        .union(inherited.filter { !isClaimed($0) }),
      isClaimed: !entries.contains { isOpen($0.stamp) })
  }

  private func collect() -> [Path: [DocumentState.Entry]] {
    let doubtful = settlesDoubt ? state.visibility().hidden : []
    let removals = DocumentState.WaitingRemovals(state)
    let seen = (state.uncovered + doubtful).map { state.entries[$0] }.filter { entry in
      (entry.effect.kind == .counter || entry.effect.kind == .increment)
        && (settlesOrphans || !state.wasOrphan(entry, applied: applied))
        && !removals.hide(entry)
        // Of the transaction in the making, each step has seen those before it.
        && (entry.stamp.isOfTheTransactionInTheMaking
          || state.relation(of: self.seen, to: entry.stamp) != .none)
    }
    return Dictionary(grouping: seen, by: \.effect.path)
      .mapValues { $0.sorted { $0.stamp < $1.stamp } }
  }

  /// Whether the write claims an increment that may not be here: what is told by its number alone
  /// may be another branch's.
  private func isClaimed(_ increment: CounterStart.Increment) -> Bool {
    let stamp = Stamp(
      time: HybridTime(rawValue: 0), dot: increment.dot, fingerprint: increment.fingerprint)
    return state.relation(of: context, to: stamp) == .certain
      && state.lineage?.standing(of: stamp.transaction) != .unknown
      && state.lineage?.standing(of: stamp.transaction) != .contradicts
  }
}

/// What was counted in one of them.
struct SeenCounter {
  fileprivate let starts: [CounterStart]
  fileprivate let increments: [DocumentState.Entry]
  /// The increments that were counted in it, and that the write may not claim.
  let unclaimed: Set<CounterStart.Increment>
  /// Whether the write may claim all that stood there.
  let isClaimed: Bool
  /// What tells what had been counted in it.
  var mark: UInt64 { CounterStart.mark(of: starts, increments.map(\.stamp)) }

  /// The same, if it had come to a number from one of its starts; 0 if it could not have.
  func mark(comingTo number: Int128) -> UInt64 {
    let sum = increments.reduce(0 as Int128) { $0 + CounterAmount.amount($1.effect) }
    guard let newest = starts.last, newest.number + sum != number else {
      return (starts.last?.number ?? 0) + sum == number ? mark : 0
    }
    let start = starts.last { $0.number + sum == number }
    return start.map { CounterStart.mark(of: [$0], increments.map(\.stamp)) } ?? 0
  }

  fileprivate init(
    starts: [CounterStart], increments: [DocumentState.Entry],
    unclaimed: Set<CounterStart.Increment>,
    isClaimed: Bool
  ) {
    self.starts = starts
    self.increments = increments
    self.unclaimed = unclaimed
    self.isClaimed = isClaimed
  }
}

extension Stamp {
  /// Its fingerprint comes when all of that is known.
  fileprivate var isOfTheTransactionInTheMaking: Bool { fingerprint == .origin }
}
