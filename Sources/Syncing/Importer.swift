import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// Brings what other devices wrote from the folder into the database.
///
/// The names in the folder less the names imported are what is to be read (lessons.md 5); times
/// decide nothing. Not for use by several threads at once.
///
///     let report = try Importer(device: device).importAll()
package final class Importer {
  private let device: Device
  private let limits: ImportPart.Limits
  private let reader: SegmentReader
  private var knowledge: FolderKnowledge
  /// Called after each commit with what it brought.
  package var onPart: (ImportedPart) throws -> Void = { _ in }
  /// Called with how many documents were written anew, where some were, since others had deleted
  /// and forgotten what was edited here.
  package var onRevived: (Int) throws -> Void = { _ in }
  /// Called with how many removals that had waited here were given up, where some were.
  package var onRemovalsGivenUp: (Int) throws -> Void = { _ in }
  /// Called as files are read and operations written, some hundred times a second.
  package var onProgress: (ImportProgress) -> Void = { _ in }
  /// Asked between files, and between transactions of the database, whether to end early; what is
  /// committed by then stays.
  package var isStopping: () -> Bool = { false }
  private var progress = ImportProgress()
  /// What is imported though something was dropped from it; nil if all is.
  private var exceptions: Set<ImportedNames.Name>?
  /// What is to be taken in before what lacks something of it; nil if nothing is.
  private var awaited: AwaitedOriginals?
  /// Whether a file was left for that.
  private var isAwaiting = false
  private var forks = ForkDetection.Memory()
  /// How many files of its own it remembers, so that it reads none again: no more than are there,
  /// but for a few.
  package var rememberedFiles: (looks: Int, names: Int) { (knowledge.seenCount, forks.count) }

  /// - parameter limits: how much is read before it is written.
  package init(device: Device, limits: ImportPart.Limits = .standard) {
    self.device = device
    self.limits = limits
    reader = SegmentReader(container: device.container, expected: device.record.container)
    knowledge = FolderKnowledge(database: device.database, now: device.ambient.now)
  }

  /// Publishes what waits, and imports all that has arrived.
  ///
  /// - parameter directories: the sub-folders of `logs/` to look into; nil for all.
  /// - throws: ``ContainerError`` if the folder is not there, or is another one, or not that in
  ///   which the device works any more; a ``FileError`` or ``StorageError`` if the folder cannot be
  ///   listed, the names of this device's own files not be kept on its disk, or the database not be
  ///   written. A file that cannot be read is no error: it is set aside, and the rest goes on.
  package func importAll(
    in directories: Set<FilePath.Component>? = nil
  ) throws -> ImportReport {
    try requireHome()
    try device.requireContainer()
    awaited = try device.awaited(device)
    isAwaiting = false
    var report = ImportReport()
    let givenUp = try device.database.releaseRemovals(
      now: device.ambient.time, nonce: device.nonce)
    try tell(removalsGivenUp: givenUp, in: &report)
    publish(into: &report)
    try knowledge.refresh()
    let listing = try device.container.list(directories: directories)
    // Where the mount went meanwhile nothing was there, and nothing is to be forgotten for that.
    try device.requireContainer()
    try take(listing, into: &report)
    try heed(into: &report)
    if directories == nil {
      knowledge.forgetAbsent(from: listing)
      Leftovers(device: device).remove(from: listing)
    }
    note(listing.unreadable)
    try recogniseAdopted(listing, into: &report)
    try knowledge.save()
    // Importing may have closed what local removals waited for.
    if try report.publishingFailure != nil || device.database.unpublishedCount() > 0 {
      publish(into: &report)
    }
    // What is left may have the place of what would be put back.
    if directories == nil, !isAwaiting { try heal(listing, into: &report) }
    try summarize(listing, into: &report)
    return report
  }

  /// Imports what nothing was dropped from, and leaves the rest for ``importAll(in:)``.
  ///
  /// For whoever takes another database's place. That one had originals of which others have
  /// dropped something since: only where they are taken in before the file that lacks it, it is
  /// seen whether something written here stands on them (protocol.md 24).
  ///
  /// - parameter heeded: What that one had taken in, too, with what is dropped from it: what it
  ///   kept besides may stand behind that.
  func importOriginals(besides heeded: Set<ImportedNames.Name>) throws -> ImportReport {
    exceptions = heeded
    defer { exceptions = nil }
    try requireHome()
    try device.requireContainer()
    var report = ImportReport()
    publish(into: &report)
    try knowledge.refresh()
    let listing = try device.container.list()
    try take(listing, into: &report)
    try recogniseAdopted(listing, into: &report)
    try knowledge.save()
    return report
  }

  /// Whether a file is not imported for now, since something was dropped from it.
  private func isLeft(_ held: HeldSegment) -> Bool {
    let range = held.range
    // Most are told by their place: to unpack them takes longer than all else.
    let mayBeHeldUp = awaited?.holdUp(range.first...range.last, of: range.stream) ?? false
    guard exceptions != nil || mayBeHeldUp,
      let (segment, digest) = try? SegmentFile.decode(held.bytes), segment.isReduced
    else { return false }
    let name = ImportedNames.Name(
      stream: range.stream, first: range.first, last: range.last, digest: digest)
    if let exceptions { return !exceptions.contains(name) }
    guard awaited?.holdUp(name) == true else { return false }
    isAwaiting = true
    return true
  }

  /// Where the device has been initialised in another folder since this process has opened it, what
  /// is put back or removed here would be in the wrong one.
  private func requireHome() throws { _ = try device.homes() }

  /// At once: what is committed no later import tells of, should this one fail.
  private func tell(removalsGivenUp count: Int, in report: inout ImportReport) throws {
    guard count > 0 else { return }
    report.removalsGivenUp += count
    try onRemovalsGivenUp(count)
  }

  /// Takes out what others have dropped, as far as all is here that they had.
  private func heed(into report: inout ImportReport) throws {
    let isDone = try device.database.heedStatements(
      limits.heeding, now: device.ambient.time, nonce: device.nonce, unless: isStopping
    ) { count in
      report.revived += count
      try onRevived(count)
    }
    if !isDone { report.isStopped = true }
  }

  private func publish(into report: inout ImportReport) {
    guard !isStopping() else {
      report.isStopped = true
      return
    }
    do {
      let published = try Publisher(device: device).publishEach(
        unless: isStopping, remembering: &forks)
      report.published += published.transactions
      report.hasNewStream = report.hasNewStream || published.hasNewStream
      knowledge.learn(published.segments)
      report.publishingFailure = published.failure
    } catch {
      // The import goes on; the caller reports it.
      report.publishingFailure = error
    }
  }

  /// Puts back what the folder has lost, once all that it holds is here.
  private func heal(_ listing: FolderListing, into report: inout ImportReport) throws {
    // A folder that is another's, or a database that fails, is nothing to put back from.
    guard !report.isStopped, report.publishingFailure.map({ $0 is FileError }) ?? true else {
      return
    }
    let outcome = try Healing(device: device).putBack(whatLacks: listing, &knowledge)
    try knowledge.save()
    report.putBack = outcome.count
    report.publishingFailure = report.publishingFailure ?? outcome.failure
  }

  private func note(_ unreadable: [FileError]) {
    for error in unreadable {
      guard let directory = error.path.lastComponent else { continue }
      knowledge.note(
        FileRecord(
          key: FileKey(directory: directory.bytes, name: []), look: .none, reason: .unreadable,
          detail: error.errno.description))
    }
  }

  /// Takes a file of another container for a copy where all of its transactions are here: under
  /// the container that has adopted that one (protocol.md 29), whichever device did it.
  private func recogniseAdopted(
    _ listing: FolderListing, into report: inout ImportReport
  ) throws {
    let records = knowledge.otherContainers(all: report.segments > 0)
    guard !records.isEmpty else { return }
    for file in listing.segments {
      guard let record = records[file.key], let name = record.detail,
        let container = ContainerID(name)
      else { continue }
      let reader = SegmentReader(container: device.container, expected: container)
      guard case .segment(let found, let look) = reader.read(file),
        try device.database.holds(found.segment)
      else { continue }
      if !knowledge.isNew(file.key) { report.restored.append(file.key) }
      knowledge.note(
        FileRecord(key: file.key, look: look, reason: .duplicate, detail: name))
    }
  }

  /// Reads and applies until nothing more fits; a segment that fills a hole makes others fit.
  private func take(_ listing: FolderListing, into report: inout ImportReport) throws {
    let ready = try knowledge.readyAfterWaiting()
    var candidates = listing.segments.filter { ready.contains($0.key) || needsReading($0) }
    while !candidates.isEmpty {
      let before = report.segments
      try device.database.importing { try readAndApply(candidates, into: &report) }
      guard report.segments > before, !report.isStopped else { return }
      let ready = try knowledge.readyAfterWaiting()
      candidates = ready.isEmpty ? [] : listing.segments.filter { ready.contains($0.key) }
    }
  }

  private func needsReading(_ file: FolderListing.File) -> Bool {
    let isImported = file.claim.map { knowledge.isImported($0) } ?? false
    let known = knowledge.record(of: file.key)
    // What stands there now may be something else than what was imported under that name.
    if isImported, known?.reason.isOfContent != true {
      knowledge.forget(file.key)
      return false
    }
    guard let record = known else { return true }
    // What hindered it (a failing disk, too many open files, a group's permission) may have passed
    // without a trace on the file.
    if record.reason == .unreadable { return true }
    let path = device.container.logs.appending(file.directory).appending(file.name)
    guard let status = try? device.container.files.status(of: path) else { return true }
    return FileRecord.Look(status) != record.look || record.isUnsettled
  }

  private func readAndApply(
    _ files: [FolderListing.File], into report: inout ImportReport
  ) throws {
    var part = ImportPart(limits: limits)
    progress.begin(files: files.count)
    // In each stream's order, so that a segment is read when it fits.
    let files = files.sorted(by: Self.precedes)
    let upcoming = UpcomingFiles(files, reader: reader)
    // Whoever stops in between wants nothing more to be read.
    defer { upcoming.end() }
    for (place, file) in files.enumerated() {
      guard !isStopping() else {
        report.isStopped = true
        return
      }
      defer { upcoming.pass(place) }
      switch upcoming.reading(place) {
      case .gone: knowledge.forget(file.key)
      case .setAside(let record): knowledge.note(record)
      case .segment(let segment, _) where isLeft(segment): break
      case .segment(let segment, let look):
        let range = segment.range
        // What is in the part may be a copy of what was applied long ago.
        let reached = max(part.reached(range.stream) ?? 0, knowledge.applied(range.stream))
        guard range.first <= reached + 1 else {
          noteWaiting(segment, look: look)
          break
        }
        let weight = SegmentWeight(of: segment)
        if !part.hasRoom(for: weight) { try apply(&part, of: upcoming, to: place, into: &report) }
        part.append(upcoming.queue(segment, at: place), look: look, weight: weight)
        progress.operationsRead += weight.operations
      }
      progress.files += 1
      onProgress(progress)
      if part.isFull { try apply(&part, of: upcoming, to: place + 1, into: &report) }
    }
    try apply(&part, of: upcoming, to: files.count, into: &report)
  }

  private func noteWaiting(_ segment: HeldSegment, look: FileRecord.Look) {
    do {
      // What is damaged is said at once: it may take long until its turn comes.
      try segment.verify()
      knowledge.noteWaiting(segment, look: look)
    } catch {
      knowledge.note(FileRecord(rejecting: error, key: segment.file, look: look))
    }
  }

  private static func precedes(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool {
    lhs.lexicographicallyPrecedes(rhs)
  }

  private static func precedes(_ lhs: FolderListing.File, _ rhs: FolderListing.File) -> Bool {
    let left = lhs.claim?.name.first ?? .max
    let right = rhs.claim?.name.first ?? .max
    return left == right ? lhs.key < rhs.key : left < right
  }

  /// Commits a part, and begins the next.
  ///
  /// - parameter end: Where that one begins.
  private func apply(
    _ part: inout ImportPart, of upcoming: UpcomingFiles, to end: Int,
    into report: inout ImportReport
  ) throws {
    let (files, foldBytes) = (part.files, part.foldBytes)
    part = ImportPart(limits: limits)
    guard !files.isEmpty else { return }
    try keepNames(of: files)
    let imported = try device.database.apply(
      files.map(\.segment), openedBy: upcoming.opener, now: device.ambient.time,
      nonce: device.nonce, foldBytes: foldBytes, onWritten: { upcoming.openAhead(from: end) }
    ) { [self] operations in
      progress.operations += operations
      onProgress(progress)
    }
    report.segments += imported.segments
    try tell(removalsGivenUp: imported.givenUpRemovals, in: &report)
    report.hasNewStream = report.hasNewStream || imported.hasNewStream
    for from in imported.devices {
      report.transactions += from.transactions
      report.operations += from.operations
      report.documents += from.documentCount
    }
    report.restored += try knowledge.learn(imported, from: files)
    try onPart(imported)
  }

  /// Has the disk keep the names of files that count as published here once they are applied.
  ///
  /// They come this way where a database was put back or made anew. Who published them may have
  /// died before it had seen to that. Where it fails they are not applied: nothing would come back
  /// to it.
  private func keepNames(of files: [ImportPart.File]) throws {
    let kept = Set(try device.database.keptStreams())
    let found = files.map(\.segment.held).filter { kept.contains($0.range.stream) }
    // A syncer may have made a second folder for a stream.
    for name in Set(found.map(\.file.directory)).sorted(by: Self.precedes) {
      guard let directory = FilePath.Component(bytes: name) else { continue }
      do {
        try device.container.files.synchronizeDirectory(
          device.container.logs.appending(directory))
      } catch {
        // Where it is gone its names went with it, and what the folder lacks is put back.
        if error.errno != .noSuchFileOrDirectory { throw error }
      }
    }
  }

  private func summarize(_ listing: FolderListing, into report: inout ImportReport) throws {
    let gaps = knowledge.gaps()
    // Also where no segment waits, and only others' contexts tell of it.
    let missing = try device.database.missingParts().map(\.stream)
    let since = try device.database.noteGaps(
      Set(gaps.map(\.stream) + missing), now: device.ambient.now())
    let names = Dictionary(
      uniqueKeysWithValues: try device.database.streamSummaries().map { ($0.stream, $0.name) })
    report.gaps = gaps.map { gap in
      ImportReport.Gap(
        stream: gap.stream, name: names[gap.stream] ?? nil, first: gap.first, last: gap.last,
        since: since[gap.stream] ?? device.ambient.now())
    }
    report.setAside = knowledge.setAside
    report.duplicates = knowledge.duplicateCount
    report.foreign = listing.foreign.count
    report.obstructed = listing.obstructed.sorted()
  }
}

extension FolderListing.File {
  var key: FileKey { FileKey(directory: directoryBytes, name: nameBytes) }
}
