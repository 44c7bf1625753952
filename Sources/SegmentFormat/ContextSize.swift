import Replication

/// Counts how much the contexts of consecutive transactions take once they are complete, without
/// completing them: four bytes in a file can stand for a context of thousands of streams.
///
///     var size = ContextSize()
///     for transaction in segment.transactions { size.add(transaction) }
///     size.total
package struct ContextSize {
  /// What one entry takes in memory.
  package static let entryBytes = MemoryLayout<Context.Entry>.stride

  /// How many entries all contexts have together, besides those of what each had seen of its own
  /// stream completely.
  package private(set) var total = 0
  private var counts: [StreamID: Int] = [:]
  /// How many entries the last context has.
  private var width = 0

  /// Begins before the first transaction.
  ///
  /// - parameter context: That of the transaction before the first; empty where it is not known.
  package init(after context: Context = Context()) {
    for entry in context.entries { counts[entry.stream, default: 0] += 1 }
    width = context.entries.count
  }

  /// Goes on with the next transaction of the stream.
  package mutating func add(_ transaction: EncodedTransaction) {
    if !transaction.isRelative {
      counts = [:]
      width = 0
    }
    var changed: [StreamID: Int] = [:]
    for entry in transaction.changes { changed[entry.stream, default: 0] += 1 }
    for (stream, count) in changed {
      width += count - (counts.updateValue(count, forKey: stream) ?? 0)
    }
    total += width
  }
}

extension Segment {
  /// How many entries its contexts have together.
  ///
  /// - parameter context: That of the transaction before it; empty where it is not known.
  package func contextEntries(after context: Context = Context()) -> Int {
    var size = ContextSize(after: context)
    for transaction in transactions { size.add(transaction) }
    return size.total
  }
}
