import DocumentStorage
import Replication
import SegmentFormat

/// Makes one segment of several, less what is dead of them.
struct SegmentJoining {
  private let device: Device
  private let dead: DeadSegments

  init(device: Device, limits: CompactionLimits) {
    self.device = device
    dead = DeadSegments(device: device, limits: limits)
  }

  /// The segments of a run as one, and how many operations are left out; nil if another process has
  /// joined them meanwhile.
  ///
  /// - throws: ``StorageError/failed(_:detail:)`` if what comes of it is not what every reader
  ///   would take for the same.
  func joined(_ run: JoinPlan.Run) throws -> (JoinedSegment, dropped: Int)? {
    var segments: [Segment] = []
    var dropped: Set<Dot> = []
    var historyStart = HybridTime.zero
    let statements = try dead.statements(besides: run.parts)
    for part in run.parts {
      guard let kept = try device.database.archivedFile(of: part) else { return nil }
      let segment = try SegmentFile.decode(kept.file.bytes).segment
      segments.append(segment)
      if let found = try dead.ripe(in: part) {
        dropped.formUnion(try device.database.confirmed(found, in: segment))
        historyStart = max(historyStart, found.clock)
      }
      for statement in statements { dropped.formUnion(statement.omitted(from: segment)) }
    }
    guard let first = segments.first, let end = run.parts.last?.fingerprint else { return nil }
    let isReduced = run.parts.contains { $0.isReduced } || !dropped.isEmpty
    let known = DropStatement(of: segments + statements)?.historyStart ?? .zero
    let statement =
      isReduced
      ? try device.database.statement(historyStart: max(historyStart, known)) : nil
    guard let statement else {
      // What was dropped before cannot be stated anew for now.
      guard !isReduced else { return nil }
      return try joined(run, segments, first: first, end: end).map { ($0, dropped: 0) }
    }
    return try joined(run, segments, first: first, end: end, dropping: dropped, as: statement)
      .map { ($0, dropped: dropped.count) }
  }

  private func joined(
    _ run: JoinPlan.Run, _ segments: [Segment], first: Segment, end: Fingerprint,
    dropping dropped: Set<Dot> = [], as statement: DropStatement? = nil
  ) throws -> JoinedSegment? {
    let leans = first.transactions.first?.leansOnPrevious ?? false
    let start = leans ? try device.database.position(before: first.range) : nil
    guard !leans || start != nil else { return nil }
    let whole = try Segment(
      joining: segments, after: start,
      dropping: statement == nil ? nil : { dropped.contains($0) }, as: statement)
    let file = SegmentFile.encode(whole)
    // The parts are let go once it is kept: it has to be what every reader takes for the same.
    let position = StreamPosition(
      sequence: whole.range.first - 1, fingerprint: whole.range.fingerprintBefore,
      context: Context())
    let again = try SegmentFile.decode(file.bytes).segment
    guard again.range == whole.range,
      try again.transactions(after: position).last?.header.fingerprint == end
    else {
      throw StorageError.failed(
        device.database.file, detail: "segments of \(whole.range.stream) cannot be joined")
    }
    return JoinedSegment(
      range: whole.range, file: file, fingerprint: end, level: run.level,
      statement: whole.isReduced ? statement : nil)
  }
}
