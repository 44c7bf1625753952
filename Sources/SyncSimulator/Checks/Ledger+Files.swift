import Replication
import SegmentFormat

// What the files of a stream may hold.
extension Ledger {
  /// The borders of a file are fixed before it is written, and its content is, however often it
  /// is written (rule 32), until something is dropped from it; of a copied stream, each copy has
  /// its own.
  mutating func note(
    _ range: Segment.Range, digest: UInt64, isReduced: Bool
  ) throws {
    guard !copied.contains(range.stream) else { return }
    let borders = range.first...range.last
    let known = ranges[range.stream, default: [:]]
    if let other = known.keys.first(where: { $0 != borders && $0.overlaps(borders) }),
      !isJoining
        || (!shared.contains(range.stream) && !known.keys.allSatisfy { $0.isNested(with: borders) })
    {
      throw Finding("\(range.stream) is published as \(borders) and \(other)")
    }
    guard known[borders] ?? digest == digest || salvaged.contains(range.stream) || isReduced else {
      throw Finding("\(range.stream) is published as two files of \(borders)")
    }
    guard !isReduced else { return }
    ranges[range.stream, default: [:]][borders] = digest
  }

  /// Notes what a file leaves nothing of.
  mutating func noteEmptied(_ transactions: [Replication.Transaction]) {
    for transaction in transactions where transaction.reduction != nil {
      if transaction.operations.isEmpty { emptied.insert(transaction.header.tip) }
    }
  }
}
