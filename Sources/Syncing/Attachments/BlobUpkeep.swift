import BlobStorage
import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// What was done for the blobs of a device.
package struct BlobReport: Sendable, Equatable {
  /// Copies that were made of what others keep, since this device's operations refer to it.
  package var copied = 0
  /// Own copies that are gone, since nothing has referred to them for long; and their bytes.
  package var removed: [FilePath] = []
  package var removedBytes: Int64 = 0
  /// Own copies to which nothing refers, and that stay for now.
  package var waiting = 0
  /// Whether it ended early because it was asked to.
  package var isStopped = false

  package init() {}
}

/// Has a device keep its own copy of what its operations refer to, and removes copies of its own to
/// which no operation has referred for long (protocol.md 30).
///
/// A copy stays for as long as **any** operation that is kept here refers to it, whoever wrote
/// that: the author of a reference may not have its copy yet. Kept is also what lost a conflict,
/// what is not published, and what only a delete hides; of the last, what nobody can bring back any
/// more without undoing the delete goes once all live devices have said that they know of it.
struct BlobUpkeep {
  private let device: Device
  private let limits: CompactionLimits
  private let blobs: BlobFolder
  private let isStopping: () -> Bool
  private let isCancelled: () -> Bool
  /// So many are removed while attaching waits.
  private static let removedAtOnce = 64

  /// - parameters:
  ///   - isStopping: asked between blobs whether to end early; the first of those that go, and of
  ///     those that are copied, is done all the same.
  ///   - isCancelled: asked before that, and within blobs, whether to give up.
  init(
    device: Device, limits: CompactionLimits, isStopping: @escaping () -> Bool,
    isCancelled: @escaping () -> Bool
  ) {
    self.device = device
    self.limits = limits
    self.isStopping = isStopping
    self.isCancelled = isCancelled
    blobs = BlobFolder(device.container)
  }

  func run() throws -> BlobReport {
    var report = BlobReport()
    let streams = try blobs.streams()
    guard !streams.isEmpty else { return report }
    let existing = streams.reduce(into: Set<BlobHash>()) { all, stream in
      // Of one whose user lets nobody look, nothing can be had.
      all.formUnion((try? blobs.hashes(of: stream)) ?? [])
    }
    let scan = try BlobNeeds(device: device, among: existing, limits)
    let present = try device.database.device()?.stream ?? device.record.stream
    // Of a stream that branches somebody else may write what is not known here.
    let compactable = try Set(
      device.database.compactableStreams().filter(\.mayDrop).map(\.stream))
    var failure: FileError?
    for stream in streams where compactable.contains(stream) {
      guard !stops(&report, !report.removed.isEmpty) else { return report }
      do {
        let own = try blobs.hashes(of: stream).intersection(existing)
        try collect(own, of: stream, scan, isPresent: stream == present, into: &report)
      } catch let error as FileError {
        // A directory that refuses is no reason to leave the others, least of all what is missing.
        failure = failure ?? error
      }
    }
    BlobLeftovers(device: device, blobs: blobs).remove(of: present)
    // Behind what makes room.
    try copyMissing(scan.own, among: streams, into: &report)
    if let failure { throw failure }
    return report
  }

  /// - parameter hasDone: whether some of what is to be done next was done in this pass.
  private func stops(_ report: inout BlobReport, _ hasDone: Bool) -> Bool {
    let isEnding = isStopping() && (hasDone || isCancelled())
    report.isStopped = report.isStopped || isEnding
    return isEnding
  }

  // MARK: Keeping

  /// Makes own copies of what this device's operations refer to and it has none of.
  ///
  /// What somebody else may write to is not its own, though it looks after it: that of a device
  /// that was retired, and comes back, or of a copy of this one. They remove what they need no
  /// more.
  private func copyMissing(
    _ needed: Set<BlobHash>, among streams: [StreamID], into report: inout BlobReport
  ) throws {
    var missing = needed
    let sole = try Set(device.database.soleStreams())
    for stream in streams where sole.contains(stream) {
      missing.subtract(try blobs.hashes(of: stream))
    }
    guard !missing.isEmpty else { return }
    // Of one whose user lets nobody look, nothing can be had.
    let others = streams.filter { !sole.contains($0) }.map { stream in
      (stream, (try? blobs.hashes(of: stream)) ?? [])
    }
    let own = try device.database.device()?.stream ?? device.record.stream
    let ambient = device.ambient
    let writer = BlobWriter(
      blobs, stream: own, temporaryName: { ambient.temporaryName() }, isStopping: isCancelled)
    // With another one first each time: one that cannot be read may take all the time there is.
    let sorted = missing.sorted()
    let first = Int(device.nonce % UInt64(sorted.count))
    var hasTried = false
    for hash in sorted[first...] + sorted[..<first] {
      for (other, hashes) in others where hashes.contains(hash) {
        guard !stops(&report, hasTried) else { return }
        hasTried = true
        // What cannot be read now may be later.
        guard try copy(hash, from: other, with: writer) else { continue }
        report.copied += 1
        break
      }
    }
  }

  /// - returns: false if the other's copy is not whole, or cannot be read.
  private func copy(
    _ hash: BlobHash, from other: StreamID, with writer: BlobWriter
  ) throws -> Bool {
    try device.requireContainer()
    do {
      return try writer.store(hash, from: other) != nil
    } catch let error as FileError where error.path == blobs.file(hash, of: other) {
      return false
    } catch is CancellationError {
      return false
    }
  }

  // MARK: Removing

  /// - parameter own: its copies, but for those that came since the documents were looked at.
  private func collect(
    _ own: Set<BlobHash>, of stream: StreamID, _ scan: BlobNeeds, isPresent: Bool,
    into report: inout BlobReport
  ) throws {
    let notes = BlobNotes(blobs: blobs, stream: stream, device: device)
    let noted = notes.read()
    // A copy of this machine may write what this device wrote once; a retired one may come back.
    let grace = isPresent ? limits.grace : limits.grace + limits.horizon
    let now = device.ambient.now()
    var keeping = try BlobKeeping(
      own: own, needed: scan.needed, noted: noted, now: now,
      grace: now - device.time(of: grace, limits))
    let claims = try BlobClaims(device: device, blobs: blobs, stream: stream, limits)
    let hasUnused = !keeping.unused.isEmpty
    if hasUnused { keeping.keep(since: try claims.moment()) }
    keeping.beginAnew(now: now) { arrival(of: $0, stream) }
    let isCertain = try keeping.due.isEmpty || isComplete()
    if isCertain { leaveThoseMentioned(in: &keeping, now: now) }
    var rest = isCertain ? keeping.due[...] : []
    while !rest.isEmpty, !stops(&report, !report.removed.isEmpty) {
      let due = rest.prefix(Self.removedAtOnce)
      try device.requireContainer()
      // Where somebody attaches, or has written, the next run looks again.
      guard let lock = try BlobLock.exclusive(of: device) else { break }
      defer { lock.release() }
      guard try device.database.isUnchanged(since: scan.stamp) else { break }
      for hash in due {
        try remove(hash, of: stream, into: &report)
        keeping.forget(hash)
      }
      rest.removeFirst(due.count)
      try blobs.container.files.synchronizeDirectory(blobs.directory(of: stream))
    }
    report.waiting += keeping.unused.count
    if keeping.unused != noted { try note(keeping.unused, in: notes, scan.stamp) }
    if hasUnused, keeping.unused.isEmpty { claims.forget() }
  }

  /// Has those begin anew to which something referred since a look noted them, though it went again
  /// before this one: an undo, or a document that was written and changed.
  private func leaveThoseMentioned(in keeping: inout BlobKeeping, now: Int64) {
    let (due, unused) = (Set(keeping.due), keeping.unused)
    guard let first = due.compactMap({ unused[$0] }).min() else { return }
    var found: Set<BlobHash> = []
    do {
      let isWhole = try device.database.forEachOperation(stampedAfter: first) {
        path, payload, time in
        guard !isCancelled() else { throw CancellationError() }
        // One from the future tells of a clock that was ahead, and would have it stay for ever.
        guard time <= now else { return }
        let hashes = BlobHash.mentioned(in: payload, among: due)
          .union(BlobHash.mentioned(in: path.bytes, among: due))
        found.formUnion(hashes.filter { (unused[$0] ?? .max) < time })
      }
      // The next look asks again.
      if !isWhole { return keeping.keep(since: nil) }
    } catch {
      // What cannot be read may refer to any: all stay. What joins files tells of it.
      return keeping.keep(since: nil)
    }
    keeping.beginAnew(now: now, mentioned: found)
  }

  /// Since when a copy has been there, in milliseconds since 1970; nil if that cannot be told.
  private func arrival(of hash: BlobHash, _ stream: StreamID) -> Int64? {
    let status = try? blobs.container.files.status(of: blobs.file(hash, of: stream))
    return status.map { $0.modified / 1_000_000 }
  }

  /// Notes since when copies are unused.
  ///
  /// Where somebody attaches, or has written since the documents were looked at, none is noted that
  /// was not: it may have been referred to since, and a note would outlast that if it ends before
  /// the next run.
  private func note(
    _ unused: [BlobHash: Int64], in notes: BlobNotes, _ stamp: DatabaseStamp
  ) throws {
    let lock = try BlobLock.exclusive(of: device)
    defer { lock?.release() }
    let isCertain = try lock != nil && device.database.isUnchanged(since: stamp)
    try notes.change { noted in
      noted = isCertain ? unused : noted.filter { unused[$0.key] != nil }
    }
  }

  /// Whether all that is in the folder is in the documents: what has just come, waits or is set
  /// aside may refer to anything.
  private func isComplete() throws -> Bool {
    var knowledge = FolderKnowledge(database: device.database, now: device.ambient.now)
    try knowledge.refresh()
    guard knowledge.setAside.isEmpty, knowledge.gaps().isEmpty else { return false }
    let listing = try device.container.list()
    guard !listing.isMissing || !knowledge.knowsFiles else { return false }
    return listing.unreadable.isEmpty && listing.segments.allSatisfy { knowledge.hasRead($0) }
  }

  /// Removes a copy; what else has taken its name is nobody's to remove.
  private func remove(
    _ hash: BlobHash, of stream: StreamID, into report: inout BlobReport
  ) throws {
    let files = blobs.container.files
    let path = blobs.file(hash, of: stream)
    guard let status = try? files.status(of: path), status.kind == .regular else { return }
    try files.remove(path)
    report.removed.append(path)
    let (sum, overflow) = report.removedBytes.addingReportingOverflow(status.size)
    report.removedBytes = overflow ? .max : sum
  }
}
