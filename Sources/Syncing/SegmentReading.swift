import DocumentStorage
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

/// What one look at a file under `logs/` came to.
enum SegmentReading {
  case segment(ImportableSegment, look: FileRecord.Look)
  case setAside(FileRecord)
  /// It is not there any more: absence means nothing.
  case gone
}

/// Reads a file as hostile input: no link followed, no FIFO waited for, no size believed.
struct SegmentReader {
  let container: ContainerFolder
  let expected: ContainerID

  func read(_ file: FolderListing.File) -> SegmentReading {
    let key = file.key
    let path = container.logs.appending(file.directory).appending(file.name)
    let contents: FileContents
    do {
      contents = try container.files.contents(
        of: path, limit: SegmentFile.maximumFileBytes)
    } catch {
      return reading(of: error, path: path, key: key)
    }
    // As it was before it was read: what came while it was read shows as a change.
    let look = FileRecord.Look(contents.statusBefore)
    do {
      let (segment, digest) = try SegmentFile.decode(contents.bytes)
      guard segment.range.container == expected else {
        return .setAside(
          FileRecord(
            key: key, look: look, reason: .otherContainer,
            detail: segment.range.container.description,
            range: FileRecord.Range(
              stream: segment.range.stream, first: segment.range.first,
              last: segment.range.last)))
      }
      let proper = SegmentName(
        first: segment.range.first, last: segment.range.last, digest: digest)
      let isOwnName =
        file.claim == FolderListing.Claim(stream: segment.range.stream, name: proper)
      return .segment(
        ImportableSegment(
          segment: segment, digest: digest, bytes: contents.bytes, isUnderOwnName: isOwnName,
          file: key),
        look: look)
    } catch {
      return .setAside(FileRecord(rejecting: error, key: key, look: look))
    }
  }

  private func reading(of error: FileError, path: FilePath, key: FileKey) -> SegmentReading {
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
