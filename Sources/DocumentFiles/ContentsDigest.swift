import Crypto
import FileCoordination
import SystemFiles

/// How many bytes a file has, and their SHA-256: tells another file from one that only looks so.
struct ContentsDigest: Hashable, Sendable {
  let size: Int64
  private let hash: SHA256.Digest

  init(_ bytes: [UInt8]) {
    size = Int64(bytes.count)
    var hash = SHA256()
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    self.hash = hash.finalize()
  }

  /// Of all that is in a file.
  init(of file: OpenFile) throws(FileError) {
    var (hash, size) = (SHA256(), 0 as Int64)
    try file.forEachPiece { (piece) throws(FileError) in
      piece.withUnsafeBytes { hash.update(bufferPointer: $0) }
      size += Int64(piece.count)
    }
    self.size = size
    self.hash = hash.finalize()
  }
}

/// What a file had when it was read or written, and since when that is known.
struct KnownContents: Sendable {
  let digest: ContentsDigest
  /// Before it was looked, in seconds since 1970.
  var since: Int64

  /// The longest time that a file system has only one name for (FAT).
  private static let coarsestSeconds: Int64 = 2
  /// A clock that was further ahead is none of a server that only goes differently: a file of its
  /// would be read at each look, for years.
  private static let furthestAhead: Int64 = 86_400

  /// Whether it was looked so soon after the file was written that what has been written since may
  /// have the same stamp.
  func mayBeOutdated(by stamp: FileStamp) -> Bool {
    let (age, overflow) = since.subtractingReportingOverflow(stamp.seconds)
    return stamp.isCoarse && !overflow && (-Self.furthestAhead...Self.coarsestSeconds).contains(age)
  }
}
