import Replication

extension Segment {
  /// One segment of consecutive ones: the same transactions, less what is dropped.
  ///
  /// - parameters:
  ///   - segments: One stream's, sorted by sequence.
  ///   - start: Where the stream stood before the first; nil if that is complete in itself: the
  ///     stream's first, or one whose first context is whole.
  ///   - isDropped: Tells of an operation whether it is left out; so is a transaction of which
  ///     nothing is left then. Nil to leave out nothing.
  ///   - statement: What the segment says of what is dropped from it, now or before; nil for what
  ///     the segments say together, if nothing is dropped now.
  /// - throws: ``SegmentError/otherBranch`` if they do not continue one another;
  ///   ``SegmentError/damaged(_:)`` if something is dropped and there is no statement.
  package init(
    joining segments: [Segment], after start: StreamPosition? = nil,
    dropping isDropped: ((Dot) -> Bool)? = nil, as statement: DropStatement? = nil
  ) throws(SegmentError) {
    guard let first = segments.first, let last = segments.last else { throw .incomplete }
    guard start != nil || first.transactions.first?.leansOnPrevious == false else {
      throw .damaged("the first segment leans on one before it")
    }
    var position =
      start
      ?? StreamPosition(
        sequence: first.range.first - 1, fingerprint: first.range.fingerprintBefore,
        context: Context())
    var writing = TransactionEncoding(isReducing: isDropped != nil)
    var attributes: [UInt64: Attribute] = [:]
    for segment in segments {
      guard segment.range.stream == first.range.stream,
        segment.range.container == first.range.container,
        segment.range.first == position.sequence + 1
      else { throw .otherBranch }
      let transactions = try segment.transactions(after: position)
      for transaction in transactions {
        writing.append(isDropped.map { transaction.dropping($0) } ?? transaction)
        position = StreamPosition(after: transaction.header)
      }
      attributes.merge(segment.attributes(with: transactions)) { _, new in new }
    }
    writing.finish()
    attributes[DropStatement.attribute] = nil
    if writing.encoded.contains(where: { $0.reduced != nil }) {
      guard let statement = statement ?? DropStatement(of: segments) else {
        throw .damaged("it does not say what its writer had applied")
      }
      guard statement.applied.entries.count <= SegmentFile.writtenContextEntries else {
        throw .damaged("a statement would name more than older readers take")
      }
      attributes[DropStatement.attribute] = statement.stored
    }
    // What every reader assumes need not be said.
    if let start = writing.encoded.first.map({ HybridTime(rawValue: $0.time) }),
      writing.encoded.first?.reduced == nil, attributes[3] == .nameTime(start)
    {
      attributes[3] = nil
    }
    self.init(
      range: Range(
        container: first.range.container, stream: first.range.stream,
        first: first.range.first, last: last.range.last,
        fingerprintBefore: first.range.fingerprintBefore),
      attributes: attributes.values.sorted { $0.number < $1.number },
      transactions: writing.encoded)
  }

  /// Its attributes, of each kind the one that counts; with the time of its name, since readers
  /// compare that with when they heard another.
  private func attributes(with transactions: [Transaction]) -> [UInt64: Attribute] {
    var result: [UInt64: Attribute] = [:]
    for attribute in attributes.reversed() { result[attribute.number] = attribute }
    if deviceName != nil, nameTime == nil, let time = transactions.first?.header.time {
      result[3] = .nameTime(time)
    }
    return result
  }
}

/// Writes transactions one after another, so that of each only what differs from the one before it
/// is written, and nothing of those of which nothing is left.
private struct TransactionEncoding {
  /// Whether also those are left out that never had an operation.
  let isReducing: Bool
  private(set) var encoded: [EncodedTransaction] = []
  /// Where the stream stood after what was written last.
  private var position: StreamPosition?
  /// The last one, if nothing is left of it, and the fingerprints of those before.
  private var held: Transaction?
  private var leftOut: [Fingerprint] = []

  init(isReducing: Bool) { self.isReducing = isReducing }

  mutating func append(_ transaction: Transaction) {
    if let held { leftOut.append(held.header.fingerprint) }
    let isEmpty = transaction.operations.isEmpty && (isReducing || transaction.reduction != nil)
    held = isEmpty && !isNeeded(transaction) ? transaction : nil
    if held == nil { write(transaction) }
  }

  /// Whether it is the first, which may come to stand behind a hole that is given up: what it had
  /// seen is all that tells there what those that are missing had.
  private func isNeeded(_ transaction: Transaction) -> Bool {
    encoded.isEmpty && leftOut.isEmpty && held == nil && transaction.header.sequence > 1
      && transaction.reduction != .leftOut
  }

  /// A segment ends with an entry: what follows builds on it.
  mutating func finish() {
    if let held { write(held) }
    held = nil
  }

  private mutating func write(_ transaction: Transaction) {
    encoded.append(EncodedTransaction(transaction, after: position, leftOut: leftOut))
    leftOut = []
    position = StreamPosition(after: transaction.header)
  }
}

extension Transaction {
  /// What is left of it without some operations.
  fileprivate func dropping(_ isDropped: (Dot) -> Bool) -> Transaction {
    let left = operations.indices.filter { !isDropped(stamp($0).dot) }
    guard left.count < operations.count else { return self }
    var count = operations.count
    if case .partial(let partial) = reduction { count = partial.count }
    return Transaction(
      header: header, operations: operations.keeping(left),
      reduction: .partial(Reduction.Partial(count: count, places: left.map { place($0) })))
  }
}
