import DocumentStorage
import Replication

extension Salvage {
  /// Gives up in the device what the user had given up in the database whose place it takes: of
  /// each stream up to the first file that was held there and waits here, once all that was held
  /// before that is held here (protocol.md 6).
  ///
  /// Not sooner: what is given up counts as seen, and that which only has not been imported yet
  /// would be covered by the next write. Not at all where the database does not tell what it held:
  /// then the hole is reported again, and the user asked. To be followed by an import, and repeated
  /// until nothing is given up any more.
  ///
  /// It goes by files, not by numbers: the numbers of a branch that is missing may all be held of
  /// another.
  ///
  /// - parameter refused: streams of which some database could not publish all that it holds.
  /// - returns: whether anything was.
  mutating func giveUp(besides refused: Set<StreamID>) throws -> Bool {
    let here = try target.database.knownStreams().reduce(into: [StreamID: UInt64]()) {
      $0[$1.stream] = $1.givenUp
    }
    let steps = try GivingUpSteps(in: target.database)
    var isProgressing = false
    for stream in streams where !refused.contains(stream.stream) {
      let start = here[stream.stream] ?? 0
      guard stream.givenUp > start, let awaited = try firstAwaited(of: stream.stream), awaited > 0
      else { continue }
      let last = min(awaited - 1, stream.givenUp)
      guard let end = steps.next(of: stream.stream, after: start, upTo: last) else { continue }
      _ = try target.database.giveUp(
        stream.stream, upTo: end, now: target.ambient.time, nonce: target.nonce)
      isProgressing = true
    }
    return isProgressing
  }

  /// Where the first file of a stream begins that the database had applied and the device has not;
  /// behind all if there is none, nil if the database does not tell.
  private mutating func firstAwaited(of stream: StreamID) throws -> UInt64? {
    guard let kept = read({ try $0.archivedSegments(of: stream) }),
      let unkept = read({ try $0.unarchivedSegments().filter { $0.stream == stream } }),
      // It may be damaged.
      kept.allSatisfy({ 0 < $0.first && $0.first <= $0.last && $0.last < .max }),
      unkept.allSatisfy({ 0 < $0.first && $0.first <= $0.last && $0.last < .max })
    else { return nil }
    let given = report.names[stream] ?? []
    let names = given.union(unkept)
    var awaited = try target.database.missingSegments(of: stream, among: names).map(\.first)
    // What is kept and could not be read has been given under no name. Into another container each
    // file goes under another digest, so they are told by their borders.
    var borders = given.reduce(into: [:]) { $0[$1.first...$1.last, default: 0] += 1 }
    for file in kept {
      let range = file.first...file.last
      guard let count = borders[range], count > 0 else {
        awaited.append(file.first)
        continue
      }
      borders[range] = count - 1
    }
    return awaited.min() ?? .max
  }
}
