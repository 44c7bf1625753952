/// What came after a transaction that is to be undone, as far as it bears on that.
struct UndoAftermath: Sendable {
  /// Where another value shows since, or somebody wrote the same without knowledge of it.
  private(set) var changed: Set<Path> = []
  /// Where anything was done since.
  private(set) var written: Set<Path> = []
  /// The counters at which somebody has taken back what the transaction added, such as an undo of
  /// it: a second one must not count.
  private(set) var takenBack: Set<Path> = []
  private let target: DocumentEvent

  init(of target: DocumentEvent) { self.target = target }

  /// Takes in a later transaction.
  ///
  /// - parameters:
  ///   - paths: Where it changed what shows.
  ///   - hasSeen: Whether its author had seen the one to be undone.
  mutating func note(_ event: DocumentEvent, changing paths: [Path], hasSeen: Bool) {
    let all = event.steps.map(\.effect.path)
    written.formUnion(all)
    changed.formUnion(paths)
    guard hasSeen else {
      changed.formUnion(all)
      return
    }
    // Nothing tells an undo from another write but what it does; and its undo puts it back.
    for (path, sum) in target.increments {
      let isTakenBack = takenBack.contains(path)
      guard sum != 0, event.increments[path] == (isTakenBack ? sum : -sum) else { continue }
      if isTakenBack { takenBack.remove(path) } else { takenBack.insert(path) }
    }
  }
}

extension UndoAftermath {
  /// Whether somebody has done something to what stands at `path` since, or to what is around it.
  func hasWritten(at path: Path) -> Bool {
    written.contains(path) || path.ancestors.contains { written.contains($0) }
  }
}

extension DocumentEvent {
  /// What it adds to counters.
  var increments: [Path: Int128] {
    var sums: [Path: Int128] = [:]
    for step in steps where step.effect.kind == .increment {
      sums[step.effect.path, default: 0] += CounterAmount.amount(step.effect)
    }
    return sums
  }
}
