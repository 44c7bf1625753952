import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder

/// What a device would do without from now on if it no longer waited for what is missing of a
/// stream (protocol.md 6).
package struct Hole: Sendable, Equatable {
  package let stream: StreamSummary
  /// What is missing, or is here and cannot be read without that, in order; empty where what is
  /// missing is a branch beside others of the same numbers.
  package let transactions: [ClosedRange<UInt64>]
  /// The last of them.
  package let last: UInt64
  /// Files that are here and cannot be read without what is missing, or are set aside.
  package let files: [FileKey]
  /// The documents that those files tell of, as far as they can be read.
  package let documents: [DocumentKey]
  /// Files behind the hole that will be imported.
  package let readable: Int
  /// The devices whose writes had seen what is missing, and cannot be claimed as seen without it.
  package let waiting: [StreamSummary]
  /// The documents of which a deletion or removal waits here.
  package let removals: [DocumentKey]
}

/// What giving up a hole came to.
package struct SkipReport: Sendable {
  package let hole: Hole
  /// How many transactions were made of removals that had waited.
  package let released: Int
  package let imported: ImportReport
}

/// Finds holes, and gives them up on the user's word.
package struct Skipping {
  private let device: Device

  package init(device: Device) { self.device = device }

  /// What is missing of the device that a user names.
  ///
  /// - throws: ``DeviceError/nothingMissing(_:)`` if nothing is.
  package func hole(of name: String) throws -> Hole {
    let stream = try device.database.stream(named: name)
    guard !stream.isOwn else { throw DeviceError.ownStream }
    let parts = try device.database.missingParts()
    guard let hole = try hole(of: stream, named: parts.first { $0.stream == stream.stream })
    else { throw DeviceError.nothingMissing(name) }
    return hole
  }

  /// Gives up what `hole` says, and imports what lies behind it.
  ///
  /// In steps: interrupted, it has not given up what it could have imported (``GivingUpSteps``).
  package func skip(_ hole: Hole) throws -> SkipReport {
    var released = 0
    var imported: ImportReport?
    var given = hole.stream.givenUp?.last ?? 0
    while given < hole.last {
      let steps = try GivingUpSteps(in: device.database)
      given =
        steps.next(of: hole.stream.stream, after: given, upTo: hole.last) ?? hole.last
      released += try device.database.giveUp(
        hole.stream.stream, upTo: given, now: device.ambient.time, nonce: device.nonce)
      let report = try Importer(device: device).importAll()
      imported = imported.map { report.added(to: $0) } ?? report
    }
    return SkipReport(
      hole: hole, released: released,
      imported: try imported ?? Importer(device: device).importAll())
  }

  private func hole(of stream: StreamSummary, named part: MissingPart?) throws -> Hole? {
    var files = WaitingFiles()
    let listed = try device.container.list().segments
    let listing = Dictionary(listed.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    let records = try device.database.fileRecords().values.sorted { $0.key < $1.key }
    let waiting = records.filter { $0.reason == .waiting && $0.range?.stream == stream.stream }
    for record in waiting.sorted(by: { ($0.range?.first ?? 0) < ($1.range?.first ?? 0) }) {
      guard let file = listing[record.key], case .segment(let found, _) = reader.read(file)
      else { continue }
      files.take(record.key, found.segment)
    }
    let end = max(part?.last ?? 0, files.lastLost)
    let start = stream.givenUp?.last ?? 0
    guard end > start else { return nil }
    let summaries = try device.database.streamSummaries()
    let held = try device.database.frontier().lineage.streams[stream.stream]?.lines ?? []
    let present = held.map { $0.base + 1...$0.tip.sequence } + files.readable
    return Hole(
      stream: stream,
      transactions: Self.missing(from: start + 1, to: end, beside: present), last: end,
      files: files.unreadable
        + records.filter { $0.reason.isSetAside && Self.belongs($0.key, to: stream) }.map(\.key),
      documents: files.documents.sorted(), readable: files.readable.count,
      waiting: summaries.filter { part?.waiting.contains($0.stream) ?? false },
      removals: part?.removals ?? [])
  }

  private static func belongs(_ key: FileKey, to stream: StreamSummary) -> Bool {
    key.directory == Array(stream.stream.description.utf8)
  }

  /// What of a range is in none of others.
  static func missing(
    from first: UInt64, to last: UInt64, beside present: [ClosedRange<UInt64>]
  ) -> [ClosedRange<UInt64>] {
    var missing: [ClosedRange<UInt64>] = []
    var next = first
    for range in present.sorted(by: { $0.lowerBound < $1.lowerBound }) where next <= last {
      if range.lowerBound > next { missing.append(next...min(range.lowerBound - 1, last)) }
      next = max(next, range.upperBound + 1)
    }
    if next <= last { missing.append(next...last) }
    return missing
  }
}

/// The files of one stream that wait behind something missing, in order.
private struct WaitingFiles {
  private(set) var readable: [ClosedRange<UInt64>] = []
  private(set) var unreadable: [FileKey] = []
  private(set) var documents: Set<DocumentKey> = []
  /// The last transaction that is missing before them, or cannot be read.
  private(set) var lastLost: UInt64 = 0
  private var ends: [Fingerprint: StreamPosition] = [:]

  mutating func take(_ key: FileKey, _ segment: Segment) {
    let range = segment.range
    if let start = ends[range.fingerprintBefore], take(segment, from: start) { return }
    lastLost = max(lastLost, range.first - 1)
    if let start = segment.startBehindHole(), take(segment, from: start) { return }
    lastLost = max(lastLost, range.last)
    unreadable.append(key)
    documents.formUnion(segment.transactions.lazy.flatMap(\.operations).map(\.document))
  }

  private mutating func take(_ segment: Segment, from start: StreamPosition) -> Bool {
    guard let last = try? segment.transactions(after: start).last else { return false }
    ends[last.header.fingerprint] = StreamPosition(after: last.header)
    readable.append(segment.range.first...segment.range.last)
    return true
  }
}
