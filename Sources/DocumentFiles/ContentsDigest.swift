import Crypto
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
