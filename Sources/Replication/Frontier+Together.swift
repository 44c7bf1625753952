// Transactions that wait for one another, since something was given up.
//
// Contexts are acyclic. But of a stream that branches, what is missing of one branch counts as
// closed only once what is here of another is, and that may have seen what is missing of a third.
extension Frontier {
  /// How many of the open transactions of each line are taken to be closed.
  private typealias Parts = [Lineage.LineID: Int]

  /// Closes what waits for nothing but one another; returns it, of each line in order.
  ///
  /// - precondition: nothing can be closed by itself.
  mutating func closeTogether() -> [Open] {
    guard !givenUp.isEmpty, open.keys.contains(where: isHeldUp) else { return [] }
    let parts = greatestParts().filter { $0.value > 0 }.map { line, count in
      (line, Array((open[line] ?? []).prefix(count)))
    }
    setClosed(parts)
    return parts.flatMap(\.1)
  }

  /// Whether the first open transaction of a line waits for nothing that it names itself.
  private func isHeldUp(_ line: Lineage.LineID) -> Bool {
    guard let next = open[line]?.first, next.isUnderstood, hasInserts(of: next),
      isBaseClosed(line)
    else { return false }
    return next.context.entries.allSatisfy { isClosed(Context([$0])) || isGivenUp($0) }
  }

  /// The greatest part of what is open that has seen nothing but what is closed, or in it.
  private func greatestParts() -> Parts {
    var parts = open.mapValues { transactions in
      transactions.prefix { $0.isUnderstood && hasInserts(of: $0) }.count
    }
    var isSinking = true
    while isSinking {
      isSinking = false
      for (line, transactions) in open {
        guard let count = parts[line], count > 0 else { continue }
        let end =
          isBaseClosed(line) || isBaseClosed(line, with: parts)
          ? transactions.prefix(count).firstIndex { !isClosed($0.context, with: parts) } ?? count
          : 0
        guard end < count else { continue }
        parts[line] = end
        isSinking = true
      }
    }
    return parts
  }

  private func isBaseClosed(_ id: Lineage.LineID, with parts: Parts) -> Bool {
    guard let line = lineage.line(id), let parent = line.parent else { return false }
    let end = end(of: Lineage.LineID(stream: id.stream, index: parent), with: parts)
    return end.map { line.base <= $0.sequence } ?? false
  }

  /// The last that is taken to be closed of what is open on a line.
  private func end(of line: Lineage.LineID, with parts: Parts) -> Context.Entry? {
    guard let count = parts[line], count > 0 else { return nil }
    return open[line]?[count - 1].tip
  }

  private func isClosed(_ context: Context, with parts: Parts) -> Bool {
    context.entries.allSatisfy { entry in
      if isClosed(Context([entry])) { return true }
      guard let line = lineage.place(of: entry) else { return isLost(entry, with: parts) }
      guard let end = end(of: line, with: parts) else { return false }
      return entry.sequence < end.sequence
        || entry.sequence == end.sequence && entry.fingerprint == end.fingerprint
    }
  }

  /// Whether a missing transaction counts as closed once `parts` are.
  private func isLost(_ entry: Context.Entry, with parts: Parts) -> Bool {
    guard isGivenUp(entry.stream, upTo: entry.sequence) else { return false }
    return open.allSatisfy { line, transactions in
      guard line.stream == entry.stream else { return true }
      let rest = transactions.dropFirst(parts[line] ?? 0)
      return rest.first.map { $0.first > entry.sequence } ?? true
    }
  }
}
