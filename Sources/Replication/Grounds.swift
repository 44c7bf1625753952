/// What led up to each transaction that has not closed: what its author, and those of all before
/// it, had seen (``Frontier/seen(upTo:)``).
///
/// A device's transactions come in runs, in which its user had heard of nothing new from others: a
/// whole run is told by its last one, so that there are few, however many transactions wait.
struct Grounds {
  struct Run {
    /// The last transaction of it.
    let last: Context.Entry
    /// What led up to that, and itself.
    let seen: Context
  }

  private let frontier: Frontier
  private var runs: [Lineage.LineID: [Run]] = [:]

  init(_ frontier: Frontier) { self.frontier = frontier }

  /// The run that a transaction belongs to; nil if it is closed, or not here.
  mutating func run(of tip: Context.Entry) -> Run? {
    guard let line = frontier.lineage.place(of: tip) else { return nil }
    let all = runs[line] ?? frontier.runs(of: line)
    runs[line] = all
    let open = frontier.open[line]?.first?.first ?? .max
    guard tip.sequence >= open else { return nil }
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].last.sequence < tip.sequence { low = middle + 1 } else { high = middle }
    }
    return low < all.count ? all[low] : nil
  }

  /// What led up to some operations.
  mutating func seen(upTo operations: [Stamp]) -> Context {
    var rest: [Stamp] = []
    var seen = Context()
    var tips: Set<Context.Entry> = []
    for stamp in operations {
      guard let run = run(of: stamp.transaction) else {
        rest.append(stamp)
        continue
      }
      if tips.insert(run.last).inserted { seen = frontier.lineage.union(seen, run.seen) }
    }
    return rest.isEmpty ? seen : frontier.lineage.union(seen, frontier.seen(upTo: rest))
  }
}

extension Frontier {
  /// The runs of a line's open transactions, in order.
  fileprivate func runs(of line: Lineage.LineID) -> [Grounds.Run] {
    let transactions = open[line] ?? []
    guard let first = transactions.first else { return [] }
    // What the line leaves led up to all of it.
    let before = seen(before: first.tip, on: line)
    var runs: [Grounds.Run] = []
    var (seen, last) = (Context(), first)
    func end() {
      let all = lineage.union(lineage.reduced(seen), Context([last.tip]))
      runs.append(Grounds.Run(last: last.tip, seen: lineage.union(before, all)))
    }
    for transaction in transactions {
      var next = seen
      extend(&next, by: transaction, on: line)
      let isNews = next.without(line.stream) != seen.without(line.stream)
      // What comes before its insert nobody has seen, and what is not understood here nobody here
      // claims: a run does not reach over that.
      let isBarrier = !hasInserts(of: transaction) || !transaction.isUnderstood
      if transaction.first != first.first, isNews || isBarrier { end() }
      (seen, last) = (next, transaction)
    }
    end()
    return runs
  }
}
