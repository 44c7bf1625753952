import DocumentStorage
import Replication

extension Salvage {
  /// Gives up in the device what the user had given up in the database whose place it takes: the
  /// next hole of each stream, once all that was held before it is held here (protocol.md 6).
  ///
  /// Not sooner: what is given up counts as seen, and that which only has not been imported yet
  /// would be covered by the next write. Not at all where the database does not tell what it held:
  /// then the hole is reported again, and the user asked. To be followed by an import, and repeated
  /// until nothing is given up any more.
  ///
  /// - returns: whether anything was.
  mutating func giveUp() throws -> Bool {
    let here = try target.database.knownStreams().reduce(into: [StreamID: UInt64]()) {
      $0[$1.stream] = $1.givenUp
    }
    var isProgressing = false
    for stream in streams where stream.givenUp > here[stream.stream] ?? 0 {
      guard let held = ranges(of: stream.stream),
        let hole = Self.hole(
          after: here[stream.stream] ?? 0, upTo: stream.givenUp, besides: held),
        try holds(held.filter { $0.upperBound < hole.lowerBound }, of: stream.stream)
      else { continue }
      _ = try target.database.giveUp(
        stream.stream, upTo: hole.upperBound, now: target.ambient.time, nonce: target.nonce)
      isProgressing = true
    }
    return isProgressing
  }

  /// What the database had applied of a stream; nil if it does not tell.
  private mutating func ranges(of stream: StreamID) -> [ClosedRange<UInt64>]? {
    guard let kept = read({ try $0.archivedSegments(of: stream) }),
      let others = read({ try $0.unarchivedSegments() })
    else { return nil }
    let all =
      kept.map { ($0.first, $0.last) }
      + others.filter { $0.stream == stream }.map { ($0.first, $0.last) }
    // It may be damaged.
    guard all.allSatisfy({ 0 < $0 && $0 <= $1 && $1 < .max }) else { return nil }
    return all.map { $0...$1 }
  }

  /// The first sequences that are in none of some ranges.
  private static func hole(
    after given: UInt64, upTo end: UInt64, besides held: [ClosedRange<UInt64>]
  ) -> ClosedRange<UInt64>? {
    var holes = RangeSet(given + 1..<end + 1)
    for range in held { holes.remove(contentsOf: range.lowerBound..<range.upperBound + 1) }
    return holes.ranges.first.map { $0.lowerBound...$0.upperBound - 1 }
  }

  /// Whether the device's own database holds what was in files of those borders.
  private func holds(_ ranges: [ClosedRange<UInt64>], of stream: StreamID) throws -> Bool {
    let names = report.names[stream] ?? []
    let held = try target.database.segmentNames(of: stream, among: Array(names))
    let here = Set(held.map { $0.first...$0.last })
    return ranges.allSatisfy(here.contains)
  }
}
