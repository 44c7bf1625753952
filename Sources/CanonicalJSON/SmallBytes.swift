/// Bytes that stand in the value itself where they are few.
///
/// Most paths and values of documents are of some bytes, and an import makes, copies and compares
/// millions: as arrays each would have memory of its own, and be counted at every copy.
///
///     let bytes = SmallBytes([0x61, 0x62])
///     bytes < [0x61, 0x62, 0x00]  // true: they sort byte by byte, the shorter of two first
///
/// Up to ``mostInPlace`` bytes stand in place, and more in an array.
package struct SmallBytes: Sendable {
  /// Two words as big-endian numbers, zeros behind what there is, and in the last byte how many
  /// bytes there are: so they compare as the bytes do.
  private enum Storage: Sendable {
    case inPlace(high: UInt64, low: UInt64)
    case array([UInt8])
  }

  private let storage: Storage

  /// So many bytes need no array.
  package static let mostInPlace = 15

  /// Copies bytes.
  package init(copying bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= Self.mostInPlace else {
      storage = .array(Array(bytes))
      return
    }
    var words: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
    storage = .inPlace(
      high: UInt64(bigEndian: words.0), low: UInt64(bigEndian: words.1) | UInt64(bytes.count))
  }

  /// Keeps `bytes` themselves where they are many.
  package init(_ bytes: [UInt8]) {
    if bytes.count > Self.mostInPlace {
      storage = .array(bytes)
    } else {
      self = bytes.withUnsafeBytes { Self(copying: $0) }
    }
  }

  /// Copies some of `bytes`.
  package init(copying bytes: [UInt8], _ range: Range<Int>) {
    let count = range.count
    guard count <= Self.mostInPlace, range.lowerBound + 16 <= bytes.count else {
      self = bytes.withUnsafeBytes { Self(copying: $0, range) }
      return
    }
    // To copy so few that are not always as many takes longer than to read all that fit.
    let words = bytes.withUnsafeBytes { Self.words(of: $0, at: range.lowerBound) }
    storage = .inPlace(
      high: words.high & Self.mask(of: Swift.min(count, 8)),
      low: words.low & Self.mask(of: Swift.max(count - 8, 0)) | UInt64(count))
  }

  private init(copying bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    // A buffer looks at that in debug builds alone.
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "no such bytes")
    self.init(copying: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  /// The sixteen bytes at a place.
  private static func words(
    of bytes: UnsafeRawBufferPointer, at place: Int
  ) -> (high: UInt64, low: UInt64) {
    (
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
    )
  }

  /// The first `count` bytes of a word.
  private static func mask(of count: Int) -> UInt64 { ~(UInt64.max >> UInt64(count * 8)) }

  package init() { storage = .inPlace(high: 0, low: 0) }

  /// The first `length` bytes, of which there are as many.
  package func prefix(_ length: Int) -> SmallBytes {
    withUnsafeBytes { SmallBytes(copying: $0, 0..<length) }
  }

  /// Whether they stand in place, so that to copy them counts no references.
  package var isInPlace: Bool {
    if case .inPlace = storage { true } else { false }
  }

  /// The same as an array.
  package var array: [UInt8] {
    switch storage {
    case .array(let bytes): bytes
    case .inPlace: withUnsafeBytes { Array($0) }
    }
  }

  /// Calls `body` with the bytes, which stay there until it returns.
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    switch storage {
    case .array(let bytes): return try bytes.withUnsafeBytes(body)
    case .inPlace(let high, let low):
      return try Swift.withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
        try body(UnsafeRawBufferPointer(rebasing: $0[..<Int(low & 0xFF)]))
      }
    }
  }

  /// The first bytes as the words of ``Storage/inPlace(high:low:)``; of more than fit there the
  /// count is one more than fit, so that they sort behind what they begin with.
  private var words: (high: UInt64, low: UInt64) {
    switch storage {
    case .inPlace(let high, let low): (high, low)
    case .array(let bytes):
      bytes.withUnsafeBytes {
        let words = Self.words(of: $0, at: 0)
        return (words.high, words.low & Self.mask(of: 7) | UInt64(Self.mostInPlace + 1))
      }
    }
  }

  /// Whether they begin with `other`.
  package func hasPrefix(_ other: SmallBytes) -> Bool {
    let length = other.count
    guard length <= count else { return false }
    guard case .inPlace(let high, let low) = other.storage else {
      return other.withUnsafeBytes { prefix in
        withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<length]).elementsEqual(prefix) }
      }
    }
    // What differs behind its end does not count.
    let words = words
    return (words.high ^ high) & Self.mask(of: Swift.min(length, 8)) == 0
      && (words.low ^ low) & Self.mask(of: Swift.max(length - 8, 0)) == 0
  }

  /// Where the next zero from `start` on stands; the end if there is none.
  package func nextZero(from start: Int) -> Int {
    switch storage {
    case .array(let bytes): return bytes[start...].firstIndex(of: 0) ?? bytes.count
    case .inPlace(let high, let low):
      let first = Self.zeros(in: high) & (UInt64.max >> UInt64(start * 8))
      if first != 0 { return Swift.min(first.leadingZeroBitCount / 8, count) }
      let second = Self.zeros(in: low) & (UInt64.max >> UInt64(Swift.max(start - 8, 0) * 8))
      return Swift.min(8 + second.leadingZeroBitCount / 8, count)
    }
  }

  /// A word with the highest bit of each byte that is zero, and no other.
  private static func zeros(in word: UInt64) -> UInt64 {
    let rest: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~(((word & rest) &+ rest) | word | rest)
  }
}

extension SmallBytes: RandomAccessCollection {
  package var startIndex: Int { 0 }

  package var endIndex: Int { count }

  package var isEmpty: Bool { count == 0 }

  package func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result? {
    try withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self, body) }
  }

  package var count: Int {
    switch storage {
    case .inPlace(_, let low): Int(low & 0xFF)
    case .array(let bytes): bytes.count
    }
  }

  package subscript(position: Int) -> UInt8 {
    switch storage {
    case .array(let bytes): return bytes[position]
    case .inPlace(let high, let low):
      precondition(position >= 0 && position < Int(low & 0xFF), "no such byte")
      let word = position < 8 ? high : low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (position & 7)))
    }
  }
}

extension SmallBytes: Hashable {
  package static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.inPlace(let high, let low), .inPlace(let otherHigh, let otherLow)):
      high == otherHigh && low == otherLow
    case (.array(let bytes), .array(let other)): bytes.isSame(as: other)
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch storage {
    case .inPlace(let high, let low):
      hasher.combine(high)
      hasher.combine(low)
    case .array(let bytes): bytes.hashAtOnce(into: &hasher)
    }
  }
}

extension SmallBytes: Comparable {
  package static func < (lhs: Self, rhs: Self) -> Bool {
    let (left, right) = (lhs.words, rhs.words)
    if left.high != right.high { return left.high < right.high }
    if left.low != right.low { return left.low < right.low }
    guard case .array(let bytes) = lhs.storage, case .array(let other) = rhs.storage else {
      return false
    }
    return bytes.isBefore(other)
  }
}

extension SmallBytes: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: UInt8...) { self.init(elements) }
}
