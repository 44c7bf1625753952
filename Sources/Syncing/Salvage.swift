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
  /// The files that hold what it gave, published now or before.
  fileprivate(set) var names: [StreamID: Set<ImportedNames.Name>] = [:]
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
  let target: Device
  private(set) var report = SalvageReport()
  private(set) var streams: [StoreDatabase.KeptStream] = []
  /// The files that it gave of which something was dropped, and that taken out there.
  private(set) var heeded: Set<ImportedNames.Name> = []
  /// Where files were found that others have written.
  private var found: Set<FilePath> = []
  /// The streams whose directories this user may not write, or not look into.
  private(set) var refused: Set<StreamID> = []
  /// Why not, of the first.
  private(set) var rejection: FileError?

  init(source: StoreDatabase, record: DeviceRecord, target: Device) {
    self.source = source
    self.record = record
    self.target = target
  }

  /// Hands over what needs no folder, so that nobody sees the device without it: which streams it
  /// answers for, and the removals that hide what they are for.
  ///
  /// - parameter taken: what all databases whose place it takes had taken over themselves.
  mutating func handOver(taken: Set<[UInt8]>) throws {
    try target.database.answer(for: streams)
    var removals: [StoreDatabase.WaitingRemoval] = []
    for key in keysWithRemovals() {
      removals += read { try $0.waitingRemovals(of: key) } ?? []
    }
    report.removals = try target.database.takeOver(
      removals, taken: taken, now: target.ambient.time, nonce: target.nonce)
  }

  /// Declares the indexes that were declared there, unless it was another container's.
  mutating func declareIndexes() throws {
    guard record.container == container else { return }
    for index in read({ try $0.indexes() }) ?? [] { try target.database.createIndex(index) }
  }

  /// Why something of it could not be read so far, and may be later.
  private(set) var refusal: (any Error)?

  /// What the source has taken over from others.
  mutating func taken() -> Set<[UInt8]> {
    let keys = keysWithRemovals()
    return read { try $0.takenRemovals(waitingAt: keys) } ?? []
  }

  /// The documents with removals that wait: those that the index leads to, and those that the rows
  /// themselves name, since either may be damaged, or older than the other.
  private mutating func keysWithRemovals() -> [DocumentKey] {
    let keys = [true, false].compactMap { byIndex in
      read { try $0.documentsWithRemovals(byIndex: byIndex) }
    }
    return Set(keys.joined()).sorted()
  }

  /// From now on no process writes into it what would be left behind.
  mutating func stopWrites() {
    let now = target.ambient.now()
    if record.leftAt == nil { read { try $0.leave(now: now, isAbandoning: true) } }
    streams = read { try $0.knownStreams() } ?? []
  }

  /// Publishes all of it, but what the folder refuses (``rejection``): first what nobody else can
  /// have.
  mutating func publish() throws -> SalvageReport {
    try publishOutbox()
    try publishArchive()
    try publishFolder()
    try settle()
    return report
  }

  private var container: ContainerID { target.record.container }

  /// A damaged database may give some of it and not the rest.
  @discardableResult
  mutating func read<Value>(_ body: (StoreDatabase) throws -> Value) -> Value? {
    do {
      return try body(source)
    } catch {
      report.unreadable += 1
      report.cause = report.cause ?? error
      if !DeviceDirectory.isDamage(error) { refusal = refusal ?? error }
      return nil
    }
  }

  /// Publishes what waits: in files as its device would have made them, and what no list tells of,
  /// or no index leads to, row by row.
  private mutating func publishOutbox() throws {
    let fixed = read { try $0.fixedBatches() }
    let open = read { try $0.openBatches() }
    var given: [StreamID: RangeSet<UInt64>] = [:]
    var missing = 0
    for batch in (fixed ?? []) + (open ?? []) {
      let ranges = try publish(batch)
      for range in ranges {
        given[range.stream, default: RangeSet()].insert(contentsOf: range.sequences)
      }
      missing += batch.sequences.count - ranges.reduce(0) { $0 + $1.sequences.count }
    }
    let waiting = try? source.countOfWaiting()
    let listed = Self.count(of: given)
    guard missing > 0 || waiting != listed else { return }
    var undecodable = 0
    let stretches = try publishRows(of: .outbox) { salvage, bytes in
      guard let segment = try? SegmentFile.decode(bytes).segment else { return undecodable += 1 }
      let range = segment.range
      guard given[range.stream]?.contains(range.first) != true else { return }
      try salvage.publish(segment)
      given[range.stream, default: RangeSet()].insert(contentsOf: range.sequences)
    }
    let all = Self.count(of: given)
    // What a batch lacks may be in a stretch that cannot be read, or be found by its row. A row
    // that is counted and found nowhere is lost as well.
    report.unreadable += max(
      missing - (all - listed), stretches + undecodable, (waiting ?? 0) - all)
  }

  private static func count(of given: [StreamID: RangeSet<UInt64>]) -> Int {
    given.values.reduce(0) { $0 + $1.ranges.reduce(0) { $0 + $1.count } }
  }

  /// Where one transaction of a batch cannot be read, each other one becomes a file of its own.
  ///
  /// One that is alone is written whole: it may follow one that cannot be read.
  ///
  /// - returns: what was published.
  private mutating func publish(
    _ batch: StoreDatabase.WaitingBatch
  ) throws -> [Segment.Range] {
    if batch.sequences.count > 1, let segment = try? source.segment(of: batch) {
      try publish(segment)
      return [segment.range]
    }
    var ranges: [Segment.Range] = []
    for sequence in batch.sequences {
      let found: Segment?
      do {
        found = try source.segment(of: batch, at: sequence)
      } catch {
        report.cause = report.cause ?? error
        continue
      }
      guard let found else { continue }
      try publish(found)
      ranges.append(found.range)
    }
    return ranges
  }

  /// - returns: the name under which the folder has it; nil if it cannot be read.
  private mutating func publishArchived(
    _ bytes: (StoreDatabase) throws -> [UInt8]?
  ) throws -> ImportedNames.Name? {
    guard let stored = read(bytes) else { return nil }
    guard let bytes = stored else {
      report.unreadable += 1
      return nil
    }
    return try publishFile(bytes)
  }

  private mutating func publish(_ segment: Segment) throws {
    try publish(SegmentFile.encode(segment.moved(to: container)), of: segment.range)
  }

  /// Where a stream's list cannot be read, all rows are tried by their numbers.
  private mutating func publishArchive() throws {
    var isListed = !streams.isEmpty
    var listed = 0
    for stream in streams {
      let list = read { try $0.archivedSegments(of: stream.stream) }
      if list == nil { isListed = false }
      listed += list?.count ?? 0
      for kept in list ?? [] {
        let name = try publishArchived { try $0.archivedBytes(of: kept) }
        if let name, kept.isReduced, kept.isHeeded { heeded.insert(name) }
      }
    }
    let count = try? source.countOfArchived()
    // A list is as good as the index that it was read by.
    guard !isListed || count != listed else { return }
    report.unreadable += try publishRows(of: .archive) { try $0.publishFile($1) }
  }

  @discardableResult
  private mutating func publishFile(_ bytes: [UInt8]) throws -> ImportedNames.Name? {
    guard let found = read({ _ in try SegmentFile.decode(bytes) }) else { return nil }
    return try publish(found, bytes: bytes)
  }

  /// Publishes what the rows of a table hold, past those that cannot be read.
  ///
  /// - returns: how many stretches of it could not be read.
  private mutating func publishRows(
    of table: StoreDatabase.ContentTable, _ body: (inout Salvage, [UInt8]) throws -> Void
  ) throws -> Int {
    var walk = RowWalk()
    var damages = 0
    while let number = walk.next {
      let row: (number: Int64, bytes: [UInt8])?
      do {
        row = try source.content(of: table, from: number)
      } catch {
        walk.miss()
        report.cause = report.cause ?? error
        damages += walk.isNewDamage ? 1 : 0
        continue
      }
      if walk.find(row?.number) {
        if let row { try body(&self, row.bytes) }
      } else if walk.isNewDamage {
        damages += 1
      }
    }
    return damages
  }

  /// Publishes what the folder has and the database has not: of another container all of its files,
  /// also those that waited behind a hole; and what was applied before there was an archive.
  private mutating func publishFolder() throws {
    var awaited = read { try $0.unarchivedSegments() } ?? []
    let isOther = record.container != container
    guard isOther || !awaited.isEmpty else { return }
    let reader = SegmentReader(container: target.container, expected: record.container)
    let listing = try target.container.list()
    // Of what cannot be looked into, nobody knows what it has.
    if isOther { refuse(listing.unreadable) }
    // What the database never had may wait behind a hole here as it did there.
    let names = report.names
    defer { report.names = names }
    for file in listing.segments {
      let contents: FileContents
      do throws(FileError) {
        contents = try reader.contents(of: file)
      } catch {
        if isOther, error.mayPass { refuse(error, in: file.directory) }
        continue
      }
      guard case .segment(let found, _) = reader.read(contents, of: file) else { continue }
      let range = found.segment.range
      awaited.remove(
        ImportedNames.Name(
          stream: range.stream, first: range.first, last: range.last, digest: found.digest))
      if isOther { try publish((found.segment, found.digest), bytes: found.bytes) }
    }
    report.unreadable += awaited.count
  }

  /// Leaves directories for later.
  private mutating func refuse(_ directories: [FileError]) {
    for error in directories {
      if let directory = error.path.lastComponent { refuse(error, in: directory) }
    }
  }

  /// Leaves a directory for later, or what is in it and could not be read.
  private mutating func refuse(_ error: FileError, in directory: FilePath.Component) {
    if let stream = StreamID(directory.string) { refused.insert(stream) }
    rejection = rejection ?? error
  }

  /// Publishes a segment: byte for byte, unless it was another container's.
  @discardableResult
  private mutating func publish(
    _ found: (segment: Segment, digest: UInt64), bytes: [UInt8]
  ) throws -> ImportedNames.Name {
    let isOther = found.segment.range.container != container
    return try publish(
      isOther
        ? SegmentFile.encode(found.segment.moved(to: container))
        : (bytes: bytes, digest: found.digest),
      of: found.segment.range)
  }

  @discardableResult
  private mutating func publish(
    _ file: SegmentFile.Encoded, of range: Segment.Range
  ) throws -> ImportedNames.Name {
    try target.requireContainer()
    let range = range.moved(to: container)
    let name = ImportedNames.Name(
      stream: range.stream, first: range.first, last: range.last, digest: file.digest)
    report.names[range.stream, default: []].insert(name)
    guard !refused.contains(range.stream) else { return name }
    guard !target.container.keeps(file.digest, of: range) else {
      found.insert(target.container.directory(of: range.stream))
      return name
    }
    do {
      _ = try target.container.publish(
        file, of: range, temporaryName: target.ambient.temporaryName())
      report.published += 1
    } catch let error as FileError where [.permissionDenied, .notPermitted].contains(error.errno) {
      // One directory of a shared folder may be another user's: the rest is not.
      refused.insert(range.stream)
      rejection = rejection ?? error
    }
    return name
  }

  /// Brings the names to the disk that were found: whoever wrote them may have lost power before.
  private func settle() throws {
    try target.container.keepNames(in: Set(found.compactMap(\.lastComponent)))
  }
}

extension FileError {
  /// Whether a file that cannot be read may be another time: it is there, and may be a segment.
  fileprivate var mayPass: Bool { errno != .noSuchFileOrDirectory && !isTooLarge && !isNotAFile }
}

extension Segment.Range {
  fileprivate var sequences: Range<UInt64> { first..<last + 1 }

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
