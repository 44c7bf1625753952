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
    guard let nonce = encoded.nonce ?? nonce else {
      throw .damaged("the nonce before the first transaction is not known")
    }
    let (raw, overflow) = encoded.time.addingReportingOverflow(
      encoded.isRelative ? self.time.rawValue : 0)
    let time = HybridTime(rawValue: raw)
    guard !overflow, time <= .latest else { throw .damaged("a time is not possible") }
    var claimed = encoded.isRelative ? context : Context()
    claimed.replace(with: Context(encoded.changes))
    let leftOut = encoded.reduced?.leftOut ?? []
    let before = sequence + UInt64(leftOut.count)
    guard claimed.sequence(of: stream) <= (encoded.hasSeenOwn ? 0 : before) else {
      throw .damaged("a context claims its own transaction, or one after it")
    }
    func header(
      _ sequence: UInt64, _ fingerprint: Fingerprint, _ context: Context
    ) -> Transaction.Header {
      Transaction.Header(
        stream: stream, sequence: sequence, time: time, context: context, nonce: nonce,
        fingerprint: fingerprint)
    }
    var previous = Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint)
    var transactions: [Transaction] = []
    for fingerprint in leftOut {
      // Of others it claims nothing: what it had seen decides about no operation any more; and with
      // what the next one had seen, two streams could wait for one another for ever.
      let header = header(previous.sequence + 1, fingerprint, Context().advanced(previous))
      transactions.append(Transaction(header: header, operations: [], reduction: .leftOut))
      previous = header.tip
    }
    let context = encoded.hasSeenOwn ? claimed.advanced(previous) : claimed
    guard let reduced = encoded.reduced else {
      let form = CanonicalTransaction.bytes(
        sequence: before + 1, time: time, context: context, operations: encoded.operations)
      let end = Fingerprint(after: fingerprint, nonce: nonce, canonicalForm: form)
      return [
        Transaction(header: header(before + 1, end, context), operations: encoded.operations)
      ]
    }
    transactions.append(
      Transaction(
        header: header(before + 1, reduced.fingerprint, context),
        operations: encoded.operations, reduction: .partial(reduced.partial)))
    return transactions
  }

  /// The position after `header`.
  package init(after header: Transaction.Header) {
    self.init(
      sequence: header.sequence, fingerprint: header.fingerprint,
      context: header.context.without(header.stream), time: header.time,
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
    var current = position
    if isAtStart {
      guard position.fingerprint == range.fingerprintBefore else { throw .otherBranch }
    } else {
      // Applied in part: what is known must be the same; its contexts matter no more.
      current = StreamPosition(
        sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    }
    var result: [Transaction] = []
    result.reserveCapacity(Int(range.last - position.sequence))
    var entries = 0
    for encoded in transactions {
      for transaction in try current.next(encoded, of: range.stream) {
        current = StreamPosition(after: transaction.header)
        // Each transaction has a copy of its own: before they fill the memory, not afterwards.
        entries += transaction.header.context.entries.count
        guard entries <= mostEntries else {
          throw .damaged("its contexts name more together than they can")
        }
        if transaction.header.sequence == position.sequence {
          guard transaction.header.fingerprint == position.fingerprint else { throw .otherBranch }
        }
        if transaction.header.sequence > position.sequence { result.append(transaction) }
      }
    }
    return result
  }
}
