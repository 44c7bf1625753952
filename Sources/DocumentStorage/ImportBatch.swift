import CanonicalJSON
import GRDB
import Replication
import SegmentFormat

/// A verified segment file, ready to be applied.
package struct ImportableSegment: Sendable {
  package let segment: Segment
  package let digest: UInt64
  /// The file's content, for the archive.
  package let bytes: [UInt8]
  /// Whether the file stands under the name that its content gives it, so that the name alone will
  /// tell from now on.
  package let isUnderOwnName: Bool
  /// Where it was found, for reports.
  package let file: FileKey

  package init(
    segment: Segment, digest: UInt64, bytes: [UInt8], isUnderOwnName: Bool, file: FileKey
  ) {
    self.segment = segment
    self.digest = digest
    self.bytes = bytes
    self.isUnderOwnName = isUnderOwnName
    self.file = file
  }
}

/// What one committed part of an import did.
package struct ImportedPart: Sendable, Equatable {
  /// A document that changed, and where.
  package struct Document: Sendable, Equatable {
    package let key: DocumentKey
    package let isDeleted: Bool
    package let paths: [Path]
  }

  /// What came from one device.
  package struct FromDevice: Sendable, Equatable {
    package let stream: StreamID
    package let name: String?
    package var transactions = 0
    package var operations = 0
    /// How many documents changed.
    package var documentCount = 0
    /// The first of them in key order, at most ``ImportedPart/maximumDocuments``.
    package var documents: [Document] = []
    /// The collections of all that changed.
    package var collections: Set<ByteString> = []

    /// Counts a document, and lists it if there is room.
    ///
    /// - parameter mayBeKnown: whether it may be listed already.
    fileprivate mutating func note(
      _ key: DocumentKey, isDeleted: Bool, paths: Set<Path>, mayBeKnown: Bool
    ) {
      let paths = paths.filter { !$0.isRoot }
      if mayBeKnown, let index = documents.firstIndex(where: { $0.key == key }) {
        documents[index] = Document(
          key: key, isDeleted: isDeleted, paths: paths.union(documents[index].paths).sorted())
        return
      }
      documentCount += 1
      collections.insert(key.collection)
      guard documents.count < ImportedPart.maximumDocuments else { return }
      documents.append(Document(key: key, isDeleted: isDeleted, paths: paths.sorted()))
    }
  }

  /// A report names at most this many documents, so that its size does not grow with the import's.
  package static let maximumDocuments = 1000

  package var segments = 0
  package var devices: [FromDevice] = []
  /// Files whose content was applied.
  package var applied: [FileKey] = []
  /// Files whose content had been applied before.
  package var duplicates: [FileKey] = []
  /// Files that do not continue what was applied of their stream, and why.
  package var rejected: [FileKey: SegmentError] = [:]
  /// How many local transactions were made of removals that had waited for their closure.
  package var releasedRemovals = 0

  package init() {}
}

extension StoreDatabase {
  /// Applies segments in one transaction: documents, positions and clock advance together.
  ///
  /// Segments of one stream must come in order; one that another process has applied meanwhile
  /// changes nothing.
  ///
  /// - parameter now: the wall clock, for removals that become publishable.
  /// - parameter foldBytes: about how much memory operations may take until they are written.
  /// - parameter onProgress: called as operations are written, with how many were since the last
  ///   call; they are not committed before this returns.
  package func apply(
    _ segments: [ImportableSegment], now: HybridTime, nonce: UInt64, foldBytes: Int = 24 << 20,
    onProgress: @escaping (_ operations: Int) -> Void = { _ in }
  ) throws -> ImportedPart {
    try write { db in
      var fold = try ImportFold(db, limit: foldBytes, onProgress: onProgress)
      for segment in segments { try fold.take(segment) }
      var part = try fold.finish()
      part.releasedRemovals = try PendingRemovals.release(db, now: now, nonce: nonce)
      if part.releasedRemovals > 0 { try Outbox.fixBatches(db) }
      return part
    }
  }
}

/// Collects operations by document, so that each row is read and written once, in key order.
///
/// When they take too much memory, they are written, and collecting begins anew; a document may
/// then be written more than once.
private struct ImportFold {
  private struct Step {
    let effect: DocumentState.Effect
    let stamp: Stamp
    let context: Context
  }

  private let db: Database
  private var streams: StreamDirectory
  private var table: DocumentTable
  private let own: StreamID?
  /// What is applied with all its operations taken: without the transaction in hand.
  private var whole: Context
  private var clock = HybridClock(latest: .zero)
  private var steps: [DocumentKey: [Step]] = [:]
  private let limit: Int
  private let onProgress: (Int) -> Void
  /// About how much memory the steps take.
  private var heldBytes = 0
  private var hasWritten = false
  private var part = ImportedPart()
  private var devices: [StreamID: ImportedPart.FromDevice] = [:]

  init(_ db: Database, limit: Int, onProgress: @escaping (Int) -> Void) throws {
    self.db = db
    self.limit = limit
    self.onProgress = onProgress
    streams = try StreamDirectory(db)
    table = try DocumentTable(db)
    let device = try DeviceRecord.fetch(db)
    guard device?.leftAt == nil else { throw StorageError.left }
    own = device?.stream
    whole = streams.frontier.applied
  }

  mutating func take(_ importable: ImportableSegment) throws {
    let range = importable.segment.range
    let position = streams.position(of: range.stream)
    guard position.sequence < range.last else {
      try noteKnown(importable, position: position)
      return
    }
    // Behind a hole: another process may have taken something back; a later scan decides.
    guard position.sequence + 1 >= range.first else { return }
    let transactions: [Transaction]
    do throws(SegmentError) {
      transactions = try importable.segment.transactions(after: position)
    } catch {
      part.rejected[importable.file] = error
      return
    }
    if let name = importable.segment.deviceName, DeviceName.isValid(name) {
      try streams.setName(name, of: range.stream, db)
    }
    for transaction in transactions { try take(transaction) }
    part.segments += 1
    part.applied.append(importable.file)
    let fingerprint = streams.position(of: range.stream).fingerprint
    try remember(importable, fingerprint: fingerprint)
    try SegmentArchive.store(
      importable.bytes, of: range, digest: importable.digest, fingerprint: fingerprint,
      stream: try streams.number(of: range.stream, db), db)
  }

  private mutating func take(_ transaction: Transaction) throws {
    let header = transaction.header
    try streams.apply(header, newer: .newer(in: transaction.operations), db)
    clock.merge(header.time)
    var device = devices[header.stream] ?? fromDevice(header.stream)
    device.transactions += 1
    device.operations += transaction.operations.count
    devices[header.stream] = device
    for (index, operation) in transaction.operations.enumerated() {
      let step = Step(
        effect: DocumentState.Effect(operation), stamp: header.stamp(index),
        context: header.context)
      heldBytes += MemoryLayout<Step>.stride + operation.payload.count
      if steps[operation.document]?.append(step) == nil {
        steps[operation.document] = [step]
        heldBytes += Self.documentBytes
      }
      if heldBytes > limit { try writeDocuments() }
    }
    whole = streams.frontier.applied
  }

  /// What a document takes beside its steps: its place in the dictionary, and an array.
  private static let documentBytes = 160

  private func fromDevice(_ stream: StreamID) -> ImportedPart.FromDevice {
    ImportedPart.FromDevice(stream: stream, name: streams.row(of: stream)?.name)
  }

  /// A segment whose whole range is applied: the same content again, or another branch.
  private mutating func noteKnown(
    _ importable: ImportableSegment, position: StreamPosition
  ) throws {
    let number = try streams.number(of: importable.segment.range.stream, db)
    let standing = try SegmentRecords.standing(
      of: importable, position: position, stream: number, own: own, db)
    switch standing {
    case .applied(let fingerprint):
      part.duplicates.append(importable.file)
      try remember(importable, fingerprint: fingerprint)
      // What has other borders than what was applied is not kept twice.
      try SegmentArchive.storeIfAwaited(
        importable, fingerprint: fingerprint, stream: number, db)
    case .beingPublished: break
    case .otherBranch: part.rejected[importable.file] = .otherBranch
    }
  }

  private mutating func remember(
    _ importable: ImportableSegment, fingerprint: Fingerprint
  ) throws {
    let range = importable.segment.range
    try SegmentRecords.note(
      range, digest: importable.digest, hasOwnName: importable.isUnderOwnName,
      fingerprint: fingerprint, stream: try streams.number(of: range.stream, db), db)
  }

  /// Writes what was collected.
  ///
  /// Also in the middle of a transaction: all of this is one transaction of SQLite's.
  private mutating func writeDocuments() throws {
    var done = 0
    for key in steps.keys.sorted() {
      let steps = self.steps[key] ?? []
      try fold(steps, into: key)
      done += steps.count
      guard done >= Self.progressSteps else { continue }
      onProgress(done)
      done = 0
    }
    onProgress(done)
    steps = [:]
    heldBytes = 0
    hasWritten = true
  }

  private static let progressSteps = 2000

  mutating func finish() throws -> ImportedPart {
    try writeDocuments()
    try streams.save(db)
    try DeviceRecord.raiseClock(to: clock.latest, db)
    part.devices = devices.values.sorted { $0.stream < $1.stream }
    try ChangeLog.append(part.devices.map { CommittedChange.Origin($0) }, db)
    return part
  }

  private mutating func fold(_ steps: [Step], into key: DocumentKey) throws {
    var state = try table.state(of: key, streams: streams)
    var changes: [StreamID: Set<Path>] = [:]
    for step in steps {
      guard state.apply(step.effect, stamp: step.stamp, context: step.context) else { continue }
      changes[step.stamp.dot.stream, default: []].insert(step.effect.path)
    }
    guard !changes.isEmpty else { return }
    // Not what the transaction in hand claims: its later operations have not come to this document.
    state.settle(arrived: whole)
    let isVisible = try table.save(state, of: key) { try streams.number(of: $0, db) }
    for (stream, paths) in changes {
      guard var device = devices.removeValue(forKey: stream) else { continue }
      device.note(key, isDeleted: !isVisible, paths: paths, mayBeKnown: hasWritten)
      devices[stream] = device
    }
  }
}
