import BlobStorage
import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What this device has published, as the folder at a new place should hold it.
///
/// A folder that was moved brings all of it along. A copy lacks what was published after it was
/// made; and since nobody publishes twice what is noted as published, it would lack it for good.
struct OwnSegments {
  private let device: Device
  private var record: DeviceRecord { device.record }
  private var container: ContainerFolder { device.container }

  /// The stream that it writes: maybe not the one that it wrote when this process began.
  private let stream: StreamID

  init(of device: Device) throws {
    self.device = device
    stream = try device.database.device()?.stream ?? device.record.stream
  }

  /// Copies own segments and blobs from the folder where the device worked before, if that is still
  /// there.
  ///
  /// - returns: which transactions the new folder lacks all the same.
  ///
  /// - parameter known: The blobs that have been read and found whole, which are not read again.
  func bringOver(
    from former: FilePath, _ known: inout Set<FilePath>
  ) throws -> [ClosedRange<UInt64>] {
    try copy(from: former, &known)
    try keepNames()
    return try missing()
  }

  /// Also where the old folder's marker is away or cannot be read, as on a disk that fails: each
  /// file says itself whether it belongs here, and blobs are nowhere else.
  private func copy(from former: FilePath, _ known: inout Set<FilePath>) throws {
    let old = ContainerFolder(root: former, files: container.files)
    if case .silent = device.ask(former) { return }
    let isKnown: Bool
    do {
      guard try old.marker().container == record.container else { return }
      isKnown = true
    } catch ContainerError.newerFormat {
      return
    } catch {
      isKnown = false
    }
    try copy(from: old, isThere: isKnown) { try copySegments(from: old) }
    try copy(from: old, isThere: isKnown) { try bringOverBlobs(from: BlobFolder(old), &known) }
  }

  /// A folder that may be away as a whole hinders nobody: what is missing for that is told.
  private func copy(
    from old: ContainerFolder, isThere: Bool, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as FileError
      where !isThere && error.path.starts(with: old.root)
      && !error.path.starts(with: container.root)
    {
      return
    }
  }

  private func copySegments(from old: ContainerFolder) throws {
    let present = Set(try ranges())
    for file in try own(in: old) {
      // Spares reading most of the old folder.
      if let name = file.claim?.name, name.first <= name.last,
        present.contains(name.first...name.last)
      {
        continue
      }
      guard case .segment(let found, _) = content(of: file, in: old) else { continue }
      // Byte for byte: by what compresses here today it might come out otherwise.
      _ = try container.publish(
        (found.bytes, found.digest), of: found.segment.range,
        temporaryName: device.ambient.temporaryName())
    }
  }

  /// Copies this device's own blobs, as far as they are whole.
  private func bringOverBlobs(from old: BlobFolder, _ known: inout Set<FilePath>) throws {
    let (blobs, ambient) = (BlobFolder(container), device.ambient)
    for owned in try device.database.keptStreams() {
      let present = try blobs.hashes(of: owned)
      let writer = BlobWriter(blobs, stream: owned, temporaryName: { ambient.temporaryName() })
      for hash in try old.hashes(of: owned).sorted() {
        let former = old.file(hash, of: owned)
        let file = blobs.file(hash, of: owned)
        guard !known.contains(file) else { continue }
        if try present.contains(hash) && isToStay(hash, of: owned, writer) {
          known.insert(file)
          continue
        }
        do {
          if try writer.store(hash, from: former) != nil { known.insert(file) }
        } catch let error as FileError where error.path == former {
          // A disk that fails is left for a new one: what can be read of it comes along.
        } catch let error as FileError where owned != stream && error.isRefusal {
          // What a retired device has, its user may let nobody write.
        }
      }
    }
  }

  /// Whether what has the name of a blob is that, or something that nobody may replace.
  ///
  /// A copy that broke off, by a loss of power too, leaves half a file under its proper name, or
  /// one of its whole length: some tools take all room first.
  private func isToStay(
    _ hash: BlobHash, of stream: StreamID, _ writer: BlobWriter
  ) throws -> Bool {
    let file = BlobFolder(container).file(hash, of: stream)
    let status = try? container.files.status(of: file)
    return try status.map { $0.kind != .regular } ?? false || writer.isWhole(hash)
  }

  /// Has the disk keep what was there already: the folder where the device worked before is not
  /// asked again, and who brought it over may have died before its name was on the disk.
  private func keepNames() throws {
    let found = try own(in: container)
    try container.keepNames(in: Set(found.map(\.directory)))
    let blobs = BlobFolder(container)
    let owned = try device.database.keptStreams().filter { try !blobs.hashes(of: $0).isEmpty }
    guard !owned.isEmpty else { return }
    for stream in owned {
      try container.files.synchronizeDirectory(blobs.directory(of: stream))
    }
    try container.files.synchronizeDirectory(blobs.root)
    try container.files.synchronizeDirectory(container.root)
  }

  /// Which published transactions no whole file of the folder holds.
  ///
  /// Files that are damaged are noted, for the next import to put them back.
  func missing() throws -> [ClosedRange<UInt64>] {
    let published = try device.database.publishedEnd()
    var reached: UInt64 = 0
    var missing: [ClosedRange<UInt64>] = []
    for range in try ranges().sorted(by: { $0.lowerBound < $1.lowerBound }) {
      guard reached < published else { break }
      if range.lowerBound > reached + 1 {
        missing.append(reached + 1...min(range.lowerBound - 1, published))
      }
      reached = max(reached, range.upperBound)
    }
    if reached < published { missing.append(reached + 1...published) }
    return missing
  }

  /// What the files of the folder hold, each read and verified: names alone promise nothing.
  ///
  /// A copy that broke off leaves half a file under its proper name.
  private func ranges() throws -> [ClosedRange<UInt64>] {
    var ranges: [ClosedRange<UInt64>] = []
    var damaged: [FileRecord] = []
    var whole: [FileKey] = []
    for file in try own(in: container) {
      switch content(of: file, in: container) {
      case .segment(let found, let misplaced):
        ranges.append(found.segment.range.first...found.segment.range.last)
        if let misplaced, file.claim?.stream == stream {
          damaged.append(misplaced)
        } else {
          whole.append(file.key)
        }
      case .damaged(let record) where file.claim?.stream == stream: damaged.append(record)
      case .damaged, .other: break
      }
    }
    try note(damaged, whole: whole)
    return ranges
  }

  private func note(_ damaged: [FileRecord], whole: [FileKey]) throws {
    let known = try device.database.fileRecords()
    try device.database.updateFileRecords(
      noted: damaged.filter { known[$0.key] != $0 },
      forgotten: whole.filter { known[$0]?.reason.isOfContent == true })
  }

  private enum Content {
    /// And what is noted of it if it has the name of another one.
    case segment(ImportableSegment, FileRecord?)
    case damaged(FileRecord)
    case other
  }

  private func content(of file: FolderListing.File, in folder: ContainerFolder) -> Content {
    let reader = SegmentReader(container: folder, expected: record.container)
    switch reader.read(file) {
    case .segment(let found, let look):
      let range = found.segment.range
      guard range.stream == stream, range.first <= range.last else { return .other }
      return .segment(found, found.misplaced(look))
    case .setAside(let record): return record.reason.isOfContent ? .damaged(record) : .other
    case .gone: return .other
    }
  }

  private func own(in folder: ContainerFolder) throws -> [FolderListing.File] {
    guard let directory = FilePath.Component(stream.description) else { return [] }
    let listing = try folder.list(directories: [directory])
    // What cannot be listed is not empty.
    if let failure = listing.unreadable.first { throw failure }
    return listing.segments
  }
}

extension FileError {
  /// Whether somebody does not let it be done, as a full or failing disk does not.
  fileprivate var isRefusal: Bool {
    [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(errno)
  }
}
