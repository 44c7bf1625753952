import DocumentStorage

extension CompactionSurvey {
  /// What is dead of this device's files: written over, or deleted, so that nobody needs it any
  /// more; and what keeps it.
  package struct Dead: Sendable, Equatable {
    /// How many operations are dead, of how many that were looked at.
    package var operations = 0
    package var total = 0
    /// About how many bytes those that are dead take in the folder.
    package var bytes: Int64 = 0
    /// How many of them the next compaction drops.
    package var due = 0
    /// How many each reason keeps; one that several keep is counted with each.
    package var kept: [Keeper: Int] = [:]
    /// When the last grace is over, in milliseconds since 1970; nil if none keeps anything.
    package var graceUntil: Int64?
    /// Files of which it cannot be told now: something that is here has not wholly arrived, or was
    /// given up.
    package var undecided = 0
    /// The streams of which nothing is looked at, since nothing of them may be dropped, by why.
    package var held: [Hold: Int] = [:]
  }

  /// What keeps a whole stream as it is.
  package enum Hold: String, CaseIterable, Sendable {
    /// It goes on in two ways: its device was copied, or put back.
    case branching
    /// Something of it was missing, and was given up.
    case skipped
    /// What a file of it says was dropped has not been taken out here yet.
    case waiting
  }

  /// What keeps dead operations in the folder.
  package enum Keeper: String, CaseIterable, Sendable {
    /// Nothing shall be forgotten here.
    case setting
    /// They are in small files, which are to be joined first.
    case small
    /// Somebody may want to see or undo what made them dead.
    case grace
    /// A device that is live has not said that it has what made them dead.
    case device
    /// What made them dead is not in the folder yet.
    case unpublished
    /// The folder has a file beside them that has not been imported, or cannot be.
    case unread
    /// The folder lacks a file that tells what was dropped before, which no compaction writes
    /// again.
    case untold
    /// Something that was missing was given up here, so that nothing may be said of what is
    /// dropped.
    case skipped
    /// They are too few of their file for writing that anew, or it would become hardly smaller.
    case few
  }
}

/// Finds out what is dead without noting or changing anything.
struct DeadSurvey {
  private let device: Device
  private let limits: CompactionLimits
  private let dead: DeadSegments
  /// Whether to look where nothing is noted, which reads files and documents.
  private let looks: Bool
  /// Whether the folder lacks what tells of what was dropped, and nothing will mend that here.
  private let isUntold: Bool
  /// Whether something was given up here.
  private let hasGivenUp: Bool
  private let now: Int64
  private(set) var result = CompactionSurvey.Dead()

  /// - parameter streams: Those of which is looked what is dead.
  init(
    device: Device, limits: CompactionLimits, looks: Bool, isUntold: Bool,
    _ streams: [CompactableStream]
  ) throws {
    self.device = device
    self.limits = limits
    self.looks = looks
    self.isUntold = isUntold
    hasGivenUp = try device.database.hasGivenUp()
    for hold in streams.compactMap(\.hold) { result.held[hold, default: 0] += 1 }
    dead = DeadSegments(device: device, limits: limits)
    now = device.ambient.now()
  }

  /// - parameter isUnread: Whether the folder has a file of its stream that was not imported.
  mutating func add(_ segment: ArchivedSegment, isUnread: Bool) throws {
    let noted = try device.database.deadOperations(of: segment)
    guard let found = try noted ?? lookedFor(in: segment) else {
      result.undecided += 1
      return
    }
    result.operations += found.count
    result.total += found.total
    guard found.count > 0 else { return }
    result.bytes += Int64(segment.size) * Int64(found.count) / Int64(found.total)
    var keepers = try keepers(of: found, in: segment, isNoted: noted != nil)
    if isUnread { keepers.append(.unread) }
    if limits.drops {
      if isUntold { keepers.append(.untold) }
      if hasGivenUp { keepers.append(.skipped) }
    }
    if keepers.isEmpty { result.due += found.count }
    for keeper in keepers { result.kept[keeper, default: 0] += found.count }
  }

  private func lookedFor(in segment: ArchivedSegment) throws -> DeadOperations? {
    looks ? try device.database.lookForDead(in: segment, now: now) : nil
  }

  private mutating func keepers(
    of found: DeadOperations, in segment: ArchivedSegment, isNoted: Bool
  ) throws -> [CompactionSurvey.Keeper] {
    guard limits.drops else { return [.setting] }
    guard let joinedAt = segment.joinedAt else { return [.small] }
    var keepers: [CompactionSurvey.Keeper] = []
    // It begins again when it is noted, and that is done once the file has stayed as long.
    let since = isNoted ? min(found.foundAt, now) : max(now, min(joinedAt, now) + limits.grace)
    if try !isNoted || !dead.isOver(since) {
      keepers.append(.grace)
      let end = try now + since - device.time(of: limits.grace, limits)
      result.graceUntil = max(result.graceUntil ?? 0, end)
    }
    let lack = try device.database.whatLacks(
      found.covered, liveSince: device.time(of: limits.horizon, limits))
    if !lack.streams.isEmpty { keepers.append(.device) }
    if !lack.isPublished { keepers.append(.unpublished) }
    if !dead.isEnough(found) { keepers.append(.few) }
    return keepers
  }
}

extension CompactableStream {
  /// Why nothing of it may be dropped; nil if something may.
  fileprivate var hold: CompactionSurvey.Hold? {
    if mayDrop { return nil }
    return isForked ? .branching : isBranching ? .skipped : .waiting
  }
}
