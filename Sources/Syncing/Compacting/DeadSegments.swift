import DocumentStorage
import Replication
import SegmentFormat

/// Finds out what is dead of this device's segments, and when it may be dropped (protocol.md 21).
///
/// In two steps, so that nothing has to be remembered of each operation: what is dead is looked for
/// in the documents, and noted with what had been applied then. Once every live device says that it
/// has all of that, and the grace is over, it is dropped.
struct DeadSegments {
  let device: Device
  let limits: CompactionLimits

  /// The kept segments beside some of a stream from which something was dropped that those may
  /// have: they came from somebody who had not heard of it.
  func statements(besides parts: [ArchivedSegment]) throws -> [Segment] {
    guard let first = parts.first, let last = parts.last else { return [] }
    return try device.database.archivedSegments(of: first.stream)
      .filter { $0.isReduced && $0.isHeeded && !parts.contains($0) }
      .filter { $0.overlaps(first.first...last.last) }
      .compactMap { try device.database.archivedFile(of: $0) }
      .map { try SegmentFile.decode($0.file.bytes).segment }
  }

  /// Whether to look at a segment: one of many transactions, which has stayed for a while.
  func concerns(_ segment: ArchivedSegment) throws -> Bool {
    guard segment.isHeeded, let joinedAt = segment.joinedAt else { return false }
    return try isOver(joinedAt)
  }

  /// What may be dropped of a segment; nil if nothing may.
  func ripe(in segment: ArchivedSegment) throws -> DeadOperations? {
    guard limits.drops, let found = try device.database.deadOperations(of: segment),
      found.count > 0, try isRipe(found)
    else { return nil }
    return found
  }

  /// What is to be done about a segment.
  enum Need {
    /// Enough may be dropped of it that it is worth writing it anew.
    case writing
    /// It is to be looked what is dead of it by now.
    case looking
    case nothing
  }

  func need(of segment: ArchivedSegment) throws -> Need {
    if !segment.isReduced, try hasDropped(segment) { return .writing }
    guard limits.drops else { return .nothing }
    guard let found = try device.database.deadOperations(of: segment) else { return .looking }
    guard try isRipe(found) else { return .nothing }
    return isEnough(found) ? .writing : .looking
  }

  /// Whether so much is dead of a segment that it may be worth writing it anew.
  func isEnough(_ found: DeadOperations) -> Bool {
    found.count > found.unpaid && found.count * limits.deadShare >= found.total
  }

  /// - returns: whether it could be told what is dead of it.
  func lookAgain(at segment: ArchivedSegment) throws -> Bool {
    try device.database.findDead(in: segment, now: device.ambient.now()) != nil
  }

  /// Whether somebody has dropped something that a segment has.
  private func hasDropped(_ segment: ArchivedSegment) throws -> Bool {
    let statements = try statements(besides: [segment])
    guard !statements.isEmpty, let kept = try device.database.archivedFile(of: segment) else {
      return false
    }
    let content = try SegmentFile.decode(kept.file.bytes).segment
    return statements.contains { !$0.omitted(from: content).isEmpty }
  }

  private func isRipe(_ found: DeadOperations) throws -> Bool {
    guard try isOver(found.foundAt) else { return false }
    return try device.database.isClaimedByAll(
      found.covered, liveSince: device.time(of: limits.horizon, limits))
  }

  /// A time that is still to come tells of a clock that has been put right.
  func isOver(_ start: Int64) throws -> Bool {
    try min(start, device.ambient.now()) <= device.time(of: limits.grace, limits)
  }
}

extension ArchivedSegment {
  fileprivate func overlaps(_ sequences: ClosedRange<UInt64>) -> Bool {
    first <= sequences.upperBound && sequences.lowerBound <= last
  }
}

extension Segment {
  /// The operations of another segment that were dropped from this one; of a stream that does not
  /// branch.
  func omitted(from other: Segment) -> [Dot] {
    let left = Set(dots)
    let sequences = range.first...range.last
    return other.dots.filter { sequences.contains($0.sequence) && !left.contains($0) }
  }
}
