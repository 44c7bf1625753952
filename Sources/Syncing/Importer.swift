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
  /// A part is committed when it has this many operations, or this many bytes in its files.
  private static let partOperations = 100_000
  private static let partBytes = 8 << 20

  private let device: Device
  private let reader: SegmentReader
  private var knowledge: FolderKnowledge
  /// Called after each commit with what it brought.
  package var onPart: (ImportedPart) throws -> Void = { _ in }
  /// Called as files are read: how many of how many.
  package var onProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in }

  package init(device: Device) {
    self.device = device
    reader = SegmentReader(container: device.container, expected: device.record.container)
    knowledge = FolderKnowledge(database: device.database)
  }

  /// Publishes what waits, and imports all that has arrived.
  ///
  /// - parameter directories: the sub-folders of `logs/` to look into; nil for all.
  /// - throws: ``ContainerError`` if the folder is not there or is another one; a ``FileError`` or
  ///   ``StorageError`` if the folder cannot be listed or the database not be written. A file that
  ///   cannot be read is no error: it is set aside, and the rest goes on.
  package func importAll(
    in directories: Set<FilePath.Component>? = nil
  ) throws -> ImportReport {
    try device.requireContainer()
    var report = ImportReport()
    publish(into: &report)
    try knowledge.refresh()
    let listing = try device.container.list(directories: directories)
    try take(listing, into: &report)
    if directories == nil {
      try knowledge.forgetAbsent(from: listing)
      Leftovers(device: device).remove(from: listing)
    }
    note(listing.unreadable)
    try knowledge.save()
    // Importing may have closed what local removals waited for.
    publish(into: &report)
    try summarize(listing, into: &report)
    return report
  }

  private func publish(into report: inout ImportReport) {
    do {
      report.published += try Publisher(device: device).publishAll().transactions
      report.publishingFailure = nil
    } catch {
      // The import goes on; the caller reports it.
      report.publishingFailure = error
    }
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

  /// Reads and applies until nothing more fits; a segment that fills a hole makes others fit.
  private func take(_ listing: FolderListing, into report: inout ImportReport) throws {
    let ready = knowledge.readyAfterWaiting()
    var candidates = listing.segments.filter { ready.contains($0.key) || needsReading($0) }
    while !candidates.isEmpty {
      let before = report.segments
      try readAndApply(candidates, into: &report)
      guard report.segments > before else { return }
      let ready = knowledge.readyAfterWaiting()
      candidates = ready.isEmpty ? [] : listing.segments.filter { ready.contains($0.key) }
    }
  }

  private func needsReading(_ file: FolderListing.File) -> Bool {
    if let claim = file.claim, knowledge.isImported(claim) {
      knowledge.forget(file.key)
      return false
    }
    guard let record = knowledge.record(of: file.key) else { return true }
    // What hindered it (a failing disk, too many open files, a group's permission) may have passed
    // without a trace on the file.
    if record.reason == .unreadable { return true }
    let path = device.container.logs.appending(file.directory).appending(file.name)
    guard let status = try? device.container.files.status(of: path) else { return true }
    return FileRecord.Look(status) != record.look
  }

  /// Segments that are read and not committed yet.
  private struct Part {
    var files: [(segment: ImportableSegment, look: FileRecord.Look)] = []
    var reached: [StreamID: UInt64] = [:]
    var operations = 0
    var bytes: Int64 = 0

    var isFull: Bool {
      operations >= Importer.partOperations || bytes >= Importer.partBytes
    }

    mutating func append(_ segment: ImportableSegment, look: FileRecord.Look) {
      let range = segment.segment.range
      files.append((segment, look))
      reached[range.stream] = max(reached[range.stream] ?? 0, range.last)
      operations += segment.segment.transactions.reduce(0) { $0 + $1.operations.count }
      bytes += look.size
    }
  }

  private func readAndApply(
    _ files: [FolderListing.File], into report: inout ImportReport
  ) throws {
    var part = Part()
    // In each stream's order, so that a segment is read when it fits.
    for (index, file) in files.sorted(by: Self.precedes).enumerated() {
      onProgress(index, files.count)
      switch reader.read(file) {
      case .gone: knowledge.forget(file.key)
      case .setAside(let record): knowledge.note(record)
      case .segment(let segment, let look):
        let range = segment.segment.range
        let reached = part.reached[range.stream] ?? knowledge.applied(range.stream)
        guard range.first <= reached + 1 else {
          knowledge.noteWaiting(segment, look: look)
          continue
        }
        part.append(segment, look: look)
        guard part.isFull else { continue }
        try apply(part.files, into: &report)
        part = Part()
      }
    }
    onProgress(files.count, files.count)
    try apply(part.files, into: &report)
  }

  private static func precedes(_ lhs: FolderListing.File, _ rhs: FolderListing.File) -> Bool {
    let left = lhs.claim?.name.first ?? .max
    let right = rhs.claim?.name.first ?? .max
    return left == right ? lhs.key < rhs.key : left < right
  }

  private func apply(
    _ files: [(segment: ImportableSegment, look: FileRecord.Look)],
    into report: inout ImportReport
  ) throws {
    guard !files.isEmpty else { return }
    let part = try device.database.apply(
      files.map(\.segment), now: device.ambient.time, nonce: device.nonce)
    report.segments += part.segments
    for from in part.devices {
      report.transactions += from.transactions
      report.operations += from.operations
      report.documents += from.documentCount
    }
    report.restored += try knowledge.learn(part, from: files)
    try onPart(part)
  }

  private func summarize(_ listing: FolderListing, into report: inout ImportReport) throws {
    let gaps = knowledge.gaps()
    let since = try device.database.noteGaps(
      Set(gaps.map(\.stream)), now: device.ambient.now())
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
  }
}

extension FolderListing.File {
  var key: FileKey { FileKey(directory: directory.bytes, name: name.bytes) }
}
