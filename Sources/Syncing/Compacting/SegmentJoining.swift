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

  /// What comes of a run.
  enum Outcome {
    /// Its segments as one, less so many operations.
    case joined(JoinedSegment, dropped: Int)
    /// Without what is dead of it, so many operations, its one segment would become hardly smaller.
    case hardlySmaller(dead: Int)
    /// Nothing: another process has joined them meanwhile, or what was dropped cannot be stated for
    /// now.
    case nothing
  }

  /// Joins the segments of a run.
  ///
  /// - throws: ``StorageError/failed(_:detail:)`` if what comes of it is not what every reader
  ///   would take for the same.
  func outcome(of run: JoinPlan.Run) throws -> Outcome {
    guard let content = try content(of: run) else { return .nothing }
    if !content.dead.isEmpty {
      let dropped = content.omitted.union(content.dead)
      if let smaller = try joined(run, content, dropping: dropped) {
        let reduced = Outcome.joined(smaller, dropped: dropped.count)
        guard let share = dead.limits.savedShare else { return reduced }
        let size = smaller.file.bytes.count
        if run.parts.count == 1, content.omitted.isEmpty {
          return size * share <= run.parts[0].size * (share - 1)
            ? reduced : .hardlySmaller(dead: dropped.count)
        }
        // One of the two is written.
        let larger = try joined(run, content, dropping: content.omitted)
        guard let larger, larger.file.bytes.count <= size else { return reduced }
        return .joined(larger, dropped: content.omitted.count)
      }
    }
    return try joined(run, content, dropping: content.omitted)
      .map { .joined($0, dropped: content.omitted.count) } ?? .nothing
  }

  /// What a run holds, and may lack then.
  private struct Content {
    var segments: [Segment] = []
    /// What others have dropped of it.
    var omitted: Set<Dot> = []
    /// What this device may drop of it, and the greatest stamp of what that was covered by.
    var dead: Set<Dot> = []
    var clock = HybridTime.zero
    /// What was said before about what was dropped.
    var historyStart = HybridTime.zero
  }

  /// - returns: nil if another process has joined the parts meanwhile.
  private func content(of run: JoinPlan.Run) throws -> Content? {
    var content = Content()
    let statements = try dead.statements(besides: run.parts)
    for part in run.parts {
      guard let kept = try device.database.archivedFile(of: part) else { return nil }
      let segment = try SegmentFile.decode(kept.file.bytes).segment
      content.segments.append(segment)
      if let found = try dead.ripe(in: part) {
        content.dead.formUnion(try device.database.confirmed(found, in: segment))
        content.clock = max(content.clock, found.clock)
      }
      for statement in statements { content.omitted.formUnion(statement.omitted(from: segment)) }
    }
    content.historyStart =
      DropStatement(of: content.segments + statements)?.historyStart ?? .zero
    return content
  }

  /// - returns: nil where what was dropped cannot be stated for now.
  private func joined(
    _ run: JoinPlan.Run, _ content: Content, dropping dropped: Set<Dot>
  ) throws -> JoinedSegment? {
    guard let first = content.segments.first, let end = run.parts.last?.fingerprint else {
      return nil
    }
    guard run.parts.contains(where: \.isReduced) || !dropped.isEmpty else {
      return try joined(run, content.segments, first: first, end: end)
    }
    let isDead = dropped.count > content.omitted.count
    let historyStart = max(content.historyStart, isDead ? content.clock : .zero)
    guard let statement = try device.database.statement(historyStart: historyStart) else {
      return nil
    }
    return try joined(
      run, content.segments, first: first, end: end, dropping: dropped, as: statement)
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
