import DocumentStorage

/// Which of a stream's segments are to be written as one, so that files stay few and nothing is
/// written often.
///
/// Log-structured: as many segments of a level as ``CompactionLimits/fanOut`` become one of the
/// next level, so that each transaction is written once a level, and a stream of n files has about
/// `fanOut * log(n)` of them afterwards. A segment that is large is left as it is.
///
///     let plan = JoinPlan(of: archived, limits: .standard)
///     for run in plan.runs { … }  // the segments of each become one
struct JoinPlan {
  /// Segments that follow one another, and the level of what they become.
  struct Run {
    let parts: [ArchivedSegment]
    let level: Int
  }

  private(set) var runs: [Run] = []
  /// Segments that are joined no more, and never were: what was loaded, or written at once.
  private(set) var large: [ArchivedSegment] = []
  private let limits: CompactionLimits
  /// About how large a joined segment becomes.
  private let bytes: Int

  /// - parameter segments: those of one stream, sorted by their first transactions.
  init(of segments: [ArchivedSegment], limits: CompactionLimits) {
    self.limits = limits
    let whole = Self.withoutParts(segments)
    bytes = limits.bytes(ofStreamWith: whole.reduce(0) { $0 + $1.size })
    for chain in Self.chains(whole) { plan(chain) }
    large = whole.filter { isFull($0) && $0.joinedAt == nil }
  }

  /// Leaves out what another holds, too.
  static func withoutParts(_ segments: [ArchivedSegment]) -> [ArchivedSegment] {
    var kept: [ArchivedSegment] = []
    for segment in segments {
      if let last = kept.last, last.last >= segment.last { continue }
      while let last = kept.last, last.first == segment.first { kept.removeLast() }
      kept.append(segment)
    }
    return kept
  }

  /// Divides segments where one does not begin right behind the one before.
  private static func chains(_ segments: [ArchivedSegment]) -> [[ArchivedSegment]] {
    segments.reduce(into: []) { chains, segment in
      if let last = chains.last?.last, last.last + 1 == segment.first {
        chains[chains.count - 1].append(segment)
      } else {
        chains.append([segment])
      }
    }
  }

  private mutating func plan(_ chain: [ArchivedSegment]) {
    var planned: Set<UInt64> = []
    let top = chain.filter { !isFull($0) }.map(\.level).max() ?? 0
    for level in 0...top {
      // What is of a lower level, and stands before others, goes with those; what is newest waits.
      let groups = chain.split { isFull($0) || $0.level > level || planned.contains($0.first) }
      for group in groups {
        let end = group.lastIndex { $0.level == level } ?? group.startIndex - 1
        for run in divided(Array(group[..<(end + 1)])) where isWorthIt(run, level: level) {
          let next = min(level + 1, ArchivedSegment.mostLevel)
          runs.append(Run(parts: run, level: next))
          planned.formUnion(run.map(\.first))
        }
      }
    }
  }

  private func isFull(_ segment: ArchivedSegment) -> Bool { segment.size * 2 > bytes }

  /// Cuts segments into runs, each of which fits into one.
  private func divided(_ group: [ArchivedSegment]) -> [[ArchivedSegment]] {
    var runs: [[ArchivedSegment]] = []
    var held = 0
    for segment in group {
      if runs.isEmpty || held + segment.size > bytes
        || runs[runs.count - 1].count == limits.mostParts
      {
        runs.append([])
        held = 0
      }
      runs[runs.count - 1].append(segment)
      held += segment.size
    }
    return runs
  }

  /// Whether a run has enough segments of a level, or fills a segment.
  private func isWorthIt(_ run: [ArchivedSegment], level: Int) -> Bool {
    guard run.count > 1 else { return false }
    let size = run.reduce(0) { $0 + $1.size }
    return run.count { $0.level == level } >= limits.fanOut || size * 2 > bytes
  }
}
