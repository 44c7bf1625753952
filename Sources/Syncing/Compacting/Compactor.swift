import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What a compaction did.
package struct CompactionReport: Sendable {
  /// Segments that became part of larger ones.
  package var joined = 0
  /// The larger ones, how many transactions they hold, and how many bytes they have.
  package var written = 0
  package var writtenTransactions = 0
  package var writtenBytes = 0
  /// Operations that are left out of them, since they are dead.
  package var dropped = 0
  /// Files that are gone, since another has what they held.
  package var removed: [FilePath] = []
  /// Files that another has what they hold, and that have to stay for now.
  package var waiting = 0
  /// What was done for the blobs of this device.
  package var blobs = BlobReport()
  /// Whether it ended early because it was asked to; the next one goes on.
  package var isStopped = false

  package init() {}
}

/// Writes what this device has published in many small files into few large ones, and takes the
/// small ones out of the folder once nobody can need them (protocol.md 22, 23).
///
///     let report = try Compactor(device: device).run()
///
/// A joined segment has the same transactions, with the same fingerprints, less operations that
/// nobody can need any more (``DeadSegments``).
///
/// Each step leaves a state from which any process goes on: first the database has the joined
/// segment in the place of the others, then its file is written, as one that the folder has lost
/// would be; and which files are not needed any more is seen by comparing the folder with the
/// database, not remembered.
package struct Compactor {
  let device: Device
  let limits: CompactionLimits
  /// How long this machine keeps what was dropped, in milliseconds, for what may still lean on it:
  /// somebody may come back after a year.
  private static let spentLife: Int64 = 400 * 86_400_000
  /// Asked between files whether to end early.
  ///
  /// The first of each kind of work on a stream is done all the same: to find out what there is to
  /// do may take all the time of a pass, where the folder is slow, and the next one begins there
  /// again.
  package var isStopping: () -> Bool = { false }
  /// Asked before that, and within a blob, which may be large, whether to give up; then
  /// ``isStopping`` says so, too.
  package var isCancelled: () -> Bool = { false }

  package init(device: Device, limits: CompactionLimits = .standard) {
    self.device = device
    self.limits = limits
  }

  /// Joins what is to be joined, and removes what is not needed any more; then looks after the
  /// blobs.
  ///
  /// What one stream's directory or segments refuse keeps none of the others waiting.
  ///
  /// - throws: ``ContainerError`` if the folder is not there or is another one; a ``FileError`` or
  ///   ``StorageError`` if the folder cannot be written, or the database not: the first one, after
  ///   all else was done. What was done by then stays, and nothing is lost by it.
  package func run() throws -> CompactionReport {
    try device.requireContainer()
    let device = try device.settled()
    do {
      try device.database.noteLook(now: device.ambient.now())
    } catch StorageError.full {
      // What is removed may mend that. Less time counts until one is noted.
    }
    // A clock that was ahead has been put right: what is not yet will not come for long.
    try device.database.clampTimes(to: device.ambient.now())
    try device.database.noteArrivals(now: device.ambient.now())
    try device.database.removeSpent(
      before: device.time(of: Self.spentLife, limits), unless: isStopping)
    var report = CompactionReport()
    try heed(into: &report)
    var failure: (any Error)?
    let streams = try device.database.compactableStreams()
    let (isDeclared, hindrance) = try declareDropped(of: streams)
    failure = hindrance
    let limits = isDeclared ? limits : limits.keepingAll
    for stream in inTurn(streams) {
      do {
        try compact(stream, limits, into: &report)
      } catch let error where Self.isOfOneStream(error) {
        failure = failure ?? error
      }
      guard !report.isStopped else { break }
    }
    if !report.isStopped {
      do {
        report.blobs = try BlobUpkeep(
          device: device, limits: limits, isStopping: isStopping, isCancelled: isCancelled
        ).run()
        report.isStopped = report.blobs.isStopped
      } catch {
        failure = failure ?? error
      }
    }
    // Last: of what had to stay much may have to be looked at, each time, and nothing come of it;
    // nothing else is to wait for that, which may never end within its time.
    if !report.isStopped { try heed(unfinished: true, into: &report) }
    if let failure { throw failure }
    return report
  }

  /// Whether to end before the next of a kind of work.
  ///
  /// - parameter hasDone: whether some of it was done in this pass.
  func isEnding(_ hasDone: Bool) -> Bool { isStopping() && (hasDone || isCancelled()) }

  /// The streams; where hardly anything is done in each pass, with another one first each time.
  private func inTurn(_ streams: [CompactableStream]) -> [CompactableStream] {
    guard streams.count > 1, isStopping() else { return streams }
    let first = Int(device.nonce % UInt64(streams.count))
    return Array(streams[first...] + streams[..<first])
  }

  /// Whether what hinders the work on one stream need not hinder that on another: a directory that
  /// is somebody else's, a segment that has rotted; not a database that takes nothing, nor a folder
  /// that is away.
  static func isOfOneStream(_ error: any Error) -> Bool {
    switch error {
    case is FileError, is SegmentError, StorageError.damaged, StorageError.failed: true
    default: false
    }
  }

  private func compact(
    _ compactable: CompactableStream, _ limits: CompactionLimits,
    into report: inout CompactionReport
  ) throws {
    let stream = compactable.stream
    let isUnread = try compactable.mayDrop && hasUnread(of: stream)
    let limits = isUnread || !compactable.mayDrop ? limits.keepingAll : limits
    let archived = compactable.writable(of: try device.database.archivedSegments(of: stream))
    let plan = JoinPlan(of: archived, limits: limits)
    try device.database.noteLarge(plan.large, now: device.ambient.now())
    // What others have dropped is told again by what takes its place: where nothing may be said of
    // what is dropped, each would be tried in vain, in each pass.
    let isTold = try device.database.statement(historyStart: .zero) != nil
    try join(
      plan.runs.filter { isTold || !$0.parts.contains(where: \.isReduced) }, of: stream, limits,
      into: &report)
    guard !isCancelled() else {
      report.isStopped = true
      return
    }
    let (waiting, written) = (report.waiting, report.written)
    var replaced = ReplacedFiles(device: device, stream: stream, limits)
    try replaced.remove(ending: isEnding, into: &report)
    if compactable.mayDrop, isTold { try drop(from: stream, limits, into: &report) }
    guard report.written > written, !isCancelled() else { return }
    // What was written anew less what is dead takes the place of a file, too.
    report.waiting = waiting
    replaced = ReplacedFiles(device: device, stream: stream, limits)
    try replaced.remove(ending: isEnding, into: &report)
  }

  private func join(
    _ runs: [JoinPlan.Run], of stream: StreamID, _ limits: CompactionLimits,
    into report: inout CompactionReport
  ) throws {
    var hasTried = false
    for planned in runs {
      for run in try readable(planned) {
        guard !isEnding(hasTried) else {
          report.isStopped = true
          return
        }
        try join(run, of: stream, limits, into: &report)
        hasTried = true
      }
    }
  }

  /// Writes segments anew of which enough is dead, and finds out what is dead of others; first
  /// where that was looked at longest ago, so that all get their turn.
  private func drop(
    from stream: StreamID, _ limits: CompactionLimits, into report: inout CompactionReport
  ) throws {
    let dead = DeadSegments(device: device, limits: limits)
    let looks = try device.database.looksForDead(in: stream)
    let segments = try device.database.archivedSegments(of: stream).sorted { one, other in
      (looks[one.digest] ?? .min, one.first) < (looks[other.digest] ?? .min, other.first)
    }
    var hasDone = false
    for segment in segments where try dead.concerns(segment) {
      guard !isEnding(hasDone) else {
        report.isStopped = true
        return
      }
      switch try dead.need(of: segment) {
      case .writing:
        let run = JoinPlan.Run(parts: [segment], level: segment.level)
        let isWritten = try join(run, of: stream, limits, into: &report)
        // What was dead may be so no more.
        hasDone = try isWritten || dead.lookAgain(at: segment) || hasDone
      case .looking: hasDone = try dead.lookAgain(at: segment) || hasDone
      case .nothing: break
      }
    }
  }

  /// Takes out what was dropped.
  ///
  /// What shows here of it after all is written anew.
  private func heed(unfinished: Bool = false, into report: inout CompactionReport) throws {
    let isDone = try device.database.heedStatements(
      unfinished: unfinished, limits.heeding, now: device.ambient.time, nonce: device.nonce,
      ending: isEnding)
    if !isDone { report.isStopped = true }
  }

  /// - returns: whether anything was to be written.
  @discardableResult
  private func join(
    _ run: JoinPlan.Run, of stream: StreamID, _ limits: CompactionLimits,
    into report: inout CompactionReport
  ) throws -> Bool {
    let joining = SegmentJoining(device: device, limits: limits)
    let database = device.database
    let (joined, dropped): (JoinedSegment, Int)
    switch try joining.outcome(of: run) {
    case .joined(let segment, let count): (joined, dropped) = (segment, count)
    case .hardlySmaller(let dead):
      if let segment = run.parts.first { try database.noteUnpaid(segment, dropping: dead) }
      return false
    case .nothing: return false
    }
    guard run.parts.count > 1 || dropped > 0 else { return false }
    guard
      try database.replaceArchived(run.parts, by: joined, now: device.ambient.now())
    else { return true }
    if joined.statement != nil { try heed(into: &report) }
    try device.requireContainer()
    let publication = try device.container.publish(
      joined.file, of: joined.range, temporaryName: device.ambient.temporaryName())
    // What has the proper name of a renamed file is something else, which imports shall look at.
    switch publication {
    case .written, .present: try database.noteNamed(joined)
    case .renamed: break
    }
    if run.parts.count > 1 { report.joined += run.parts.count }
    report.dropped += dropped
    report.written += 1
    report.writtenTransactions += Int(joined.range.last - joined.range.first) + 1
    report.writtenBytes += joined.file.bytes.count
    return true
  }
}
