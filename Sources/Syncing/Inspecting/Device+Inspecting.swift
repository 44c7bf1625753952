import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

// What a diagnosis asks of a device; nothing here writes.
extension Device {
  /// What is missing in front of files that wait, as the last import left it.
  package func knownGaps() throws -> [ImportReport.Gap] {
    var knowledge = FolderKnowledge(database: database, now: ambient.now)
    try knowledge.refresh()
    let summaries = try database.streamSummaries()
    let streams = Dictionary(uniqueKeysWithValues: summaries.map { ($0.stream, $0) })
    return knowledge.gaps().map { gap in
      ImportReport.Gap(
        stream: gap.stream, name: streams[gap.stream]?.name, first: gap.first, last: gap.last,
        since: streams[gap.stream]?.gapSince ?? ambient.now())
    }
  }

  /// Files that no import has looked at, though they are here.
  package struct WaitingFiles: Equatable, Sendable {
    package let count: Int
    /// When the first of them came, or was last touched, in milliseconds since 1970.
    package let since: Int64
  }

  /// What of a listing waits to be imported; nil if nothing.
  package func waitingFiles(in listing: FolderListing) throws -> WaitingFiles? {
    var knowledge = FolderKnowledge(database: database, now: ambient.now)
    try knowledge.refresh()
    let unread = listing.segments.filter { file in
      if let record = knowledge.record(of: file.key) { return hasChanged(record) }
      return !(file.claim.map { knowledge.isImported($0) } ?? false)
    }
    let times = unread.compactMap { file in
      let path = container.logs.appending(file.directory).appending(file.name)
      return (try? container.files.status(of: path))?.changed
    }
    guard let first = times.min() else { return nil }
    return WaitingFiles(count: times.count, since: first / 1_000_000)
  }

  /// Whether a file that an import has set aside looks otherwise by now, or is gone: the next one
  /// looks at it again, or forgets it.
  package func hasChanged(_ record: FileRecord) -> Bool {
    guard record.reason.isSetAside,
      let directory = FilePath.Component(bytes: record.key.directory),
      let name = FilePath.Component(bytes: record.key.name)
    else { return false }
    do {
      let path = container.logs.appending(directory).appending(name)
      return FileRecord.Look(try container.files.status(of: path)) != record.look
    } catch {
      return error.errno == .noSuchFileOrDirectory
    }
  }

  /// The files with content that another one has under its proper name.
  ///
  /// Not such as stand beside that, since it is damaged or gone: those are what other devices read.
  package func dispensableCopies(in listing: FolderListing) throws -> [FileKey] {
    let records = try database.fileRecords()
    let copies = listing.segments.filter { records[$0.key]?.reason == .duplicate }
    guard !copies.isEmpty else { return [] }
    let whole = Set(listing.segments.map(\.key).filter { records[$0]?.reason.isSetAside != true })
    let reader = SegmentReader(container: container, expected: record.container)
    return copies.filter { copy in
      switch reader.read(copy) {
      case .segment(let found, _):
        let range = found.segment.range
        let name = SegmentName(first: range.first, last: range.last, digest: found.digest)
        let proper = FileKey(
          directory: Array(range.stream.description.utf8), name: Array(name.text.utf8))
        return proper != copy.key && whole.contains(proper)
      // Of a container that was adopted: what it has is published under this one.
      case .setAside(let record): return record.reason == .otherContainer
      case .gone: return false
      }
    }.map(\.key)
  }

  /// Which transactions this device has published that the folder does not hold.
  ///
  /// Reads and verifies all of its files; the next import puts back those that are damaged.
  package func missingOwnTransactions() throws -> [ClosedRange<UInt64>] {
    try OwnSegments(of: self).missing()
  }
}
