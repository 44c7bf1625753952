import CanonicalJSON
import Replication
import SegmentFormat

/// Replays a workload on devices that keep their documents in memory alone.
///
/// Operations are planned, stamped and merged by what the store itself uses, so that the segments
/// are those that its devices would have written. The devices exchange everything when a round
/// ends: until then each has its own of what it wrote in the round, and all share the rest.
///
///     var replay = WorkloadReplay(files: writer)
///     for line in lines { try replay.run(try WorkloadTransaction(parsing: line)) }
///     try replay.exchange()
struct WorkloadReplay {
  var files: SegmentWriter
  private var shared: [DocumentKey: DocumentState] = [:]
  private var frontier = Frontier()
  private var authors: [Int64: Author] = [:]
  private var round: Int64 = 0
  private var first: HybridTime?
  private var last = HybridTime.zero
  /// What is added to times and rounds, to write the same transactions again.
  private var delay: (time: UInt64, rounds: Int64) = (0, 0)

  init(files: SegmentWriter) { self.files = files }

  mutating func run(_ line: WorkloadTransaction) throws {
    var line = line
    line.time = HybridTime(rawValue: line.time.rawValue + delay.time)
    line.round += delay.rounds
    if line.round != round {
      try exchange()
      round = line.round
    }
    first = first ?? line.time
    last = max(last, line.time)
    // Taken out, so that what it holds is changed in place.
    var author =
      authors.removeValue(forKey: line.device) ?? Author(frontier: frontier)
    author.write(line, over: shared)
    authors[line.device] = author
    files.operations += line.edits.count
  }

  /// Lets the transactions that follow come after all that were.
  mutating func beginAgain() throws {
    try exchange()
    let length = last.rawValue - (first?.rawValue ?? last.rawValue)
    first = nil
    delay = (delay.time + length + Self.pause.rawValue, round + 1)
  }

  private static let pause = HybridTime(milliseconds: 1000)

  /// Writes what the devices have written, and gives it to all of them.
  mutating func exchange() throws {
    var changed: Set<DocumentKey> = []
    for number in authors.keys.sorted() {
      guard var author = authors.removeValue(forKey: number) else { continue }
      let (transactions, start) = author.takeTransactions()
      try files.write(transactions, after: start, of: "device-\(number)")
      var previous = start.fingerprint
      for transaction in transactions {
        frontier.apply(transaction.header, after: previous)
        previous = transaction.header.fingerprint
        for (offset, operation) in transaction.operations.enumerated() {
          changed.insert(operation.document)
          shared[operation.document, default: DocumentState()].apply(
            DocumentState.Effect(operation), stamp: transaction.stamp(offset),
            context: transaction.header.context)
        }
      }
      authors[number] = author
    }
    frontier.close()
    for key in changed { shared[key]?.settle() }
    for number in authors.keys { authors[number]?.frontier = frontier }
  }
}

/// One device of a workload.
private struct Author {
  let stream = StreamID.random()
  let nonce = UInt64.random(in: .min ... .max)
  /// What it has seen.
  var frontier: Frontier
  private var position = StreamPosition.start
  /// Where its stream stood when the round began.
  private var start = StreamPosition.start
  /// The documents that it has written in this round.
  private var own: [DocumentKey: DocumentState] = [:]
  private var transactions: [Transaction] = []

  init(frontier: Frontier) { self.frontier = frontier }

  mutating func write(
    _ line: WorkloadTransaction, over shared: [DocumentKey: DocumentState]
  ) {
    var header = header(at: line.time, fingerprint: .origin)
    var states: [DocumentKey: DocumentState] = [:]
    var operations: [Operation] = []
    for edit in line.edits {
      let key = edit.key
      var state = states[key] ?? own[key] ?? shared[key] ?? DocumentState()
      guard let (plan, body) = edit.plan(on: state, frontier) else { continue }
      operations += state.perform(
        plan, wanted: body, on: key, header: header, firstIndex: operations.count)
      states[key] = state
    }
    guard !operations.isEmpty else { return }
    let list = OperationList(operations)
    let form = CanonicalTransaction.bytes(
      sequence: header.sequence, time: header.time, context: header.context, operations: list)
    header = self.header(
      at: line.time,
      fingerprint: Fingerprint(
        after: position.fingerprint, nonce: nonce, canonicalForm: form))
    for (key, var state) in states {
      state.seal(header.tip)
      state.settle()
      own[key] = state
    }
    frontier.apply(header, after: position.fingerprint)
    frontier.close()
    transactions.append(Transaction(header: header, operations: list))
    position = StreamPosition(after: header)
  }

  private func header(at time: HybridTime, fingerprint: Fingerprint) -> Transaction.Header {
    Transaction.Header(
      stream: stream, sequence: position.sequence + 1, time: time, context: frontier.closed,
      nonce: nonce, fingerprint: fingerprint)
  }

  /// What it has written in this round, which is over, and where its stream stood before that.
  mutating func takeTransactions() -> ([Transaction], after: StreamPosition) {
    defer {
      transactions = []
      own = [:]
      start = position
    }
    return (transactions, start)
  }
}
