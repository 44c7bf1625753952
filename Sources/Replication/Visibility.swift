extension DocumentState {
  /// Which values show, once deletes and what undoes them are judged (protocol.md 13).
  struct Visibility {
    /// Indices into `entries` of the visible values, in their order.
    var values: [Int] = []
    /// Whether a delete stands beside an edit that had not seen it.
    var hasUndoneDelete: Bool { !undoneDeletes.isEmpty }
    /// The deletes that edits which they had not seen undo; nil is one that waits for its closure.
    var undoneDeletes: [Stamp?] = []
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

    /// Whether its author had seen the operation stamped `stamp`.
    func covers(_ stamp: Stamp) -> Bool {
      switch self {
      case .kept(let entry): entry.hasSeen(stamp)
      case .waiting(let removal): removal.hasSeen(stamp)
      }
    }

    /// Whether neither had seen the other.
    func isConcurrent(with value: Entry) -> Bool {
      guard !covers(value.stamp) else { return false }
      switch self {
      // What a newer version writes may delete and carry a value at once: it does not undo itself.
      case .kept(let entry): return entry.stamp != value.stamp && !value.hasSeen(entry.stamp)
      case .waiting: return true
      }
    }
  }

  /// A delete is undone if a value that nothing covers is concurrent with it; a value is visible if
  /// every delete that covers it is undone.
  func visibility() -> Visibility {
    var result = Visibility()
    let deletions = self.deletions
    let values = entries.indices.filter {
      entries[$0].effect.kind.carriesValue && !isHiddenByPendingRemoval(entries[$0])
    }
    guard !deletions.isEmpty else {
      result.values = values
      return result
    }
    let uncovered = values.filter { index in
      !deletions.contains { $0.covers(entries[index].stamp) }
    }
    let standing = deletions.filter { deletion in
      !uncovered.contains { deletion.isConcurrent(with: entries[$0]) }
    }
    if standing.count < deletions.count {
      let stamps = Set(standing.map(\.stamp))
      result.undoneDeletes = deletions.map(\.stamp).filter { !stamps.contains($0) }
    }
    result.values = values.filter { index in
      !standing.contains { $0.covers(entries[index].stamp) }
    }
    return result
  }

  private var deletions: [Deletion] {
    let kept = entries.filter { $0.effect.kind.cover == .document }.map { Deletion.kept($0) }
    let waiting = pending.filter { $0.kind.cover == .document }.map { Deletion.waiting($0) }
    return kept + waiting
  }

  private func isHiddenByPendingRemoval(_ entry: Entry) -> Bool {
    pending.contains { removal in
      removal.kind.cover == .path && entry.effect.path.isAtOrBelow(removal.path)
        && removal.hasSeen(entry.stamp)
    }
  }
}

extension DocumentState.PendingRemoval {
  func hasSeen(_ stamp: Stamp) -> Bool {
    seen.contains(stream: stamp.dot.stream, sequence: stamp.dot.sequence)
  }
}
