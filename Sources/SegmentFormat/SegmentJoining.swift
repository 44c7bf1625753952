import Replication

extension Segment {
  /// One segment of consecutive ones: the same transactions, with nothing dropped.
  ///
  /// - parameter segments: one stream's, sorted by sequence. The first must be complete in itself:
  ///   the stream's first, or one whose first context is whole.
  /// - throws: ``SegmentError/otherBranch`` if they do not continue one another.
  package init(joining segments: [Segment]) throws(SegmentError) {
    guard let first = segments.first, let last = segments.last else { throw .incomplete }
    guard first.transactions.first?.leansOnPrevious == false else {
      throw .damaged("the first segment leans on one before it")
    }
    var position = StreamPosition(
      sequence: first.range.first - 1, fingerprint: first.range.fingerprintBefore,
      context: Context())
    var encoded: [EncodedTransaction] = []
    for segment in segments {
      guard segment.range.stream == first.range.stream,
        segment.range.container == first.range.container,
        segment.range.first == position.sequence + 1
      else { throw .otherBranch }
      for transaction in try segment.transactions(after: position) {
        let previous = encoded.isEmpty ? nil : position
        encoded.append(EncodedTransaction(transaction, after: previous))
        position = StreamPosition(after: transaction.header)
      }
    }
    self.init(
      range: Range(
        container: first.range.container, stream: first.range.stream,
        first: first.range.first, last: last.range.last,
        fingerprintBefore: first.range.fingerprintBefore),
      attributes: Self.newest(of: segments), transactions: encoded)
  }

  /// Of each kind of attribute that of the last segment which has one; in a segment the first
  /// counts.
  private static func newest(of segments: [Segment]) -> [Attribute] {
    var newest: [UInt64: Attribute] = [:]
    for segment in segments {
      for attribute in segment.attributes.reversed() { newest[attribute.number] = attribute }
    }
    return newest.values.sorted { $0.number < $1.number }
  }
}
