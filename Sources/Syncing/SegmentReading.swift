import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What one look at a file under `logs/` came to.
enum SegmentReading<Found> {
  case segment(Found, look: FileRecord.Look)
  case setAside(FileRecord)
  /// It is not there any more: absence means nothing.
  case gone
}

extension SegmentReading: Sendable where Found: Sendable {}

/// Reads a file as hostile input: no link followed, no FIFO waited for, no size believed.
struct SegmentReader {
  let container: ContainerFolder
  let expected: ContainerID

  /// Reads a file whole, and checks all of it.
  func read(_ file: FolderListing.File) -> SegmentReading<ImportableSegment> {
    examine(file, range: \.segment.range) { bytes throws(SegmentError) in
      try ImportableSegment(decoding: bytes, of: file)
    }
  }

  /// Checks all of what was read of a file.
  func read(
    _ contents: FileContents, of file: FolderListing.File
  ) -> SegmentReading<ImportableSegment> {
    examine(contents, key: file.key, range: \.segment.range) { bytes throws(SegmentError) in
      try ImportableSegment(decoding: bytes, of: file)
    }
  }

  /// Reads a file whole, and checks what can be without unpacking it.
  func take(_ file: FolderListing.File) -> SegmentReading<HeldSegment> {
    examine(file, range: \.range) { bytes throws(SegmentError) in
      try HeldSegment(bytes, file: file.key) { file.namedDigest(of: $0) }
    }
  }

  private func examine<Found>(
    _ file: FolderListing.File, range: (Found) -> Segment.Range,
    _ decode: ([UInt8]) throws(SegmentError) -> Found
  ) -> SegmentReading<Found> {
    let key = file.key
    let contents: FileContents
    do {
      contents = try self.contents(of: file)
    } catch {
      return reading(of: error, path: path(of: file), key: key)
    }
    return examine(contents, key: key, range: range, decode)
  }

  /// What a file has, unchecked.
  func contents(of file: FolderListing.File) throws(FileError) -> FileContents {
    try container.files.contents(of: path(of: file), limit: SegmentFile.maximumFileBytes)
  }

  private func path(of file: FolderListing.File) -> FilePath {
    container.logs.appending(file.directory).appending(file.name)
  }

  private func examine<Found>(
    _ contents: FileContents, key: FileKey, range: (Found) -> Segment.Range,
    _ decode: ([UInt8]) throws(SegmentError) -> Found
  ) -> SegmentReading<Found> {
    // As it was before it was read: what came while it was read shows as a change.
    let look = FileRecord.Look(contents.statusBefore)
    do {
      let found = try decode(contents.bytes)
      let range = range(found)
      guard range.container == expected else {
        return .setAside(
          FileRecord(
            key: key, look: look, reason: .otherContainer,
            detail: range.container.description,
            range: FileRecord.Range(
              stream: range.stream, first: range.first, last: range.last)))
      }
      return .segment(found, look: look)
    } catch {
      return .setAside(FileRecord(rejecting: error, key: key, look: look))
    }
  }

  private func reading<Found>(
    of error: FileError, path: FilePath, key: FileKey
  ) -> SegmentReading<Found> {
    if error.errno == .noSuchFileOrDirectory { return .gone }
    let look =
      (try? container.files.status(of: path)).map { FileRecord.Look($0) } ?? .none
    if error.isTooLarge {
      return .setAside(
        FileRecord(
          key: key, look: look, reason: .damaged, detail: "it is larger than any segment"))
    }
    let reason: FileRecord.Reason = error.isNotAFile ? .notAFile : .unreadable
    return .setAside(
      FileRecord(
        key: key, look: look, reason: reason,
        detail: error.foundKind.map { "\($0)" } ?? error.errno.description))
  }
}

extension ImportableSegment {
  fileprivate init(decoding bytes: [UInt8], of file: FolderListing.File) throws(SegmentError) {
    let (segment, digest) = try SegmentFile.decode(bytes)
    self.init(
      segment: segment, digest: digest, bytes: bytes,
      isUnderOwnName: file.namedDigest(of: segment.range) == digest, file: file.key)
  }
}

extension FolderListing.File {
  /// The digest in its name, if that is the name of a segment of this range, in its stream's place.
  fileprivate func namedDigest(of range: Segment.Range) -> UInt64? {
    guard let claim, claim.stream == range.stream, claim.name.first == range.first,
      claim.name.last == range.last
    else { return nil }
    return claim.name.digest
  }
}

extension FileRecord {
  /// Sets a file aside for what its content is.
  init(rejecting error: SegmentError, key: FileKey, look: Look) {
    let (reason, detail): (Reason, String?) =
      switch error {
      case .incomplete: (.incomplete, nil)
      case .damaged(let detail): (.damaged, detail)
      case .newer(let minimum): (.newer, "it needs a reader of format \(minimum)")
      case .otherBranch: (.branch, "its stream went another way on this device")
      }
    self.init(key: key, look: look, reason: reason, detail: detail)
  }
}

extension FileRecord.Look {
  init(_ status: FileStatus) {
    self.init(
      size: status.size, modified: status.modified, changed: status.changed,
      inode: Int64(bitPattern: status.inode))
  }

  /// Of a file that could not even be looked at.
  static let none = FileRecord.Look(size: -1, modified: 0, changed: 0, inode: 0)
}
