extension DocumentState {
  /// Which values show, once deletes and what undoes them are judged (protocol.md 13).
  package struct Visibility {
    /// Indices into `entries` of the visible values, in their order.
    package var values: [Int] = []
    /// Whether a delete stands beside an edit that had not seen it.
    package var hasUndoneDelete: Bool { !undoneDeletes.isEmpty }
    /// The deletes that edits which they had not seen undo; nil is one that waits for its closure.
    package var undoneDeletes: [Stamp?] = []
    /// Indices of values that only deletes hide of which nobody here can tell whether their authors
    /// had seen them (protocol.md 26).
    package var doubtful: [Int] = []
    /// Indices of all values that would show if those deletes were none; empty if there are none.
    package var restorable: [Int] = []
    /// Indices of values that a write hides whose author named a branch that nobody here has, so
    /// that nobody can tell whether it had seen them; and of the deletes that one hides so.
    package var hidden: [Int] = []
    package var hiddenDeletes: [Int] = []
    /// Indices of edits whose insert is not here, and that no delete takes away: they are listed,
    /// and show nothing and undo nothing before it comes.
    package var orphans: [Int] = []
  }

  /// An operation that takes away without writing: a delete, here or still to be published.
  private enum Deletion {
    case kept(Entry)
    case waiting(PendingRemoval)

    /// Nil for one that waits; they stand or fall together, as they have seen.
    var stamp: Stamp? {
      switch self {
      case .kept(let entry): entry.stamp
      case .waiting: nil
      }
    }
  }

  /// Whether the author of a deletion had seen the operation stamped `stamp`.
  private func relation(of deletion: Deletion, to stamp: Stamp) -> Lineage.Relation {
    switch deletion {
    case .kept(let entry): relation(of: entry, to: stamp)
    case .waiting(let removal): relation(of: removal.seen, to: stamp)
    }
  }

  private func covers(_ deletion: Deletion, _ stamp: Stamp) -> Bool {
    relation(of: deletion, to: stamp) != .none
  }

  /// Whether neither had seen the other.
  private func isConcurrent(_ deletion: Deletion, with value: Entry) -> Bool {
    guard !covers(deletion, value.stamp) else { return false }
    switch deletion {
    // What a newer version writes may delete and carry a value at once: it does not undo itself.
    // Of a branch that nobody has, nobody can tell; but who had seen a delete would have written
    // the document anew.
    case .kept(let entry):
      return entry.stamp != value.stamp && relation(of: value, to: entry.stamp) < .expected
    case .waiting: return true
    }
  }

  /// A delete is undone if a value that nothing covers is concurrent with it; a value is visible if
  /// every delete that covers it is undone.
  package func visibility() -> Visibility {
    var result = Visibility()
    let present = uncovered
    let deletions = deletions(among: present)
    let removals = WaitingRemovals(self)
    let all = present.filter {
      entries[$0].effect.kind.carriesValue && !removals.hide(entries[$0])
    }
    let missing = missingInserts
    let values = all.filter { !missing.contains(entries[$0].effect.insert) }
    result.orphans = all.filter { missing.contains(entries[$0].effect.insert) }
    let hidden = doubtfullyHidden
    result.hidden = hidden.filter { entries[$0].effect.kind.carriesValue }
    result.hiddenDeletes = hidden.filter { entries[$0].effect.kind.cover == .document }
    guard !deletions.isEmpty else {
      result.values = values
      return result
    }
    let standing = standing(among: deletions, over: values)
    if standing.count < deletions.count {
      let stamps = Set(standing.map(\.stamp))
      result.undoneDeletes = deletions.map(\.stamp).filter { !stamps.contains($0) }
    }
    result.orphans.removeAll { index in
      standing.contains { relation(of: $0, to: entries[index].stamp) >= .expected }
    }
    result.hidden.removeAll { index in
      standing.contains { relation(of: $0, to: entries[index].stamp) >= .expected }
    }
    for index in values {
      switch standing.map({ relation(of: $0, to: entries[index].stamp) }).max() ?? .none {
      case .none: result.values.append(index)
      case .doubtful: result.doubtful.append(index)
      case .expected, .certain: break
      }
    }
    guard !result.doubtful.isEmpty else { return result }
    let doubted = standing.filter { deletion in
      result.doubtful.contains { covers(deletion, entries[$0].stamp) }
    }
    let stamps = Set(doubted.map(\.stamp))
    // Judged anew: what only those hide may undo another.
    let rest = self.standing(
      among: deletions.filter { !stamps.contains($0.stamp) }, over: values)
    result.restorable = values.filter { index in
      !rest.contains { covers($0, entries[index].stamp) }
    }
    return result
  }

  /// The deletions that nothing undoes.
  private func standing(among deletions: [Deletion], over values: [Int]) -> [Deletion] {
    let uncovered = values.filter { index in
      !deletions.contains { covers($0, entries[index].stamp) }
    }
    return deletions.filter { deletion in
      !uncovered.contains { isConcurrent(deletion, with: entries[$0]) }
    }
  }

  private func deletions(among present: [Int]) -> [Deletion] {
    let kept = present.filter { entries[$0].effect.kind.cover == .document }
      .map { Deletion.kept(entries[$0]) }
    let waiting = pending.filter { $0.kind.cover == .document }.map { Deletion.waiting($0) }
    return kept + waiting
  }

  /// The removals that wait, by where: there may be as many as there are values.
  struct WaitingRemovals {
    private let state: DocumentState
    private let removals: [Path: [PendingRemoval]]

    init(_ state: DocumentState) {
      self.state = state
      removals = Dictionary(
        grouping: state.pending.filter { $0.kind.cover == .path }, by: \.path)
    }

    func hide(_ entry: Entry) -> Bool {
      guard !removals.isEmpty else { return false }
      return (entry.effect.path.ancestors + [entry.effect.path]).contains { path in
        (removals[path] ?? []).contains { removal in
          // What it may mean or not shows until it is known: nobody would list it.
          state.relation(of: removal.seen, to: entry.stamp) >= .expected
        }
      }
    }
  }
}
