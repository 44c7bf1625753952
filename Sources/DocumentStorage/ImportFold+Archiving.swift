import Replication
import SegmentFormat

// What is kept of the files that are taken in.
extension ImportFold {
  /// Keeps a file's content in the place of the smaller ones that it holds; whoever joined those
  /// will take them out of the folder.
  ///
  /// - parameters:
  ///   - name: What it tells of its device.
  ///   - isNew: Whether it is kept also if it holds none.
  /// - returns: whether it is kept.
  @discardableResult
  mutating func archive(
    _ opened: OpenedSegment, _ pieces: ArraySlice<PreparedTransactions.Piece>,
    telling name: LearntName?, isNew: Bool
  ) throws -> Bool {
    let (bytes, digest, range) = (opened.held.bytes, opened.digest, opened.held.range)
    guard let end = pieces.last?.header.fingerprint else { return false }
    let number = try streams.number(of: range.stream, db)
    if opened.isReduced, let statement = opened.frame.statement {
      // What else holds its transactions stays until it is heeded.
      try SegmentArchive.store(
        bytes, of: range, digest: digest, fingerprint: end, stream: number, db)
      try StatementTable.note(statement, of: range, digest: digest, &streams, db)
      return true
    }
    guard isNew || range.first < range.last else { return false }
    let isBranching = streams.frontier.lineage.streams[range.stream]?.isBranching ?? false
    var parts = try SegmentArchive.parts(
      of: range, tips: isBranching ? pieces.map(\.header.fingerprint) : nil, stream: number, db)
    if !parts.isEmpty, let known = streams.row(of: range.stream)?.learntName, known != name,
      pieces.contains(where: { $0.header.time == known.time })
    {
      parts = try SegmentArchive.parts(parts, notTelling: known, db)
    }
    guard isNew || !parts.isEmpty else { return false }
    try SegmentArchive.store(
      bytes, of: range, digest: digest, fingerprint: end, stream: number, db)
    guard !parts.isEmpty else { return true }
    try SegmentArchive.remove(parts, stream: number, db)
    try SegmentArchive.noteJoined(
      range, digest: digest, level: 0, now: now, stream: number, db)
    return true
  }

  /// Keeps apart what came after a statement that has less of its transactions: a branch may lean
  /// on one of which that has no more than the name.
  func keepSpent(_ opened: OpenedSegment, fingerprint: Fingerprint) throws {
    let range = opened.held.range
    guard !opened.isReduced, let row = streams.row(of: range.stream),
      try StatementTable.tells(ofAny: range.first...range.last, stream: row.number, db)
    else { return }
    try SpentSegments.keep(
      opened.held.bytes, of: range, digest: opened.digest, fingerprint: fingerprint,
      stream: row.number, now: now, db)
  }

  /// Keeps what leans on a transaction that others may not be able to tell of any more, and has it
  /// put into the folder so that they need not.
  mutating func archiveWhole(
    _ opened: OpenedSegment, after start: StreamPosition
  ) throws {
    let leaning = try SegmentFile.decode(opened.held.bytes).segment
    guard let whole = try WholeSegment(leaning, after: start) else { return }
    let number = try streams.number(of: leaning.range.stream, db)
    try whole.store(stream: number, db)
    try whole.noteCompleted(now: now, stream: number, db)
  }
}
