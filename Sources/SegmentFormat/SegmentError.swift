/// Why bytes are no segment that can be applied.
package enum SegmentError: Error, Equatable, Sendable {
  /// They end before the segment does: it is still being written, or was cut.
  case incomplete
  /// They contradict themselves; the text says where.
  case damaged(String)
  /// They ask for a reader of at least this version.
  case newer(minimumReader: UInt64)
  /// They belong to a stream whose own numbering does not lead up to them.
  case otherBranch
}
