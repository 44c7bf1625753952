import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What came of publishing all that an older database holds.
package struct SalvageReport: Sendable {
  /// How many segments were published that the folder did not have.
  package var published = 0
  /// How many removals that waited there wait, or were published, here.
  package var removals = 0
  /// How many parts of it could not be read any more.
  package var unreadable = 0
  /// Why the first of them could not, if there was an error.
  package var cause: (any Error)?
}

/// Publishes all that one database can still give into the folder of another device, and hands that
/// device what is in no transaction.
///
/// Every transaction keeps its stream, its sequence and its fingerprint, which do not depend on the
/// container (protocol.md 28, 29): whoever has it already finds nothing new, and nothing is counted
/// or written twice. So it may be done any number of times.
struct Salvage {
  private let source: StoreDatabase
  private let record: DeviceRecord
  private let target: Device
  private var report = SalvageReport()
  /// Where files were found that others have written.
  private var found: Set<FilePath> = []

  init(source: StoreDatabase, record: DeviceRecord, target: Device) {
    self.source = source
    self.record = record
    self.target = target
  }

  mutating func run() throws -> SalvageReport {
    // From now on no process writes into it what would be left behind.
    let now = target.ambient.now()
    if record.leftAt == nil { read { try $0.leave(now: now, isAbandoning: true) } }
    let streams = read { try $0.streamSummaries() } ?? []
    try target.database.answer(for: streams)
    for stream in streams { try publishArchive(of: stream.stream) }
    for segment in read({ try $0.waitingSegments() }) ?? [] {
      try publish(SegmentFile.encode(segment.moved(to: container)), of: segment.range)
    }
    try publishFolder()
    try settle()
    // Else what stands behind a hole would be gone until the user says so again (protocol.md 6).
    for stream in streams {
      guard let lost = stream.givenUp else { continue }
      _ = try target.database.giveUp(
        stream.stream, upTo: lost.last, now: target.ambient.time, nonce: target.nonce)
    }
    if let removals = read({ try $0.waitingRemovals() }) {
      report.removals = try target.database.takeOver(
        removals, now: target.ambient.time, nonce: target.nonce)
    }
    return report
  }

  private var container: ContainerID { target.record.container }

  /// A damaged database may give some of it and not the rest.
  @discardableResult
  private mutating func read<Value>(_ body: (StoreDatabase) throws -> Value) -> Value? {
    do {
      return try body(source)
    } catch {
      report.unreadable += 1
      report.cause = report.cause ?? error
      return nil
    }
  }

  private mutating func publishArchive(of stream: StreamID) throws {
    for kept in read({ try $0.archivedSegments(of: stream) }) ?? [] {
      guard let stored = read({ try $0.archivedBytes(of: kept) }) else { continue }
      guard let bytes = stored else {
        report.unreadable += 1
        continue
      }
      guard let found = read({ _ in try SegmentFile.decode(bytes) }) else { continue }
      try publish(found, bytes: bytes)
    }
  }

  /// Publishes what the folder has and the database has not: of another container all of its files,
  /// also those that waited behind a hole; and what was applied before there was an archive.
  private mutating func publishFolder() throws {
    var awaited = read { try $0.unarchivedSegments() } ?? []
    let isOther = record.container != container
    guard isOther || !awaited.isEmpty else { return }
    let reader = SegmentReader(container: target.container, expected: record.container)
    for file in try target.container.list().segments {
      guard case .segment(let found, _) = reader.read(file) else { continue }
      let range = found.segment.range
      awaited.remove(
        ImportedNames.Name(
          stream: range.stream, first: range.first, last: range.last, digest: found.digest))
      if isOther { try publish((found.segment, found.digest), bytes: found.bytes) }
    }
    report.unreadable += awaited.count
  }

  /// Publishes a segment: byte for byte, unless it was another container's.
  private mutating func publish(
    _ found: (segment: Segment, digest: UInt64), bytes: [UInt8]
  ) throws {
    let isOther = found.segment.range.container != container
    try publish(
      isOther
        ? SegmentFile.encode(found.segment.moved(to: container))
        : (bytes: bytes, digest: found.digest),
      of: found.segment.range)
  }

  private mutating func publish(
    _ file: SegmentFile.Encoded, of range: Segment.Range
  ) throws {
    try target.requireContainer()
    let range = range.moved(to: container)
    guard !target.container.keeps(file.digest, of: range) else {
      found.insert(target.container.directory(of: range.stream))
      return
    }
    _ = try target.container.publish(
      file, of: range, temporaryName: target.ambient.temporaryName())
    report.published += 1
  }

  /// Brings the names to the disk that were found: whoever wrote them may have lost power before.
  private func settle() throws {
    guard !found.isEmpty else { return }
    for directory in found.sorted(by: { $0.string < $1.string }) {
      try target.container.files.synchronizeDirectory(directory)
    }
    try target.container.files.synchronizeDirectory(target.container.logs)
    try target.container.files.synchronizeDirectory(target.container.root)
  }
}

extension Segment.Range {
  fileprivate func moved(to container: ContainerID) -> Segment.Range {
    Segment.Range(
      container: container, stream: stream, first: first, last: last,
      fingerprintBefore: fingerprintBefore)
  }
}

extension Segment {
  /// The same transactions as a segment of another container.
  fileprivate func moved(to container: ContainerID) -> Segment {
    Segment(
      range: range.moved(to: container), attributes: attributes, transactions: transactions)
  }
}
