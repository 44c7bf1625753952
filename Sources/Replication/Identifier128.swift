/// A value of 128 bits that is written as 32 lower-case hexadecimal digits.
///
/// Values order as their 16 big-endian bytes do, and as their digits do.
///
///     let stream = StreamID("000000000000000000000000000000ff")
///     stream?.bytes.last  // 255
package protocol Identifier128: Hashable, Comparable, Sendable, CustomStringConvertible {
  var halves: Halves128 { get }
  init(halves: Halves128)
}

/// How an identifier is kept.
///
/// A `UInt128` wants an address that sixteen divides, and so does whatever holds one: Swift's
/// runtime asks the C library for that in a way which takes several times as long as any other
/// memory does.
package struct Halves128: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension Identifier128 {
  package var rawValue: UInt128 { UInt128(halves.high) << 64 | UInt128(halves.low) }

  package init(rawValue: UInt128) {
    self.init(
      halves: Halves128(
        high: UInt64(truncatingIfNeeded: rawValue >> 64),
        low: UInt64(truncatingIfNeeded: rawValue)))
  }

  /// Reads 32 hexadecimal digits; upper case is refused, since a name has one spelling only.
  package init?(_ digits: some StringProtocol) {
    guard let value = UInt128(lowercaseHexadecimal: digits.utf8, count: 32) else { return nil }
    self.init(rawValue: value)
  }

  /// Reads 16 big-endian bytes; any other number of bytes is refused.
  package init?(bytes: some Collection<UInt8>) {
    guard let halves = bytes.inPlace(Halves128.init(bigEndianBytes:)) else { return nil }
    self.init(halves: halves)
  }

  /// The value as 16 big-endian bytes.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: rawValue.bigEndian) { [UInt8]($0) }
  }

  package var description: String { rawValue.lowercaseHexadecimal(digits: 32) }

  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.halves.high == rhs.halves.high
      ? lhs.halves.low < rhs.halves.low : lhs.halves.high < rhs.halves.high
  }

  /// What a dictionary goes by: the halves, each with the dictionary's seed, multiplied.
  ///
  /// They are random to begin with, and looked up for each operation of an import, where the
  /// standard hash took a twentieth of the time. Who makes some up to collide does not know the
  /// seed.
  // swift-format-ignore: NoLeadingUnderscores
  package func _rawHashValue(seed: Int) -> Int {
    let seed = UInt64(bitPattern: Int64(seed))
    let low = halves.low ^ seed
    let high = halves.high ^ (seed &* 0x9E37_79B9_7F4A_7C15)
    let product = low.multipliedFullWidth(by: high | 1)
    return Int(truncatingIfNeeded: product.high ^ product.low)
  }

  /// A random value, from the system's secure generator unless another is given.
  package static func random() -> Self {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// A random value from `generator`, so that a simulation can repeat it.
  package static func random(using generator: inout some RandomNumberGenerator) -> Self {
    Self(rawValue: UInt128.random(in: .min ... .max, using: &generator))
  }
}

// What is called for each name and each fingerprint is not generic inside: what another module
// calls is not specialized for its type, and runs ten times slower then.
extension FixedWidthInteger where Self: UnsignedInteger {
  /// Reads exactly `count` lower-case hexadecimal digits, which are 32 at most.
  package init?(lowercaseHexadecimal digits: some Collection<UInt8>, count: Int) {
    guard let value = digits.inPlace({ UInt128(lowercaseHexadecimal: $0, count: count) })
    else { return nil }
    self.init(truncatingIfNeeded: value)
  }

  /// The value in lower-case hexadecimal digits, padded with zeros on the left.
  package func lowercaseHexadecimal(digits: Int) -> String {
    UInt128(truncatingIfNeeded: self).text(digits: digits)
  }
}

extension Halves128 {
  fileprivate init?(bigEndianBytes bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let words = UnsafeRawBufferPointer(bytes)
    high = UInt64(bigEndian: words.loadUnaligned(as: UInt64.self))
    low = UInt64(bigEndian: words.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
}

extension UInt128 {
  fileprivate init?(lowercaseHexadecimal digits: UnsafeBufferPointer<UInt8>, count: Int) {
    guard digits.count == count, count <= 32 else { return nil }
    // In halves: each step on 128 bits takes several on 64.
    var halves: (high: UInt64, low: UInt64) = (0, 0)
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit &- 0x30
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit &- 0x57
      default: return nil
      }
      halves.high = halves.high << 4 | halves.low >> 60
      halves.low = halves.low << 4 | UInt64(value)
    }
    self = UInt128(halves.high) << 64 | UInt128(halves.low)
  }

  fileprivate func text(digits: Int) -> String {
    let needed = (bitWidth - leadingZeroBitCount + 3) / 4
    let count = Swift.max(digits, needed)
    return String(unsafeUninitializedCapacity: count) { buffer in
      var rest: (high: UInt64, low: UInt64) = (
        UInt64(truncatingIfNeeded: self >> 64), UInt64(truncatingIfNeeded: self)
      )
      for index in (0..<count).reversed() {
        let digit = UInt8(truncatingIfNeeded: rest.low) & 0xF
        buffer[index] = digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
        rest.low = rest.low >> 4 | rest.high << 60
        rest.high >>= 4
      }
      return count
    }
  }
}

extension Collection<UInt8> {
  /// What `body` makes of the bytes, which are copied if they do not stand in one piece.
  fileprivate func inPlace<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value?) -> Value? {
    withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
  }
}

/// Names what one device writes: transactions numbered 1, 2, 3 … (protocol.md 1).
package struct StreamID: Identifier128 {
  package let halves: Halves128
  package init(halves: Halves128) { self.halves = halves }
}

/// Names a container; minted when its marker is written, and never changed.
package struct ContainerID: Identifier128 {
  package let halves: Halves128
  package init(halves: Halves128) { self.halves = halves }
}

/// Binds a transaction to all that stands before it in its stream (protocol.md 2).
package struct Fingerprint: Identifier128 {
  package let halves: Halves128
  package init(halves: Halves128) { self.halves = halves }

  /// What stands before the first transaction of every stream.
  package static let origin = Fingerprint(rawValue: 0)
}
