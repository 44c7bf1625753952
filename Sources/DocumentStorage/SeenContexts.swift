import Replication

/// What the authors of collected transactions had seen of other streams, and which of them had seen
/// all that others had.
struct SeenContexts: Sendable {
  private let contexts: [Context]
  /// How far the stream whose transactions have a context is here, by the context's number; 0 where
  /// that stream has branches.
  private let ends: [UInt64]
  /// Whether all that a context names is here, and no stream of it has branches.
  private let areWhole: [Bool]

  /// - parameters:
  ///   - contexts: Each is of one stream's transactions.
  ///   - headers: Those of the transactions.
  ///   - lineage: What is here.
  init(
    _ contexts: [Context], of headers: [CollectedOperations.Header], judgedBy lineage: Lineage
  ) {
    func end(of stream: StreamID) -> UInt64 {
      guard let found = lineage.streams[stream], !found.isBranching else { return 0 }
      return found.lines[0].tip.sequence
    }
    self.contexts = contexts
    var ends = Array(repeating: UInt64(0), count: contexts.count)
    for header in headers where ends[Int(header.context)] == 0 {
      ends[Int(header.context)] = end(of: header.stamp.dot.stream)
    }
    self.ends = ends
    areWhole = contexts.map { context in
      context.entries.allSatisfy { $0.sequence <= end(of: $0.stream) }
    }
  }

  subscript(_ number: UInt32) -> Context { contexts[Int(number)] }

  /// Whether the author of a transaction had for certain seen another one and all that its author
  /// had seen, so that what it writes covers, for good, what the other wrote and had covered.
  func covers(
    _ later: CollectedOperations.Header, _ earlier: CollectedOperations.Header
  ) -> Bool {
    let (mine, others) = (Int(later.context), Int(earlier.context))
    let (stream, sequence) = (earlier.stamp.dot.stream, earlier.stamp.dot.sequence)
    guard areWhole[mine], sequence <= ends[others] else { return false }
    if stream == later.stamp.dot.stream {
      guard hasSeenThoseBefore(later), sequence < later.stamp.dot.sequence else { return false }
      return mine == others || isPart(others, of: later)
    }
    return contexts[mine].contains(stream: stream, sequence: sequence) && isPart(others, of: later)
  }

  /// Whether its author had seen those before it in its stream, which are here.
  private func hasSeenThoseBefore(_ header: CollectedOperations.Header) -> Bool {
    header.previous != nil && header.stamp.dot.sequence - 1 <= ends[Int(header.context)]
  }

  /// Both are sorted: a context may name thousands, and each operation may ask.
  private func isPart(_ number: Int, of header: CollectedOperations.Header) -> Bool {
    let (own, mine) = (header.stamp.dot, contexts[Int(header.context)].entries)
    let seesOwn = hasSeenThoseBefore(header)
    var next = 0
    return contexts[number].entries.allSatisfy { entry in
      if entry.stream == own.stream { return seesOwn && entry.sequence < own.sequence }
      while next < mine.count,
        mine[next].stream < entry.stream
          || mine[next].stream == entry.stream && mine[next].sequence < entry.sequence
      {
        next += 1
      }
      return next < mine.count && mine[next].stream == entry.stream
    }
  }
}
