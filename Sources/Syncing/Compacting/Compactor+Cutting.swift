import DocumentStorage
import Replication
import SegmentFormat

extension Compactor {
  /// How much some segments that follow one another unpack to.
  private struct Load {
    var extent = SegmentFile.Extent(operations: 0, bodyBytes: 0)
    /// The entries of all contexts, once they are complete.
    var entries = 0
  }

  /// A run cut where it would unpack to more than the limits.
  func readable(_ run: JoinPlan.Run) throws -> [JoinPlan.Run] {
    var runs: [[ArchivedSegment]] = [[]]
    var held = Load()
    var size: ContextSize?
    let countsEntries = mayHaveManyEntries(run)
    for part in run.parts {
      guard let bytes = try device.database.archivedBytes(of: part) else { return [] }
      var load = Load()
      // What has rotted says so when it is read whole.
      load.extent = (try? SegmentFile.extent(of: bytes)) ?? load.extent
      if countsEntries, let segment = try? SegmentFile.decode(bytes).segment {
        load.entries = try entries(of: segment, behind: &size)
      }
      if isBeyondLimits(held, load) {
        runs.append([])
        held = Load()
      }
      runs[runs.count - 1].append(part)
      held.extent.operations += load.extent.operations
      held.extent.bodyBytes += load.extent.bodyBytes
      held.entries += load.entries
    }
    return runs.filter { $0.count > 1 }.map { JoinPlan.Run(parts: $0, level: run.level) }
  }

  private func isBeyondLimits(_ held: Load, _ more: Load) -> Bool {
    held.extent.operations + more.extent.operations > limits.operations
      || held.extent.bodyBytes + more.extent.bodyBytes > limits.bodyBytes
      || held.entries + more.entries > limits.contextEntries
  }

  /// Whether the contexts have to be counted, for which the segments are read whole; small runs
  /// cannot have too many.
  private func mayHaveManyEntries(_ run: JoinPlan.Run) -> Bool {
    guard let first = run.parts.first, let last = run.parts.last else { return false }
    let most = UInt64(SegmentFile.maximumContextEntries + 1)
    return last.last - first.first >= UInt64(limits.contextEntries) / most
  }

  /// The entries of a segment's contexts, with those of what each has seen of its own stream.
  ///
  /// - parameter size: of the segments before it; nil for none.
  private func entries(of segment: Segment, behind size: inout ContextSize?) throws -> Int {
    let leans = segment.transactions.first?.isRelative ?? false
    let before = leans && size == nil ? try device.database.position(before: segment.range) : nil
    var counted = size ?? ContextSize(after: before?.context ?? Context())
    let start = counted.total
    for transaction in segment.transactions { counted.add(transaction) }
    size = counted
    return counted.total - start + Int(segment.range.last - segment.range.first) + 1
  }
}
