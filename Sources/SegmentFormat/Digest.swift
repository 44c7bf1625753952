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
    return hash.finalize().withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
  }

  /// The first 128 bits of the SHA-256 of two numbers, the highest bytes first, and some bytes; of
  /// each transaction that is read, so without a copy.
  static func first128(_ number: UInt128, _ other: UInt64, _ bytes: [UInt8]) -> UInt128 {
    var digest = First128(number, other)
    digest.update(bytes)
    return digest.finish()
  }

  /// The same, where the bytes come piece by piece.
  struct First128 {
    private var hash = SHA256()

    init(_ number: UInt128, _ other: UInt64) {
      withUnsafeBytes(of: number.bigEndian) { hash.update(bufferPointer: $0) }
      withUnsafeBytes(of: other.bigEndian) { hash.update(bufferPointer: $0) }
    }

    mutating func update(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    }

    func finish() -> UInt128 {
      hash.finalize().withUnsafeBytes {
        UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))
      }
    }
  }

  private static func prefix(of parts: [[UInt8]], bytes: Int) -> some Sequence<UInt8> {
    var hash = SHA256()
    for part in parts { hash.update(data: part) }
    return hash.finalize().prefix(bytes)
  }

  /// How version tokens digest paths and values.
  package static let token = VersionToken.Digest { first64($0) }
}
