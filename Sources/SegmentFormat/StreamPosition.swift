import Replication

/// Where a stream stands: all that the next transaction's context and fingerprint build on.
package struct StreamPosition: Hashable, Sendable {
  package let sequence: UInt64
  package let fingerprint: Fingerprint
  /// The context of the last transaction, without its own stream.
  package let context: Context
  /// The time of the last transaction; zero where it is not known.
  package let time: HybridTime
  /// The nonce of the last transaction; nil before the first, or where it is not known.
  package let nonce: UInt64?

  package init(
    sequence: UInt64, fingerprint: Fingerprint, context: Context, time: HybridTime = .zero,
    nonce: UInt64? = nil
  ) {
    self.sequence = sequence
    self.fingerprint = fingerprint
    self.context = context
    self.time = time
    self.nonce = nonce
  }

  package static let start = StreamPosition(
    sequence: 0, fingerprint: .origin, context: Context())
}

extension StreamPosition {
  /// Reads the next transactions of the stream, those left out and the one that stands for them:
  /// completes its context, and computes its fingerprint if it is whole.
  ///
  /// - throws: ``SegmentError/damaged(_:)`` if it leans on a nonce that is not known here, or
  ///   its time is beyond the year 9999.
  package func next(
    _ encoded: EncodedTransaction, of stream: StreamID
  ) throws(SegmentError) -> [Transaction] {
    var position = self
    var (transactions, form): ([Transaction], [UInt8]) = ([], [])
    try position.read(encoded, of: stream, into: &transactions, form: &form)
    return transactions
  }

  /// The same, and goes on to behind them.
  ///
  /// - parameter form: Where the canonical form is made, piece by piece.
  mutating func read(
    _ encoded: EncodedTransaction, of stream: StreamID, into transactions: inout [Transaction],
    form: inout [UInt8]
  ) throws(SegmentError) {
    guard let nonce = encoded.nonce ?? nonce else {
      throw .damaged("the nonce before the first transaction is not known")
    }
    let (raw, overflow) = encoded.time.addingReportingOverflow(
      encoded.isRelative ? self.time.rawValue : 0)
    let time = HybridTime(rawValue: raw)
    guard !overflow, time <= .latest else { throw .damaged("a time is not possible") }
    var claimed = encoded.isRelative ? context : Context()
    if !encoded.changes.isEmpty { claimed.replace(with: Context(encoded.changes)) }
    // Each adds as many as it names; nobody writes one that has as many as that.
    guard claimed.entries.count <= SegmentFile.maximumContextEntries else {
      throw .damaged("a context names more than it can")
    }
    let leftOut = encoded.reduced?.leftOut ?? []
    let before = sequence + UInt64(leftOut.count)
    guard claimed.sequence(of: stream) <= (encoded.hasSeenOwn ? 0 : before) else {
      throw .damaged("a context claims its own transaction, or one after it")
    }
    var previous = Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint)
    for fingerprint in leftOut {
      // Of others it claims nothing: what it had seen decides about no operation any more; and with
      // what the next one had seen, two streams could wait for one another for ever.
      let header = Transaction.Header(
        stream: stream, sequence: previous.sequence + 1, time: time,
        context: Context().advanced(previous), nonce: nonce, fingerprint: fingerprint)
      transactions.append(Transaction(header: header, operations: [], reduction: .leftOut))
      previous = header.tip
    }
    let context = encoded.hasSeenOwn ? claimed.advanced(previous) : claimed
    let end: Fingerprint
    if let reduced = encoded.reduced {
      end = reduced.fingerprint
    } else {
      end = CanonicalTransaction.fingerprint(
        after: fingerprint, nonce: nonce, before + 1, time, context, encoded.operations,
        piece: &form)
    }
    transactions.append(
      Transaction(
        header: Transaction.Header(
          stream: stream, sequence: before + 1, time: time, context: context, nonce: nonce,
          fingerprint: end),
        operations: encoded.operations, reduction: encoded.reduced.map { .partial($0.partial) }))
    self = StreamPosition(
      sequence: before + 1, fingerprint: end,
      context: encoded.hasSeenOwn ? claimed : context.without(stream), time: time, nonce: nonce)
  }

  /// The position after `header`.
  ///
  /// - parameter previous: The one before it: one after another had mostly seen the same of others.
  package init(after header: Transaction.Header, behind previous: StreamPosition = .start) {
    self.init(
      sequence: header.sequence, fingerprint: header.fingerprint,
      context: header.context.without(header.stream, like: previous.context), time: header.time,
      nonce: header.nonce)
  }
}

extension Context {
  fileprivate func advanced(_ entry: Entry) -> Context {
    var context = self
    context.advance(entry)
    return context
  }
}

extension Segment {
  /// The transactions that come after `position`, complete.
  ///
  /// - parameter position: where the stream has been applied up to: from just before this
  ///   segment, anywhere into it.
  /// - parameter mostEntries: how many entries their contexts may have together.
  /// - throws: ``SegmentError/otherBranch`` if the segment does not continue that stream;
  ///   ``SegmentError/damaged(_:)`` if its contexts have more entries than that, or one of its
  ///   transactions is impossible.
  package func transactions(
    after position: StreamPosition, mostEntries: Int = SegmentFile.maximumContextTotal
  ) throws(SegmentError) -> [Transaction] {
    guard position.sequence + 1 >= range.first, position.sequence < range.last else { return [] }
    let isAtStart = position.sequence + 1 == range.first
    guard !isAtStart || position.fingerprint == range.fingerprintBefore else {
      throw .otherBranch
    }
    // Applied in part: what is known must be the same; its contexts matter no more.
    let all = try completed(after: isAtStart ? position : nil, mostEntries: mostEntries)
    return try Array(all[range.known(upTo: position) { all[$0].header.fingerprint }...])
  }

  /// All of its transactions, complete.
  ///
  /// - parameter position: where the stream stood before it; nil where that does not matter: it
  ///   leans on nothing, or its contexts are not looked at.
  /// - throws: ``SegmentError/damaged(_:)`` if its contexts have more entries than `mostEntries`,
  ///   or one of its transactions is impossible.
  package func completed(
    after position: StreamPosition? = nil, mostEntries: Int = SegmentFile.maximumContextTotal
  ) throws(SegmentError) -> [Transaction] {
    var current =
      position
      ?? StreamPosition(
        sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    var result: [Transaction] = []
    result.reserveCapacity(Int(range.last - range.first) + 1)
    var entries = 0
    var form: [UInt8] = []
    for index in transactions.indices {
      let first = result.count
      try current.read(transactions[index], of: range.stream, into: &result, form: &form)
      // Each transaction has a copy of its own: before they fill the memory, not afterwards.
      for index in first..<result.count { entries += result[index].header.context.entries.count }
      guard entries <= mostEntries else {
        throw .damaged("its contexts name more together than they can")
      }
    }
    return result
  }
}

extension Segment.Range {
  /// How many of its transactions a stream has that stands at `position`: all of them also where
  /// that has nothing to do with it.
  ///
  /// - parameter fingerprint: those of its transactions, in their order.
  /// - throws: ``SegmentError/otherBranch`` if they do not continue that stream.
  package func known(
    upTo position: StreamPosition, fingerprint: (Int) -> Fingerprint
  ) throws(SegmentError) -> Int {
    let count = Int(last - first) + 1
    guard position.sequence + 1 >= first, position.sequence < last else { return count }
    let known = Int(position.sequence + 1 - first)
    let before = known > 0 ? fingerprint(known - 1) : fingerprintBefore
    guard before == position.fingerprint else { throw .otherBranch }
    return known
  }
}
