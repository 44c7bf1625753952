// What the user has said not to wait for any more (protocol.md 6).
//
// An author that claims a transaction claims all that this one's author had seen, and all before
// it in its stream. Both are in the context of whatever names a missing transaction, since contexts
// are closed. So a device may claim such a context whole, missing transactions included: the claim
// is closed, and means the same to whoever has them. It says that what was missing counts as seen.
extension Frontier {
  /// Takes what is missing of a stream, up to a sequence, for something that never comes.
  ///
  /// What comes all the same is applied as ever. To be followed by ``close()``.
  ///
  /// - precondition: the stream is judged by fingerprint, if something of it is here. It is from
  ///   now on: what comes may be another branch than the one that is given up.
  package mutating func giveUp(_ stream: StreamID, upTo sequence: UInt64) {
    givenUp[stream] = max(givenUp[stream] ?? 0, sequence)
    if lineage.streams[stream]?.isBranching == false { lineage.branch(stream) }
    lineage.expectBranches(of: stream)
  }

  /// What somebody has seen that is missing and given up, of streams of which one branch is known.
  ///
  /// It is kept, to be told from another branch that comes later: those who name it may have closed
  /// meanwhile.
  package var givenUpNames: Set<Context.Entry> {
    var names: Set<Context.Entry> = []
    for (stream, end) in givenUp where lineage.streams[stream]?.isForked == false {
      for (sequence, fingerprints) in expected[stream] ?? [:] where sequence <= end {
        for fingerprint in fingerprints {
          names.insert(
            Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint))
        }
      }
    }
    return names
  }

  func isGivenUp(_ stream: StreamID, upTo sequence: UInt64) -> Bool {
    sequence <= givenUp[stream] ?? 0
  }

  /// Whether a transaction is missing, and the user has given it up.
  package func isGivenUp(_ entry: Context.Entry) -> Bool {
    isGivenUp(entry.stream, upTo: entry.sequence) && lineage.place(of: entry) == nil
  }

  /// Whether a missing transaction counts as closed: it is given up, and all that is here of its
  /// stream up to there is closed, lest something be claimed that is here and not understood.
  func isLost(_ entry: Context.Entry) -> Bool {
    guard isGivenUp(entry.stream, upTo: entry.sequence) else { return false }
    return !open.contains { line, transactions in
      line.stream == entry.stream
        && transactions.first.map { $0.first <= entry.sequence } ?? false
    }
  }

  /// Whether a transaction is neither here nor given up.
  package func isMissing(_ entry: Context.Entry) -> Bool {
    lineage.place(of: entry) == nil && !isGivenUp(entry.stream, upTo: entry.sequence)
  }

  /// What the authors of open transactions had seen that is missing, and not given up.
  package var missing: Context {
    var missing = Context()
    for transaction in open.values.joined() {
      for entry in transaction.context.entries
      where isMissing(entry) { missing.insert(entry) }
    }
    return missing
  }

  /// Whether an insert is neither here nor given up; its name does not tell the branch.
  func isMissingInsert(_ sequence: UInt64, of stream: StreamID) -> Bool {
    !lineage.reaches(sequence, of: stream) && !isGivenUp(stream, upTo: sequence)
  }

  /// Up to where the inserts are missing, and not given up, that open transactions edit.
  package var missingInserts: [StreamID: UInt64] {
    open.values.joined().reduce(into: [:]) { ends, transaction in
      for (stream, sequence) in transaction.inserts
      where isMissingInsert(sequence, of: stream) {
        ends[stream] = max(ends[stream] ?? 0, sequence)
      }
    }
  }

  /// How far the streams have come whose inserts open transactions await.
  package var awaitedEnds: [StreamID: UInt64] {
    let streams = missingInserts.keys
    return Dictionary(uniqueKeysWithValues: streams.map { ($0, lineage.end(of: $0)) })
  }

  /// Whose transactions cannot be claimed until `stream` is there, or given up.
  package func waiting(for stream: StreamID) -> Set<StreamID> {
    let lines = open.filter { _, transactions in
      transactions.contains { transaction in
        transaction.context.entries(of: stream).contains { isMissing($0) }
          || transaction.inserts[stream].map { isMissingInsert($0, of: stream) } ?? false
      }
    }
    return Set(lines.keys.map(\.stream))
  }

  /// Keeps what a transaction that closes had seen of what is given up, for later claims.
  mutating func noteLost(_ transaction: Open, on line: Lineage.LineID) {
    let own = predecessor(of: transaction, on: line)
    // The transaction itself stands for the one before it.
    // What has come by now, and is open, is claimed by nothing else, either.
    let missing = transaction.context.entries.filter { $0 != own && !isHereAndClosed($0) }
    // Who had seen the whole stream had seen what those before it had, and names it again; but for
    // a transaction of which nothing is left, which names no other stream.
    let before = lost[line]?.entries ?? []
    var all = Context(
      own == nil
        ? before : before.filter { transaction.context.entries(of: $0.stream).isEmpty })
    for entry in missing { all.insert(entry) }
    lost[line] = all.entries.isEmpty ? nil : all
  }

  /// The transaction before another, if that one's author had seen it.
  func predecessor(of transaction: Open, on id: Lineage.LineID) -> Context.Entry? {
    let line = lineage.line(id)
    return transaction.context.entries(of: id.stream).first { entry in
      guard entry.sequence + 1 == transaction.first else { return false }
      let isBase = entry.sequence == line?.base && entry.fingerprint == line?.before
      return isBase || lineage.place(of: entry) == id
    }
  }

  static func closed(
    _ tips: [Lineage.LineID: Context.Entry], _ lost: [Lineage.LineID: Context],
    _ lineage: Lineage
  ) -> Context {
    lineage.reduced(Context(Array(tips.values) + lost.values.flatMap(\.entries)))
  }
}
