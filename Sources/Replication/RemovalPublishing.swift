// Removals that have waited, and may be published now (protocol.md 7).
extension DocumentState {
  /// Takes out the removals that saw `seen`, which may be published now, and applies them under
  /// their real stamps.
  ///
  /// What they say that they have seen, and came after they were made, is written anew behind them,
  /// unless it led up to what they were made for: nobody meant to take it away. Where that cannot
  /// be, since it competes with itself or is more than a plain value, or the document was deleted,
  /// nothing is taken away.
  package mutating func publishRemovals(
    seeing seen: Context, on document: DocumentKey, header: Transaction.Header, firstIndex: Int
  ) -> [Operation] {
    let late = takenAwayUnseen(by: seen, author: header.stream)
    let removals = pending.filter { $0.seen == seen }
    pending.removeAll { $0.seen == seen }
    guard late.isEmpty || Self.canWriteAnew(late, behind: removals) else { return [] }
    let operations =
      removals.map {
        Operation(document: document, insert: $0.insert, path: $0.path, kind: $0.kind)
      }
      + late.map {
        Operation(
          document: document, insert: $0.effect.insert, path: $0.effect.path,
          kind: $0.effect.kind, payload: $0.effect.payload)
      }
    for (offset, operation) in operations.enumerated() {
      apply(
        Effect(operation), stamp: header.stamp(firstIndex + offset), context: header.context)
    }
    return operations
  }

  /// The values that removals which saw `seen` would take away, though their author had not got
  /// them, nor had the authors of what it took away; in the order of their paths.
  private func takenAwayUnseen(by seen: Context, author: StreamID) -> [Entry] {
    let had = pending.filter { $0.seen == seen }.compactMap(\.had)
    guard !had.isEmpty else { return [] }
    let values = uncovered.map { entries[$0] }.filter(\.effect.kind.carriesValue)
    // Mostly nothing has come since.
    let late = values.filter { entry in
      entry.stamp.dot.stream != author && relation(of: seen, to: entry.stamp) != .none
        && had.contains { !$0.has(entry.stamp) }
    }
    guard !late.isEmpty else { return [] }
    var takings = Takings(self, values)
    return late.filter { takings.areUnawares(of: $0, seeing: seen) }
  }

  /// What the removals that wait take away, each looked up once: there may be as many as values.
  private struct Takings {
    private let state: DocumentState
    /// In the order of their paths.
    private let values: [Entry]
    private let removals: [Path: [Int]]
    /// What the authors had seen of what a removal was made for, by its place.
    private var grounds: [Int: Set<Context>] = [:]

    init(_ state: DocumentState, _ values: [Entry]) {
      self.state = state
      self.values = values
      removals = Dictionary(grouping: state.pending.indices) { state.pending[$0].path }
    }

    /// Whether a value is taken away by removals that saw `seen`, and whoever takes it away had
    /// never heard of it.
    mutating func areUnawares(of value: Entry, seeing seen: Context) -> Bool {
      let above = [.root] + value.effect.path.ancestors + [value.effect.path]
      let taking = Set(above).flatMap { removals[$0] ?? [] }.filter { place in
        state.relation(of: state.pending[place].seen, to: value.stamp) != .none
      }
      guard taking.contains(where: { state.pending[$0].seen == seen }) else { return false }
      return taking.allSatisfy { place in
        state.pending[place].had?.has(value.stamp) == false
          && !grounds(of: place).contains { state.relation(of: $0, to: value.stamp) != .none }
      }
    }

    private mutating func grounds(of place: Int) -> Set<Context> {
      if let known = grounds[place] { return known }
      let removal = state.pending[place]
      var index = values.partitionPoint { $0.effect.path < removal.path }
      var found: Set<Context> = []
      while index < values.count, values[index].effect.path.isAtOrBelow(removal.path) {
        let stamp = values[index].stamp
        if let context = values[index].context, removal.had?.has(stamp) == true,
          state.relation(of: removal.seen, to: stamp) != .none
        {
          found.insert(context)
        }
        index += 1
      }
      grounds[place] = found
      return found
    }
  }

  private static func canWriteAnew(_ late: [Entry], behind removals: [PendingRemoval]) -> Bool {
    removals.allSatisfy { $0.kind == .remove }
      && late.allSatisfy { entry in
        (entry.effect.kind == .set || entry.effect.kind == .clear)
          && entry.effect.insert != entry.stamp.dot
      }
      && Set(late.map(\.effect.path)).count == late.count
  }
}

extension EditPlan {
  /// What had been applied of some streams where its author looked; nil if that is not known.
  func had(of seen: Context) -> Context? {
    let applied: Context
    switch (self.applied, grounds) {
    case (let known?, _): applied = known
    case (nil, .present(let frontier)): applied = frontier.applied
    case (nil, _): return nil
    }
    return Context(seen.streams.flatMap { applied.entries(of: $0) })
  }
}

extension Array {
  /// How many at the front satisfy `isBefore`, which must hold for a prefix.
  fileprivate func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Context {
  /// Whether an operation was there, by its number alone.
  fileprivate func has(_ stamp: Stamp) -> Bool {
    contains(stream: stamp.dot.stream, sequence: stamp.dot.sequence)
  }
}
