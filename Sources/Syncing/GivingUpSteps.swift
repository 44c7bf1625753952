import DocumentStorage
import Replication

/// In what steps a hole is given up: not past the first of some files that the folder has and that
/// could be read then, for what is given up counts as seen, and may not be imported before the next
/// write.
///
/// Files that follow one another are one step, lest many small ones take as many imports.
package struct GivingUpSteps {
  /// Where the files begin that wait in the folder, by stream.
  private var waiting: [StreamID: [UInt64]] = [:]
  /// The last of a stream that anything tells of.
  private var known: [StreamID: UInt64] = [:]

  package init(in database: StoreDatabase) throws {
    var ends: [StreamID: Set<UInt64>] = [:]
    for record in try database.fileRecords().values where record.reason == .waiting {
      guard let range = record.range, range.first > 0 else { continue }
      waiting[range.stream, default: []].append(range.first)
      ends[range.stream, default: []].insert(range.last)
      known[range.stream] = max(known[range.stream] ?? 0, range.last)
    }
    // What follows another file that waits becomes readable with that, so it is no step of its own.
    for (stream, firsts) in waiting {
      waiting[stream] = firsts.filter { ends[stream]?.contains($0 - 1) != true }
    }
    for part in try database.missingParts() {
      known[part.stream] = max(known[part.stream] ?? 0, part.last)
    }
  }

  /// Up to where to give up next; nil if nothing is to be.
  ///
  /// What waits at or before `given` all the same cannot be read without what is missing.
  ///
  /// - parameter given: up to where it is given up.
  /// - parameter end: up to where it shall be; a damaged database may name any number, so not past
  ///   what anything tells of.
  package func next(of stream: StreamID, after given: UInt64, upTo end: UInt64) -> UInt64? {
    let end = min(end, known[stream] ?? 0)
    let first = (waiting[stream] ?? []).filter { $0 - 1 > given }.min()
    let next = min(end, first.map { $0 - 1 } ?? end)
    return next > given ? next : nil
  }
}
