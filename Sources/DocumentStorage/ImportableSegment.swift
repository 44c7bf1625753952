import SegmentFormat

/// A verified segment file, ready to be applied.
package struct ImportableSegment: Sendable {
  package let segment: Segment
  package let digest: UInt64
  /// The file's content, for the archive.
  package let bytes: [UInt8]
  /// Whether the file stands under the name that its content gives it, so that the name alone will
  /// tell from now on.
  package let isUnderOwnName: Bool
  /// Where it was found, for reports.
  package let file: FileKey

  package init(
    segment: Segment, digest: UInt64, bytes: [UInt8], isUnderOwnName: Bool, file: FileKey
  ) {
    self.segment = segment
    self.digest = digest
    self.bytes = bytes
    self.isUnderOwnName = isUnderOwnName
    self.file = file
  }
}
