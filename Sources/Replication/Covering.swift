// What the author of one kept operation had seen of another.
extension DocumentState {
  /// What a write does to an operation at or below its path.
  enum Covering: Int, Comparable {
    case none
    /// It hides it, for now: not all that its author had seen has arrived (protocol.md 26).
    case passing
    case final

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// Whether the author of `entry` had seen the operation stamped `other`.
  func relation(of entry: Entry, to other: Stamp) -> Lineage.Relation {
    guard let context = entry.context else { return .none }
    if entry.stamp.hasSeenInSameTransaction(other) { return .certain }
    return relation(of: context, to: other)
  }

  func relation(of context: Context, to other: Stamp) -> Lineage.Relation {
    guard context.contains(stream: other.dot.stream, sequence: other.dot.sequence) else {
      return .none
    }
    return lineage?.relation(of: context, to: other) ?? .certain
  }

  /// Whether the author of `entry` had seen the operation stamped `other`, as far as can be told.
  func hasSeen(_ entry: Entry, _ other: Stamp) -> Bool {
    relation(of: entry, to: other) != .none
  }

  /// Whether who had seen `second` had seen all of `first`.
  func isCovered(_ first: Context, by second: Context) -> Bool {
    if let lineage { return lineage.isCovered(first, by: second) }
    return first.entries.allSatisfy {
      second.contains(stream: $0.stream, sequence: $0.sequence)
    }
  }

  func cover(of other: Entry, by write: Entry) -> Covering {
    cover(of: other.stamp, other.context, by: write)
  }

  func cover(of other: Stamp, _ context: Context?, by write: Entry) -> Covering {
    write.context.map { cover(of: other, context, by: write.stamp, $0) } ?? .none
  }

  /// What a write does to an operation at or below its path; each with what its author had seen.
  ///
  /// Stamps and contexts by themselves: whole entries are copied to be passed, for each operation
  /// of an import.
  func cover(
    of other: Stamp, _ otherContext: @autoclosure () -> Context?, by write: Stamp,
    _ context: Context
  ) -> Covering {
    if write.hasSeenInSameTransaction(other) { return .final }
    switch relation(of: context, to: other) {
    case .none: return .none
    case .doubtful, .expected: return .passing
    case .certain: break
    }
    // Whoever covers the write has to cover what it covered, also by what arrives later.
    let isFinal = lineage?.holds(context) != false || judges(context, whatever: otherContext())
    return isFinal ? .final : .passing
  }

  /// The kept operations that may cover others, by where.
  struct Coverers {
    fileprivate let entries: [Path: [Entry]]

    init(_ entries: [Entry]) {
      let all = entries.filter { $0.effect.kind.cover == .path && $0.context != nil }
      self.entries = Dictionary(grouping: all, by: \.effect.path)
    }
  }

  /// What kept writes at or above an operation's path had seen of it.
  func cover(of new: Entry, by coverers: Coverers) -> Covering {
    guard !coverers.entries.isEmpty else { return .none }
    var best = Covering.none
    new.effect.path.forEachAtOrAbove { path in
      for entry in coverers.entries[path] ?? [] {
        switch cover(of: new, by: entry) {
        case .final:
          best = .final
          return false
        case .passing: best = .passing
        case .none: break
        }
      }
      return true
    }
    return best
  }

  /// Whether who had seen `context`, part of which is missing, is known to have seen whatever the
  /// author of something that it covers had: now, and when more arrives.
  ///
  /// So it is where both name the same of each stream of which something is missing, or something
  /// that leads up to the same on what is held behind it. Without this, all that is written while
  /// something is missing would be kept.
  private func judges(_ context: Context, whatever other: Context?) -> Bool {
    // What is settled covers nothing any more.
    guard let lineage, let other else { return true }
    return context.entries.allSatisfy { entry in
      lineage.holds(entry)
        || other.entries(of: entry.stream).allSatisfy { seen in
          context.entries(of: entry.stream).contains { lineage.isAtOrBefore(seen, $0) }
        }
    }
  }

  /// The entries that no write covers, not even for now.
  package var uncovered: [Int] {
    guard mayHide else { return Array(entries.indices) }
    let coverers = Coverers(entries)
    return entries.indices.filter { hidingRelation(of: entries[$0], by: coverers) == .none }
  }

  /// How surely a kept write covers an entry.
  private func hidingRelation(of entry: Entry, by coverers: Coverers) -> Lineage.Relation {
    var best = Lineage.Relation.none
    entry.effect.path.forEachAtOrAbove { path in
      for write in coverers.entries[path] ?? [] {
        best = max(best, relation(of: write, to: entry.stamp))
      }
      return true
    }
    return best
  }

  /// Indices of what a write may have covered whose author named a branch that nobody here has.
  var doubtfullyHidden: [Int] {
    guard mayHide, lineage != nil else { return [] }
    let coverers = Coverers(entries)
    return entries.indices.filter { hidingRelation(of: entries[$0], by: coverers) == .doubtful }
  }

  /// The values of those by path: they are listed as conflicts, since nobody can tell.
  ///
  /// An element counts with its set.
  func doubtfulEntries(_ visibility: Visibility) -> [Path: [Entry]] {
    Dictionary(grouping: visibility.hidden.map { entries[$0] }) { entry in
      let path = entry.effect.path
      return entry.effect.kind == .add ? path.parent ?? path : path
    }
  }
}
