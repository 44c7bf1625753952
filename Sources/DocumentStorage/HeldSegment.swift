import Replication
import SegmentFormat

/// A segment file that waits to be applied, as it was read.
///
/// What it holds takes many times the memory of the file: it is unpacked when its turn comes, and
/// whether it is well formed is seen then.
package struct HeldSegment: Sendable {
  package let range: Segment.Range
  /// How much it unpacks to, by what it says.
  package let extent: SegmentFile.Extent
  /// The file's content, for the archive.
  package let bytes: [UInt8]
  /// Where it was found, for reports.
  package let file: FileKey
  /// The digest in the file's name, if the rest of that is what its content gives it.
  package let namedDigest: UInt64?

  /// Reads what a file says of itself, and verifies its checksum.
  ///
  /// - parameter namedDigest: given the range, the digest in the file's name, if that is the name
  ///   of such a segment.
  package init(
    _ bytes: [UInt8], file: FileKey, namedDigest: (Segment.Range) -> UInt64?
  ) throws(SegmentError) {
    (range, extent) = try SegmentFile.outline(of: bytes)
    self.bytes = bytes
    self.file = file
    self.namedDigest = namedDigest(range)
  }

  init(_ importable: ImportableSegment) throws(SegmentError) {
    try self.init(importable.bytes, file: importable.file) { _ in
      importable.isUnderOwnName ? importable.digest : nil
    }
  }

  /// About how much memory it takes more while it is opened, and at most what it takes then.
  ///
  /// Contexts are not reckoned with: what they come to is known then only.
  package var openBytes: Int { SegmentWeight(of: range, extent, fileBytes: 0).bytes }

  /// Checks all of it.
  package func verify() throws(SegmentError) { _ = try SegmentFile.decode(bytes) }

  /// What it holds.
  ///
  /// - parameters:
  ///   - position: Where its stream is likely to stand when it is applied; nil if nobody knows.
  ///   - mostContextBytes: Its transactions are completed if their contexts take no more.
  func opened(
    behind position: StreamPosition? = nil, mostContextBytes: Int
  ) throws(SegmentError) -> OpenedSegment {
    let (segment, digest) = try SegmentFile.decode(bytes)
    return OpenedSegment(
      held: self, segment: segment, digest: digest, isUnderOwnName: digest == namedDigest,
      behind: position, mostContextBytes: mostContextBytes)
  }
}

/// A segment with its transactions prepared, as far as that takes nothing but the segment.
struct OpenedSegment: Sendable {
  let held: HeldSegment
  let digest: UInt64
  /// Whether the file stands under the name that its content gives it, so that the name alone will
  /// tell from now on.
  let isUnderOwnName: Bool
  /// What it says of itself: without its transactions, but for how the first begins.
  let frame: Segment
  let isReduced: Bool
  /// How much memory its contexts take, if they are complete.
  let contextBytes: Int
  /// Where its stream stands behind it, as far as that is known before it is applied.
  let end: StreamPosition?
  private let content: Content

  private enum Content {
    /// Completed behind a position, if it leans on one.
    case prepared(Result<PreparedTransactions, SegmentError>, behind: StreamPosition?)
    /// Completed when it is asked for.
    case encoded(Segment)
  }

  fileprivate init(
    held: HeldSegment, segment: Segment, digest: UInt64, isUnderOwnName: Bool,
    behind position: StreamPosition?, mostContextBytes: Int
  ) {
    (self.held, self.digest, self.isUnderOwnName) = (held, digest, isUnderOwnName)
    frame = segment.frame
    isReduced = segment.isReduced
    let leaning = segment.leansOnPrevious ? position.flatMap { held.range.follows($0) } : nil
    let bytes =
      segment.contextEntries(after: leaning?.context ?? Context()) * ContextSize.entryBytes
    let isCompleted =
      (leaning != nil || !segment.leansOnPrevious) && bytes <= mostContextBytes
    contextBytes = isCompleted ? bytes : 0
    guard isCompleted else {
      (content, end) = (.encoded(segment), nil)
      return
    }
    let transactions = Result { () throws(SegmentError) in try segment.completed(after: leaning) }
    end = (try? transactions.get())?.last.map { StreamPosition(after: $0.header) }
    content = .prepared(transactions.map { PreparedTransactions($0) }, behind: leaning)
  }

  /// The transactions, and which of them come after `position`.
  func transactions(
    after position: StreamPosition
  ) throws(SegmentError) -> (prepared: PreparedTransactions, new: Range<Int>) {
    switch content {
    case .prepared(let result, behind: nil):
      let prepared = try result.get()
      let known = try frame.range.known(upTo: position) { prepared.tips[$0].fingerprint }
      return (prepared, known..<prepared.pieces.count)
    case .prepared(let result, behind: let assumed) where assumed == position:
      let prepared = try result.get()
      return (prepared, 0..<prepared.pieces.count)
    case .prepared:
      // It does not stand where it was likely to.
      return try Self.transactions(of: SegmentFile.decode(held.bytes).segment, after: position)
    case .encoded(let segment): return try Self.transactions(of: segment, after: position)
    }
  }

  private static func transactions(
    of segment: Segment, after position: StreamPosition
  ) throws(SegmentError) -> (prepared: PreparedTransactions, new: Range<Int>) {
    let prepared = PreparedTransactions(try segment.transactions(after: position))
    return (prepared, 0..<prepared.pieces.count)
  }
}

extension Segment.Range {
  /// A position, if the range begins right behind it.
  fileprivate func follows(_ position: StreamPosition) -> StreamPosition? {
    position.sequence + 1 == first && position.fingerprint == fingerprintBefore
      && position.isComplete ? position : nil
  }
}

/// What a segment takes while it waits, and when its turn comes.
package struct SegmentWeight: Equatable, Sendable {
  /// About what an operation takes besides its payload, with its part of what its segment has of
  /// documents.
  package static let operationBytes = 64
  /// And a transaction besides its operations.
  package static let transactionBytes = 192
  /// And a file besides its content: its name, and what is noted of it.
  package static let fileOverhead = 512

  package var operations: Int
  package var transactions: Int
  /// What it takes once it is open, the file included.
  package var bytes: Int
  /// What the file alone takes until then.
  package var fileBytes: Int

  package init(operations: Int, transactions: Int = 1, bytes: Int, fileBytes: Int? = nil) {
    self.operations = operations
    self.transactions = transactions
    self.bytes = bytes
    self.fileBytes = fileBytes ?? bytes
  }

  package init(of held: HeldSegment) {
    self.init(
      of: held.range, held.extent, fileBytes: held.bytes.count + Self.fileOverhead)
  }

  fileprivate init(of range: Segment.Range, _ extent: SegmentFile.Extent, fileBytes: Int) {
    // More transactions than bytes are damage, whatever the header says.
    transactions = Int(min(range.last - range.first, UInt64(extent.bodyBytes))) + 1
    operations = extent.operations
    bytes =
      fileBytes + extent.bodyBytes + transactions * Self.transactionBytes
      + operations * Self.operationBytes
    self.fileBytes = fileBytes
  }
}
