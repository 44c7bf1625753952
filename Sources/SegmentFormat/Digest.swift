import Crypto
import Replication

/// SHA-256, cut to what the format has room for.
package enum Digest {
  /// The first 64 bits of the SHA-256 of `parts` one after another.
  package static func first64(_ parts: [UInt8]...) -> UInt64 {
    prefix(of: parts, bytes: 8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The same of a part of some bytes, without a copy: a segment may have 64 MiB.
  static func first64(_ part: ArraySlice<UInt8>) -> UInt64 {
    var hash = SHA256()
    part.withUnsafeBytes { hash.update(bufferPointer: $0) }
    return hash.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func first128(_ parts: [UInt8]...) -> UInt128 {
    prefix(of: parts, bytes: 16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  private static func prefix(of parts: [[UInt8]], bytes: Int) -> some Sequence<UInt8> {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return hash.finalize().prefix(bytes)
  }

  /// How version tokens digest paths and values.
  package static let token = VersionToken.Digest { first64($0) }
}
