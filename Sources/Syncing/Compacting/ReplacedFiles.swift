import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// The files of one of this device's streams that hold nothing which another file does not hold.
///
/// They are found by comparison: a file whose name the database gave and whose content its archive
/// has within a larger segment. So one that a killed process left, or a syncer brought back, goes
/// with the others.
struct ReplacedFiles {
  /// A file, and the kept segments whose borders enclose it: of several branches, several.
  private struct Candidate {
    let file: FolderListing.File
    let name: SegmentName
    /// The fingerprint of its last transaction.
    let end: Fingerprint
    let larger: [ArchivedSegment]
  }

  private let device: Device
  private let stream: StreamID
  private let limits: CompactionLimits
  private let reader: SegmentReader
  /// What a segment has that stands in the folder, read back and verified.
  private struct Content {
    /// The fingerprints of its transactions; none if it does not stand there.
    var tips: [Fingerprint] = []
    var naming: Segment.Naming?
  }
  private var contents: [ArchivedSegment: Content] = [:]
  /// The segments that were read back before their directory was last synchronized.
  private var durable: Set<ArchivedSegment> = []

  init(device: Device, stream: StreamID, _ limits: CompactionLimits) {
    self.device = device
    self.stream = stream
    self.limits = limits
    reader = SegmentReader(container: device.container, expected: device.record.container)
  }

  /// Removes those that may go: what takes their place stands in the folder, verified, and another
  /// device has what they hold or the grace is over.
  ///
  /// - parameter isEnding: Asked between files, with whether any has gone in this pass.
  mutating func remove(
    ending isEnding: (Bool) -> Bool, into report: inout CompactionReport
  ) throws {
    let candidates = try candidates()
    guard !candidates.isEmpty else { return }
    let held = try heldByAnother()
    let end = try device.time(of: limits.grace, limits)
    let before = report.removed.count
    for candidate in candidates {
      guard !isEnding(!report.removed.isEmpty) else {
        report.isStopped = true
        break
      }
      let isDue = held >= candidate.name.last || isOver(candidate.larger, end)
      guard isDue, try isHeld(candidate), try removeIfOwn(candidate) else {
        report.waiting += 1
        continue
      }
      report.removed.append(path(of: candidate.file))
    }
    guard report.removed.count > before else { return }
    try device.container.files.synchronizeDirectory(device.container.directory(of: stream))
  }

  /// Says which would go now, and which would stay.
  mutating func survey(into survey: inout CompactionSurvey) throws {
    let candidates = try candidates()
    guard !candidates.isEmpty else { return }
    let held = try heldByAnother()
    let now = device.ambient.now()
    let end = try device.time(of: limits.grace, limits)
    for candidate in candidates {
      guard let size = try device.container.size(of: candidate.file) else { continue }
      let isHeld = try isHeld(candidate)
      let isDue = held >= candidate.name.last || isOver(candidate.larger, end)
      if isDue && isHeld {
        survey.removable.add(size)
        continue
      }
      survey.waiting.add(size)
      guard isHeld, let joined = candidate.larger.compactMap(\.joinedAt).max() else { continue }
      survey.waitsUntil = max(survey.waitsUntil ?? 0, now + min(joined, now) - end)
    }
  }

  /// Up to where a device that is live says that it has the stream.
  private func heldByAnother() throws -> UInt64 {
    try device.database.heldByAnother(
      stream, liveSince: device.time(of: limits.horizon, limits))
  }

  private func candidates() throws -> [Candidate] {
    guard let directory = FilePath.Component(stream.description) else { return [] }
    let archived = try device.database.archivedSegments(of: stream)
    let kept = archived.filter { $0.joinedAt != nil && $0.isHeeded }
    guard !kept.isEmpty else { return [] }
    // What the folder has to have stays, also where a larger one has more of it.
    let wanted = Set(archived.map(\.name))
    let files = try device.container.list(directories: [directory]).segments
    let claims = files.compactMap { $0.claim.map { ImportedNames.Name($0) } }
    let ends = try device.database.segmentEnds(of: stream, among: claims)
    return files.compactMap { file -> Candidate? in
      guard let claim = file.claim, claim.stream == stream,
        let end = ends[ImportedNames.Name(claim)]
      else { return nil }
      let larger = kept.filter { $0.encloses(claim.name) }
      guard !larger.isEmpty, !wanted.contains(claim.name) else { return nil }
      return Candidate(file: file, name: claim.name, end: end, larger: larger)
    }.sorted { $0.name.first < $1.name.first }
  }

  /// Whether the grace is over, which began when the last of some segments was joined.
  ///
  /// - parameter end: when it has to have begun.
  private func isOver(_ larger: [ArchivedSegment], _ end: Int64) -> Bool {
    larger.allSatisfy { $0.joinedAt.map { $0 <= end } ?? (limits.grace == 0) }
  }

  /// Whether the folder has a larger segment that has the file's transactions.
  private mutating func isHeld(_ candidate: Candidate) throws -> Bool {
    for larger in candidate.larger {
      let tips = try content(of: larger).tips
      let index = Int(candidate.name.last - larger.first)
      if tips.indices.contains(index), tips[index] == candidate.end { return true }
    }
    return false
  }

  private mutating func content(of segment: ArchivedSegment) throws -> Content {
    if let known = contents[segment] { return known }
    let content = try inFolder(segment)
    contents[segment] = content
    return content
  }

  private func inFolder(_ segment: ArchivedSegment) throws -> Content {
    guard let kept = try device.database.archivedFile(of: segment),
      device.container.keeps(segment.digest, of: kept.range)
    else { return Content() }
    let start = StreamPosition(
      sequence: kept.range.first - 1, fingerprint: kept.range.fingerprintBefore,
      context: Context())
    let whole = try SegmentFile.decode(kept.file.bytes).segment
    return Content(
      tips: try whole.transactions(after: start).map(\.header.fingerprint), naming: whole.naming)
  }

  private func path(of file: FolderListing.File) -> FilePath {
    device.container.logs.appending(file.directory).appending(file.name)
  }

  /// Removes a file if it is what its name says: what else has taken the name is not this device's;
  /// and if a larger one tells as new a name of the device.
  private mutating func removeIfOwn(_ candidate: Candidate) throws -> Bool {
    guard case .segment(let found, _) = reader.read(candidate.file), found.isUnderOwnName else {
      return false
    }
    if let naming = found.segment.naming {
      let known = try candidate.larger.compactMap { try content(of: $0).naming }
      guard known.contains(where: { $0.isAsNew(as: naming) }) else { return false }
    }
    try device.requireContainer()
    try keepNames(of: candidate.larger)
    do {
      try device.container.files.remove(path(of: candidate.file))
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
    }
    return true
  }

  /// Has the disk keep the names of what takes a file's place: whoever wrote it may have died
  /// before they were there.
  ///
  /// Those are the ones that were read back; what else would enclose the file may come later.
  private mutating func keepNames(of segments: [ArchivedSegment]) throws {
    let found = segments.filter { contents[$0] != nil }
    guard found.isEmpty || !durable.isSuperset(of: found) else { return }
    try device.container.files.synchronizeDirectory(device.container.directory(of: stream))
    durable.formUnion(contents.keys)
  }
}

extension ArchivedSegment {
  fileprivate var name: SegmentName { SegmentName(first: first, last: last, digest: digest) }

  /// Whether a smaller segment lies within its borders, or another with the same, from which less
  /// was dropped.
  fileprivate func encloses(_ name: SegmentName) -> Bool {
    guard first <= name.first, name.last <= last else { return false }
    return name.last - name.first < last - first || isReduced && name.digest != digest
  }
}
