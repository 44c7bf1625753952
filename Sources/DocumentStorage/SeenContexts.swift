import Replication

/// What the authors of collected transactions had seen of other streams, and which of them had seen
/// all that others had.
struct SeenContexts: Sendable {
  /// What of a transaction tells which others it covers, in few bytes: for each operation it is
  /// looked at where that happens to lie in memory.
  struct Mark: Sendable {
    let sequence: UInt64
    /// Which of the contexts it has.
    let context: UInt32
    /// Whether its author had seen those before it in its stream, which are here.
    let seesOwn: Bool

    static let none = Mark(sequence: 0, context: 0, seesOwn: false)
  }

  private let contexts: [Context]
  /// Whose transactions have each.
  private let streams: [StreamID]
  /// How far the stream whose transactions have a context is here, by the context's number; 0 where
  /// that stream has branches.
  private let ends: [UInt64]
  /// Whether all that a context names is here, and no stream of it has branches.
  private let areWhole: [Bool]
  /// Those of the transactions, by their numbers.
  let marks: [Mark]

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
    var streams = Array(repeating: StreamID(rawValue: 0), count: contexts.count)
    for header in headers where ends[Int(header.context)] == 0 {
      streams[Int(header.context)] = header.stamp.dot.stream
      ends[Int(header.context)] = end(of: header.stamp.dot.stream)
    }
    (self.ends, self.streams) = (ends, streams)
    marks = headers.map { header in
      let dot = header.stamp.dot
      return Mark(
        sequence: dot.sequence, context: header.context,
        seesOwn: header.previous != nil && dot.sequence - 1 <= ends[Int(header.context)])
    }
    areWhole = contexts.map { context in
      context.entries.allSatisfy { $0.sequence <= end(of: $0.stream) }
    }
  }

  subscript(_ number: UInt32) -> Context { contexts[Int(number)] }

  /// Whose transaction it is that has a mark.
  func stream(of mark: Mark) -> StreamID { streams[Int(mark.context)] }

  /// Whether the author of a transaction had for certain seen another one and all that its author
  /// had seen, so that what it writes covers, for good, what the other wrote and had covered.
  func covers(_ later: Mark, _ earlier: Mark) -> Bool {
    let (mine, others) = (Int(later.context), Int(earlier.context))
    guard areWhole[mine], earlier.sequence <= ends[others] else { return false }
    if mine == others || streams[mine] == streams[others] {
      guard later.seesOwn, earlier.sequence < later.sequence else { return false }
      return mine == others || isPart(others, of: later)
    }
    return contexts[mine].contains(stream: streams[others], sequence: earlier.sequence)
      && isPart(others, of: later)
  }

  /// Both are sorted: a context may name thousands, and each operation may ask.
  private func isPart(_ number: Int, of mark: Mark) -> Bool {
    let (own, mine) = (streams[Int(mark.context)], contexts[Int(mark.context)].entries)
    var next = 0
    return contexts[number].entries.allSatisfy { entry in
      if entry.stream == own { return mark.seesOwn && entry.sequence < mark.sequence }
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
