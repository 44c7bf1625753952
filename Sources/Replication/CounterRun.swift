/// Increments of counters that a fold takes in one after another.
///
/// They change nothing but what the counters come to, so neither the state nor what it shows is
/// made anew for each: a counter may have a hundred thousand.
package struct CounterRun {
  /// What one increment, or several of one transaction, changed.
  package struct Step {
    let path: Path
    let old: [UInt8]
    let new: [UInt8]
    /// Values that were written to the path without knowledge of the counter.
    let rivals: [DocumentHistory.Lost]
  }

  private struct Counter {
    var contest = Contest()
    var rivals: [DocumentHistory.Lost] = []
    var added: Int128 = 0

    var shown: [UInt8] {
      var text: [UInt8] = []
      CounterAmount.leaf(contest.start + contest.increments + added).write(into: &text)
      return text
    }
  }

  /// All that was taken in, in that order.
  private(set) var entries: [DocumentState.Entry] = []
  private let coverers: DocumentState.Coverers
  private var counters: [Path: Counter] = [:]

  /// - parameters:
  ///   - state: Which it follows.
  ///   - kinds: Where counters show in it.
  /// - returns: Nil where an increment may change more, since it had not seen a delete.
  init?(after state: DocumentState, kinds: [Path: ReplicatedKind]) {
    guard state.pending.isEmpty,
      !state.entries.contains(where: { $0.effect.kind.cover == .document })
    else { return nil }
    coverers = DocumentState.Coverers(state.entries)
    let visible = state.visibility().values.map { state.entries[$0] }
    let counted = visible.countedIncrements
    for entry in visible {
      guard kinds[entry.effect.path] == .counter, !counted.has(entry) else { continue }
      counters[entry.effect.path, default: Counter()].contest.enter(entry)
      guard entry.effect.kind == .set else { continue }
      counters[entry.effect.path]?.rivals.append(
        DocumentHistory.Lost(value: entry.effect.shownText, dot: entry.stamp.dot))
    }
  }

  /// Takes in a transaction's increments; nil, and nothing is taken, if it does anything else.
  mutating func take(_ event: DocumentEvent, after state: DocumentState) -> [Step]? {
    let new = event.entries
    let isPlain = new.allSatisfy { entry in
      entry.effect.kind == .increment && counters[entry.effect.path] != nil
        && state.cover(of: entry, by: coverers) == .none && !state.isOrphan(entry)
    }
    guard isPlain, !new.isEmpty else { return nil }
    var steps: [Step] = []
    for (path, sum) in event.increments {
      guard var counter = counters.removeValue(forKey: path) else { continue }
      let old = counter.shown
      counter.added += sum
      steps.append(
        Step(
          path: path, old: old, new: counter.shown,
          rivals: counter.rivals.filter { !event.wrote($0.dot) }))
      counters[path] = counter
    }
    entries += new
    return steps.filter { $0.old != $0.new }.sorted { $0.path < $1.path }
  }
}
