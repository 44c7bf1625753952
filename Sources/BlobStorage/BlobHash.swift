import Crypto
import SystemPackage

/// The SHA-256 of a blob, by which it is named: 64 lower-case hexadecimal digits.
///
///     BlobHash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")  // of nothing
package struct BlobHash: Hashable, Sendable {
  /// How many digits it has.
  package static let digitCount = 64

  /// Its digits.
  package let text: String

  /// Reads digits; nil if they are not exactly 64 in lower case, since a name has one spelling.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == Self.digitCount, text.utf8.allSatisfy(Self.isDigit) else {
      return nil
    }
    self.text = String(text)
  }

  fileprivate init(_ digest: SHA256.Digest) {
    let digits = Array("0123456789abcdef".utf8)
    let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    self.text = String(decoding: text, as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Every hash that some bytes mention, whatever else they are.
  ///
  /// For who has to keep what something refers to, and may not understand it: it errs on the side
  /// of keeping.
  ///
  /// - parameter existing: those of interest; nil for all. A long text of such digits mentions as
  ///   many as it has bytes.
  package static func mentioned(
    in bytes: some Collection<UInt8>, among existing: Set<BlobHash>? = nil
  ) -> Set<BlobHash> {
    var found: Set<BlobHash> = []
    for run in bytes.split(whereSeparator: { !isDigit($0) }) where run.count >= digitCount {
      // Digits may stand right before or behind one, as a length does in a binary form.
      var start = run.startIndex
      for _ in 0...(run.count - digitCount) {
        let digits = run[start...].prefix(digitCount)
        if let hash = BlobHash(String(decoding: digits, as: UTF8.self)),
          existing?.contains(hash) ?? true
        {
          found.insert(hash)
        }
        start = run.index(after: start)
      }
    }
    return found
  }

  /// The name of its file.
  package var fileName: FilePath.Component { FilePath.Component(text) ?? "unreachable" }
}

extension BlobHash: Comparable, CustomStringConvertible {
  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.text < rhs.text }
  package var description: String { text }
}

/// Hashes and counts bytes as they go by.
struct BlobHasher {
  private var hash = SHA256()
  private(set) var count: Int64 = 0

  mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    count += Int64(bytes.count)
  }

  var result: BlobHash { BlobHash(hash.finalize()) }
}
