// What contexts mean for operations that are held.
extension Lineage {
  /// Whether an author had seen an operation.
  package enum Relation: Int, Comparable, Sendable {
    /// It had not.
    case none
    /// It named a branch that is not held, of a stream that has several: nobody here can tell.
    case doubtful
    /// It named a transaction that has not arrived, or from which on something is missing, of a
    /// stream of which no branch is known.
    case expected
    /// It had.
    case certain

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// Whether who had seen `context` had seen the operation stamped `stamp`.
  package func relation(of context: Context, to stamp: Stamp) -> Relation {
    var best = Relation.none
    for entry in context.entries where entry.stream == stamp.dot.stream {
      best = max(best, relation(of: entry, to: stamp))
    }
    return best
  }

  private func relation(of entry: Context.Entry, to stamp: Stamp) -> Relation {
    guard stamp.dot.sequence <= entry.sequence else { return .none }
    guard let stream = streams[entry.stream] else { return .expected }
    guard stream.isBranching else {
      return entry.sequence <= stream.lines[0].tip.sequence ? .certain : .expected
    }
    if stamp.dot.sequence == entry.sequence {
      return stamp.fingerprint == entry.fingerprint ? .certain : .none
    }
    guard let index = stream.index(of: entry) else {
      return stream.isForked || stream.contradicts(entry) ? .doubtful : .expected
    }
    guard let mark = stream.mark(at: stamp.dot.sequence, leadingTo: index) else {
      return stream.isForked ? .doubtful : .expected
    }
    return Self.matches(mark, stamp.fingerprint) ? .certain : .none
  }

  /// Whether all that `first` has seen, `second` has seen for certain.
  package func isCovered(_ first: Context, by second: Context) -> Bool {
    first.entries.allSatisfy { entry in
      second.entries(of: entry.stream).contains { isAtOrBefore(entry, $0) }
    }
  }

  /// Whether `first` is one of the transactions that lead up to `second`, or is `second`.
  func isAtOrBefore(_ first: Context.Entry, _ second: Context.Entry) -> Bool {
    if first == second { return true }
    guard first.sequence < second.sequence, let stream = streams[first.stream] else {
      return false
    }
    guard stream.isBranching else { return second.sequence <= stream.lines[0].tip.sequence }
    guard let index = stream.index(of: second) else { return false }
    return stream.leads(first, to: index)
  }

  /// What either has seen; an entry that leads up to another is left out.
  package func union(_ first: Context, _ second: Context) -> Context {
    guard first != second, !second.entries.isEmpty else { return first }
    return first.merged(with: second) { here, there in
      // Mostly each has one, or the second alone.
      if here == there || here.isEmpty && there.count == 1 { return there }
      return greatest(of: Array(here) + there)[...]
    }
  }

  /// The entries that lead up to no other of them.
  ///
  /// - precondition: they are of one stream.
  func greatest(of entries: [Context.Entry]) -> [Context.Entry] {
    // Not each beside each where the numbers tell: a hostile file may name thousands.
    guard let first = entries.first, let stream = streams[first.stream] else { return entries }
    guard stream.isBranching else {
      let end = stream.lines[0].tip.sequence
      let greatest = entries.reduce(0) { $1.sequence <= end ? max($0, $1.sequence) : $0 }
      return entries.filter { $0.sequence >= greatest }
    }
    return entries.filter { entry in
      !entries.contains { $0 != entry && isAtOrBefore(entry, $0) }
    }
  }

  /// The same context without the entries that lead up to others.
  package func reduced(_ context: Context) -> Context {
    let pairs = zip(context.entries, context.entries.dropFirst())
    guard pairs.contains(where: { $0.stream == $1.stream }) else { return context }
    return context.merged(with: context) { entries, _ in
      entries.count > 1 ? greatest(of: Array(entries))[...] : entries
    }
  }
}
