/// What a write brings back: it becomes what it was, whatever shows in its place now.
///
/// An undo brings back what showed before, and who settles a conflict may choose what had lost.
package struct Restoration: Sendable, Equatable {
  /// Where: at these paths, and below them.
  package let paths: Set<Path>
  /// Where counters and sets stood there; everything else was plain.
  package let kinds: [Path: ReplicatedKind]
  /// What was counted in the counters, where that is known.
  package let counts: [Path: CountBasis]

  package init(
    _ paths: Set<Path>, kinds: [Path: ReplicatedKind], counts: [Path: CountBasis] = [:]
  ) {
    self.paths = paths
    self.kinds = kinds
    self.counts = counts
  }

  func covers(_ path: Path) -> Bool {
    paths.contains(path) || path.ancestors.contains { paths.contains($0) }
  }
}

/// What a counter's number is made of.
package struct CountBasis: Sendable, Equatable {
  /// As that of ``CounterStart``.
  let mark: UInt64
  /// The increments that are counted in it one by one.
  let increments: [Stamp]
  /// Those that its starts have counted in them, and name.
  let named: Set<CounterStart.Increment>
}

extension DocumentState {
  /// What counters that show at some paths come from.
  func countBases(at paths: Set<Path>) -> [Path: CountBasis] {
    guard !paths.isEmpty else { return [:] }
    let visible = visibility().values.map { entries[$0] }.filter { paths.contains($0.effect.path) }
    return Dictionary(grouping: visible, by: \.effect.path).mapValues { entries in
      let starts = entries.compactMap { entry in
        entry.effect.kind == .counter ? CounterStart(payload: entry.effect.payload.array) : nil
      }
      let named = entries.countedIncrements
      let increments = entries.filter { $0.effect.kind == .increment && !named.has($0) }
        .map(\.stamp)
      return CountBasis(
        mark: CounterStart.mark(of: starts, increments), increments: increments, named: named)
    }
  }
}
