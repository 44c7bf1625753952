import Replication

extension Segment {
  /// One segment of consecutive ones: the same transactions, with nothing dropped.
  ///
  /// - parameters:
  ///   - segments: One stream's, sorted by sequence.
  ///   - start: Where the stream stood before the first; nil if that is complete in itself: the
  ///     stream's first, or one whose first context is whole.
  /// - throws: ``SegmentError/otherBranch`` if they do not continue one another.
  package init(
    joining segments: [Segment], after start: StreamPosition? = nil
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
    var encoded: [EncodedTransaction] = []
    var attributes: [UInt64: Attribute] = [:]
    for segment in segments {
      guard segment.range.stream == first.range.stream,
        segment.range.container == first.range.container,
        segment.range.first == position.sequence + 1
      else { throw .otherBranch }
      let transactions = try segment.transactions(after: position)
      for transaction in transactions {
        let previous = encoded.isEmpty ? nil : position
        encoded.append(EncodedTransaction(transaction, after: previous))
        position = StreamPosition(after: transaction.header)
      }
      attributes.merge(segment.attributes(with: transactions)) { _, new in new }
    }
    // What every reader assumes need not be said.
    if let start = encoded.first.map({ HybridTime(rawValue: $0.time) }),
      attributes[3] == .nameTime(start)
    {
      attributes[3] = nil
    }
    self.init(
      range: Range(
        container: first.range.container, stream: first.range.stream,
        first: first.range.first, last: last.range.last,
        fingerprintBefore: first.range.fingerprintBefore),
      attributes: attributes.values.sorted { $0.number < $1.number }, transactions: encoded)
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
