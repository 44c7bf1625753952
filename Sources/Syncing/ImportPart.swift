import DocumentStorage
import Replication
import SegmentFormat

/// Segments that are read and not committed yet: as many as fit into memory together.
///
/// Only their files are held: what these unpack to takes many times as much, and is there for one
/// after another when the part is applied.
package struct ImportPart {
  package typealias File = (segment: QueuedSegment, look: FileRecord.Look)

  /// How much a part may hold.
  package struct Limits: Sendable {
    package let operations: Int
    package let transactions: Int
    package let bytes: Int
    /// How much memory folding the operations may take.
    package let foldBytes: Int
    /// How much is taken out at once of what others have dropped.
    package let heeding: HeedingPace

    /// - precondition: all are greater than zero.
    package init(
      operations: Int, transactions: Int = transactionLimit, bytes: Int, foldBytes: Int,
      heeding: HeedingPace = .standard
    ) {
      self.operations = operations
      self.transactions = transactions
      self.bytes = bytes
      self.foldBytes = foldBytes
      self.heeding = heeding
    }

    package static let standard = Limits(
      operations: operationLimit, bytes: byteLimit, foldBytes: foldLimit)
  }

  /// So many that a document is seldom written twice, and others do not wait long for the database.
  package static let operationLimit = 450_000
  /// Of compacted ones most have few operations, or none, and each has a context.
  package static let transactionLimit = 80_000
  /// Where there are more of them than operations, of most nothing is left but a fingerprint: so
  /// many of these count as one.
  static let leftOutPerTransaction = 8
  package static let byteLimit = 16 << 20
  package static let foldLimit = 48 << 20

  private let limits: Limits
  package private(set) var files: [File] = []
  package private(set) var operations = 0
  /// Those that may have operations, and those that are more than the operations.
  private var (transactions, leftOut) = (0, 0)
  /// How much its files take.
  private var bytes = 0
  /// What the largest takes once it is open.
  private var largest = 0
  private var reached: [StreamID: UInt64] = [:]

  package init(limits: Limits = .standard) { self.limits = limits }

  package var isEmpty: Bool { files.isEmpty }
  package var isFull: Bool {
    operations >= limits.operations || bytes >= limits.bytes
      || transactions + leftOut / Self.leftOutPerTransaction >= limits.transactions
  }

  /// How much memory folding its operations may take.
  ///
  /// Enough for all of them at once, so that each document is written once; less where a segment
  /// that is too large for any part has taken that memory already.
  package var foldBytes: Int {
    largest > limits.bytes * 3 / 2 ? limits.foldBytes / 6 : limits.foldBytes
  }

  /// Whether one more segment would make it too large; a segment too large for any part begins
  /// one.
  package func hasRoom(for weight: SegmentWeight) -> Bool {
    isEmpty || weight.bytes <= limits.bytes && bytes + weight.fileBytes <= limits.bytes
  }

  /// How far a stream will be applied; nil if nothing of it is in this part.
  package func reached(_ stream: StreamID) -> UInt64? { reached[stream] }

  package mutating func append(
    _ segment: QueuedSegment, look: FileRecord.Look, weight: SegmentWeight
  ) {
    let range = segment.held.range
    files.append((segment, look))
    reached[range.stream] = max(reached[range.stream] ?? 0, range.last)
    operations += weight.operations
    let kept = min(weight.transactions, weight.operations)
    transactions += kept
    leftOut += weight.transactions - kept
    bytes += weight.fileBytes
    largest = max(largest, weight.bytes)
  }
}
