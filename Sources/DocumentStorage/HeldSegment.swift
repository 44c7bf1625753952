import Replication
import SegmentFormat

/// A verified segment file that waits to be applied.
///
/// What it holds takes many times the memory of the file: it may be put away, and is read again
/// when its turn comes.
package struct HeldSegment: Sendable {
  package let range: Segment.Range
  package let digest: UInt64
  /// The file's content, for the archive.
  package let bytes: [UInt8]
  /// Whether the file stands under the name that its content gives it, so that the name alone will
  /// tell from now on.
  package let isUnderOwnName: Bool
  /// Where it was found, for reports.
  package let file: FileKey
  /// Nil where it was put away.
  private let segment: Segment?
  /// About how much memory it takes more once it is open and complete.
  let extraBytes: Int

  /// - parameters:
  ///   - isOpen: False to put away what can be read again.
  ///   - openBytes: About how much memory its content takes, contexts included; found out if nil.
  package init(_ importable: ImportableSegment, isOpen: Bool = true, openBytes: Int? = nil) {
    extraBytes =
      openBytes ?? importable.segment.contextEntries * ContextSize.entryBytes
      + importable.bytes.count * 8
    range = importable.segment.range
    digest = importable.digest
    bytes = importable.bytes
    isUnderOwnName = importable.isUnderOwnName
    file = importable.file
    segment = isOpen ? importable.segment : nil
  }

  /// What it holds, read again if it was put away.
  func opened() throws(SegmentError) -> OpenedSegment {
    if let segment { return OpenedSegment(of: segment) }
    return OpenedSegment(of: try SegmentFile.decode(bytes).segment)
  }

  /// How many operations it says that it has.
  var operations: Int { (try? SegmentFile.extent(of: bytes).operations) ?? 0 }
}

/// A segment with its transactions complete, as far as that takes nothing but the segment.
struct OpenedSegment: Sendable {
  let segment: Segment
  private let completed: Result<[Transaction], SegmentError>?

  init(of segment: Segment) {
    self.segment = segment
    completed =
      segment.leansOnPrevious ? nil : Result { () throws(SegmentError) in try segment.completed() }
  }

  /// The transactions that come after `position`.
  func transactions(after position: StreamPosition) throws(SegmentError) -> [Transaction] {
    guard let completed else { return try segment.transactions(after: position) }
    return try segment.selected(from: completed.get(), after: position)
  }
}
