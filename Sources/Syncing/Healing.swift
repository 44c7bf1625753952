import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// Puts back what this device published and the folder has lost, byte for byte (protocol.md 27).
///
/// Also what devices published that never come back (28), and whoever goes on from a stream of this
/// one's; and of any stream, a branch that was written whole here since what it leaned on has gone.
/// As the files are the same, it harms nobody if several devices do.
///
/// Names and sizes are compared at each full scan. What stands in a file is read where that has
/// changed since the scan before, where somebody has read it already and found it damaged, and
/// where its size is another one: it may be compressed otherwise.
struct Healing {
  let device: Device

  /// What was put back, and the first thing that hindered it.
  struct Outcome {
    var count = 0
    var failure: (any Error & Sendable)?
    /// How often the folder, not a directory of it, refused a file.
    fileprivate var refusals = 0
    fileprivate var isRefused: Bool { refusals >= maximumFailures }
  }

  private static func isOfWholeFolder(_ errno: Errno) -> Bool {
    [.noSpace, .diskQuotaExceeded, .readOnlyFileSystem].contains(errno)
  }

  /// A directory that refuses so many files refuses all; that of the next stream may be another's.
  private static let maximumFailures = 8

  /// Nothing is put into a directory that could not be listed: it may have all of it.
  ///
  /// - parameter listing: of the whole folder, all of which is imported.
  func putBack(
    whatLacks listing: FolderListing, _ knowledge: inout FolderKnowledge
  ) throws -> Outcome {
    let kept = try device.database.keptStreams()
    let completed = Dictionary(
      grouping: try device.database.completedSegments(), by: \.stream)
    let present = files(of: Set(kept).union(completed.keys), in: listing)
    var outcome = Outcome()
    let unreadable = Set(listing.unreadable.compactMap(\.path.lastComponent))
    func putBack(_ wanted: [ArchivedSegment], of stream: StreamID) throws {
      guard !outcome.isRefused, !isIn(unreadable, stream) else { return }
      let lacking = wanted.filter { !isThere($0, among: present, &knowledge) }
      guard !lacking.isEmpty else { return }
      // What a statement has that waits is not missed: whoever has heeded it takes that away.
      let statements = try statements(of: stream, lacking: lacking)
      let missed = lacking.filter { segment in
        !statements.contains { $0.leavesOut(of: segment) }
      }
      try self.putBack(missed, into: &outcome)
    }
    for stream in kept {
      try putBack(try device.database.archivedSegments(of: stream), of: stream)
    }
    for (stream, segments) in completed.sorted(by: { $0.key < $1.key }) {
      try putBack(segments, of: stream)
    }
    for stream in kept {
      try forgetLooks(of: stream, listing, but: present, &knowledge)
    }
    return outcome
  }

  /// Forgets how those files looked which compaction took out of the folder: a process that goes on
  /// for months makes many.
  ///
  /// Only of a directory that was listed, and of no file that the archive has: that one is to be
  /// compared with what stands there when it is back.
  private func forgetLooks(
    of stream: StreamID, _ listing: FolderListing, but present: [FileKey: FolderListing.File],
    _ knowledge: inout FolderKnowledge
  ) throws {
    guard let directory = device.container.directory(of: stream).lastComponent,
      listing.directories.contains(directory)
    else { return }
    let gone = knowledge.goneOriginals(in: directory.bytes) { present[$0] != nil }
    guard !gone.isEmpty else { return }
    let wanted = Set(
      try device.database.archivedSegments(of: stream).map {
        SegmentName(first: $0.first, last: $0.last, digest: $0.digest)
      })
    for (key, name) in gone where !wanted.contains(name) { knowledge.forgetLook(of: key) }
  }

  /// The statements about a stream that are not heeded yet.
  ///
  /// - parameter lacking: what the folder has not.
  private func statements(
    of stream: StreamID, lacking: [ArchivedSegment]
  ) throws -> [WaitingStatement] {
    try device.database.archivedSegments(of: stream).filter { $0.isReduced && !$0.isHeeded }
      .compactMap { segment in
        do {
          guard let kept = try device.database.archivedFile(of: segment) else { return nil }
          let start = StreamPosition(
            sequence: segment.first - 1, fingerprint: kept.range.fingerprintBefore,
            context: Context())
          let tips = try SegmentFile.decode(kept.file.bytes).segment.transactions(after: start)
            .map(\.header.fingerprint)
          return WaitingStatement(
            segment: segment, tips: Set(tips), isThere: !lacking.contains(segment))
        } catch StorageError.damaged {
          // What has rotted says nothing; `doctor` tells of it.
          return nil
        }
      }
  }

  /// - parameter segments: one stream's.
  private func putBack(_ segments: [ArchivedSegment], into outcome: inout Outcome) throws {
    var failures = 0
    for segment in segments {
      do {
        if try putBack(segment) { outcome.count += 1 }
      } catch let error as StorageError {
        // The database is damaged there; what it holds of other files may be whole.
        outcome.failure = outcome.failure ?? error
      } catch let error as FileError {
        // Another file may still be put back.
        outcome.failure = outcome.failure ?? error
        failures += 1
        if Self.isOfWholeFolder(error.errno) { outcome.refusals += 1 }
        guard failures < Self.maximumFailures, !outcome.isRefused else { return }
      }
    }
  }

  /// Most of a folder is others'.
  private func files(
    of streams: Set<StreamID>, in listing: FolderListing
  ) -> [FileKey: FolderListing.File] {
    // What has no proper name may be the copy of a file, and is of few.
    let files = listing.segments.filter { file in
      file.claim.map { streams.contains($0.stream) } ?? true
    }
    return Dictionary(files.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func isIn(_ directories: Set<FilePath.Component>, _ stream: StreamID) -> Bool {
    device.container.directory(of: stream).lastComponent.map(directories.contains) ?? false
  }

  /// Whether the folder has a segment's file whole, under its own name or beside what has taken
  /// that.
  private func isThere(
    _ segment: ArchivedSegment, among present: [FileKey: FolderListing.File],
    _ knowledge: inout FolderKnowledge
  ) -> Bool {
    let name = SegmentName(first: segment.first, last: segment.last, digest: segment.digest)
    let path = device.container.directory(of: segment.stream)
    guard let directory = path.lastComponent else { return false }
    var others: [FolderListing.File] = []
    for copy in 0..<ContainerFolder.maximumCopies {
      guard let component = name.component(copy: copy),
        let file = present[FileKey(directory: directory.bytes, name: component.bytes)]
      else { continue }
      // What cannot be looked at now is no reason to write.
      guard let status = try? device.container.files.status(of: path.appending(component)) else {
        return true
      }
      if status.size != segment.size {
        others.append(file)
      } else if isWhole(file, FileRecord.Look(status), segment, &knowledge) {
        return true
      }
    }
    // Last: where one has the size, none of these need be read.
    return others.contains { isOtherForm($0, of: segment, &knowledge) }
  }

  /// Whether a file of another size has what its name says, otherwise compressed: by another
  /// version of what compresses, on another device, or here before an upgrade.
  ///
  /// It is what the folder has, so it is kept here from then on, and is what would be put back; so
  /// sizes tell again at the next look, of whichever process.
  private func isOtherForm(
    _ file: FolderListing.File, of segment: ArchivedSegment, _ knowledge: inout FolderKnowledge
  ) -> Bool {
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    guard case .segment(let found, let look) = reader.read(file), found.digest == segment.digest
    else { return false }
    _ = knowledge.hasChanged(file.key, look, of: segment)
    // Where it cannot be kept now, it is read again at the next look.
    try? device.database.replaceForm(of: segment, by: found.bytes)
    return true
  }

  /// Whether a file of the right size has what its name says, as far as there is reason to doubt.
  private func isWhole(
    _ file: FolderListing.File, _ look: FileRecord.Look, _ segment: ArchivedSegment,
    _ knowledge: inout FolderKnowledge
  ) -> Bool {
    if let record = knowledge.record(of: file.key), record.look == look {
      return !record.reason.isOfContent
    }
    let before = knowledge.seen(file.key)
    guard knowledge.hasChanged(file.key, look, of: segment) else { return true }
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    switch reader.read(file) {
    case .segment(let found, _): return found.digest == segment.digest
    case .gone: return true
    case .setAside(let record):
      guard record.reason.isOfContent else {
        // What cannot be read now may be read later, and is to be compared then.
        knowledge.restore(before, of: file.key)
        return true
      }
      knowledge.note(record)
      return false
    }
  }

  private func putBack(_ segment: ArchivedSegment) throws -> Bool {
    // Verified: others would take what has a proper name for what belongs there.
    guard let kept = try device.database.archivedFile(of: segment) else { return false }
    try device.requireContainer()
    let publication = try device.container.publish(
      kept.file, of: kept.range,
      temporaryName: device.ambient.temporaryName())
    // A damaged file that has its name stays: what it is, nobody here can tell.
    return publication != .present
  }
}

/// A statement that is not heeded yet.
private struct WaitingStatement {
  let segment: ArchivedSegment
  /// The fingerprints of its transactions.
  let tips: Set<Fingerprint>
  /// Whether the folder has it.
  let isThere: Bool

  /// Whether it says that something of another segment is dead, which is not taken out here yet.
  ///
  /// Within its borders may be a branch, of which it says nothing. Of two statements with the same
  /// borders the folder has to have one; which of them whoever has heeded both keeps, is not known.
  func leavesOut(of other: ArchivedSegment) -> Bool {
    guard segment.first <= other.first, other.last <= segment.last,
      segment.digest != other.digest, tips.contains(other.fingerprint)
    else { return false }
    let isAsLong = segment.sequences == other.sequences
    return !(other.isReduced && isAsLong) || isThere || segment.digest < other.digest
  }
}
