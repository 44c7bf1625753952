import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// Looks whether somebody else writes this device's stream (protocol.md 25): a clone of it, or the
/// device itself before its database was put back to an older state.
///
/// Names tell in the ordinary case, and nothing is opened; only what the database did not write is
/// read, and not again before it changes.
struct ForkDetection {
  /// What was judged before, so that a process that goes on asks only for what is new.
  struct Memory: Sendable {
    fileprivate var stream: StreamID?
    /// How far the stream was written.
    fileprivate var reached: UInt64 = 0
    /// Names of files whose content is in the database.
    fileprivate var names: Set<FolderListing.NameBytes> = []
    /// How files looked that are no sign of anybody else.
    fileprivate var looks: [FileKey: FileRecord.Look] = [:]
    fileprivate var judged: Judgement?

    /// Forgets files that are gone: what is forgotten is asked anew, with the same answer.
    ///
    /// - parameter listing: of the stream's directory, without the names that are known.
    fileprivate mutating func forgetAbsent(from listing: FolderListing) {
      // Not each time that one has gone: all others are asked for then.
      if listing.omitted * 2 < names.count { names = [] }
      guard looks.count > listing.segments.count else { return }
      let present = Set(listing.segments.map(\.key))
      looks = looks.filter { present.contains($0.key) }
    }

    var count: Int { names.count + looks.count }

    /// How the directory looked when all in it had been judged.
    fileprivate struct Judgement {
      let directory: FileStatus
      let time: Int64
      /// Whether this process has brought its name to the disk.
      var isDurable = false
    }

    /// Whether the directory has not changed since all in it was judged, a moment ago.
    ///
    /// Not for long: a file that comes while this process publishes one, or in the same tick of the
    /// file system's clock, leaves the directory looking the same. A syncer is late by more.
    fileprivate func isJudged(_ directory: FileStatus?, now: Int64) -> Bool {
      guard let judged, let directory else { return false }
      return directory == judged.directory && (0..<Self.trust).contains(now - judged.time)
    }

    /// Whether a stream's directory is the one, a moment ago, whose name this process has brought
    /// to the disk.
    func isDurable(_ stream: StreamID) -> Bool {
      self.stream == stream && judged?.isDurable == true
    }

    /// Milliseconds.
    private static let trust: Int64 = 1_000
  }

  let device: Device

  /// Makes the device go on under a new stream if its folder holds what it did not write.
  ///
  /// The directory is listed unless it looks as it did a moment ago, as when a process writes one
  /// thing after another: its names are many, and each write would read them all.
  ///
  /// - returns: whether it does.
  func beginStreamIfForked(remembering memory: inout Memory) throws -> Bool {
    guard let stream = try device.database.device()?.stream,
      let directory = FilePath.Component(stream.description)
    else { return false }
    let reached = try device.database.ownSequence()
    // Less than before: the database was put back, and does not hold what it held.
    if memory.stream != stream || reached < memory.reached { memory = Memory() }
    memory.stream = stream
    memory.reached = reached
    let (status, now) = (status(of: stream), device.ambient.now())
    if memory.isJudged(status, now: now) { return false }
    memory.judged = nil
    if try holdsForeign(directory, of: stream, &memory) {
      return try device.database.beginStream(insteadOf: stream)
    }
    memory.judged = status.map { Memory.Judgement(directory: $0, time: now) }
    return false
  }

  private func holdsForeign(
    _ directory: FilePath.Component, of stream: StreamID, _ memory: inout Memory
  ) throws -> Bool {
    let listing = try device.container.list(directories: [directory], except: memory.names)
    // What cannot be listed is not empty.
    if let failure = listing.unreadable.first { throw failure }
    memory.forgetAbsent(from: listing)
    let unknown = try unknown(listing.segments, of: stream, &memory)
    guard !unknown.isEmpty else { return false }
    let records = try device.database.fileRecords(in: directory.bytes)
    for file in unknown where !isJudged(file, records[file.key], memory) {
      if try isForeign(file, stream: stream, &memory) { return true }
    }
    return false
  }

  /// Notes that the folder is away: what comes back in its place has to be looked at.
  func noteAbsence(remembering memory: inout Memory) { memory.judged = nil }

  /// Notes that this process has changed the directory since it was judged, if it has.
  func note(_ published: [ImportedNames.Name], remembering memory: inout Memory) {
    guard let judged = memory.judged, let stream = memory.stream,
      published.contains(where: { $0.stream == stream })
    else { return }
    memory.judged = status(of: stream).map {
      Memory.Judgement(directory: $0, time: judged.time, isDurable: true)
    }
  }

  private func status(of stream: StreamID) -> FileStatus? {
    try? device.container.files.status(of: device.container.directory(of: stream))
  }

  /// Those of some files whose names are not those of segments that the database holds.
  private func unknown(
    _ new: [FolderListing.File], of stream: StreamID, _ memory: inout Memory
  ) throws -> [FolderListing.File] {
    let claims = new.compactMap { $0.claim.map { ImportedNames.Name($0) } }
    // After the folder: who publishes notes the name later.
    let known = try device.database.segmentNames(of: stream, among: claims)
    return new.filter { file in
      guard let claim = file.claim, known.contains(ImportedNames.Name(claim)) else { return true }
      memory.names.insert(FolderListing.NameBytes(file.nameBytes))
      return false
    }
  }

  /// Whether a file is as it was when it was seen not to be a foreign segment: by this process, or
  /// by an import.
  private func isJudged(
    _ file: FolderListing.File, _ record: FileRecord?, _ memory: Memory
  ) -> Bool {
    let path = device.container.logs.appending(file.directory).appending(file.name)
    guard let status = try? device.container.files.status(of: path) else { return false }
    let look = FileRecord.Look(status)
    if memory.looks[file.key] == look { return true }
    guard let record, record.look == look else { return false }
    switch record.reason {
    case .duplicate, .incomplete, .damaged, .newer, .otherContainer, .notAFile: return true
    // What waits is ahead of this database, and what could not be read may be by now.
    case .waiting, .branch, .unreadable, .foreign: return false
    }
  }

  private func isForeign(
    _ file: FolderListing.File, stream: StreamID, _ memory: inout Memory
  ) throws -> Bool {
    let reader = SegmentReader(container: device.container, expected: device.record.container)
    switch reader.read(file) {
    case .gone: return false
    case .setAside(let record):
      if record.reason != .unreadable { memory.looks[file.key] = record.look }
      return false
    case .segment(let found, let look):
      if found.segment.range.stream == stream, try isForeign(found) { return true }
      memory.looks[file.key] = look
      return false
    }
  }

  private func isForeign(_ found: ImportableSegment) throws -> Bool {
    // What this device published is its own under any name, also where it leans on what has been
    // dropped since, so that it cannot be read any more.
    let range = found.segment.range
    let name = ImportedNames.Name(
      stream: range.stream, first: range.first, last: range.last, digest: found.digest)
    guard try device.database.segmentNames(of: range.stream, among: [name]).isEmpty else {
      return false
    }
    return try !device.database.holds(found.segment)
  }
}

extension ImportedNames.Name {
  init(_ claim: FolderListing.Claim) {
    self.init(
      stream: claim.stream, first: claim.name.first, last: claim.name.last,
      digest: claim.name.digest)
  }
}
