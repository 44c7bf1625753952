/// A value of 128 bits that is written as 32 lower-case hexadecimal digits.
///
/// Values order as their 16 big-endian bytes do, and as their digits do.
///
///     let stream = StreamID("000000000000000000000000000000ff")
///     stream?.bytes.last  // 255
package protocol Identifier128: Hashable, Comparable, Sendable, CustomStringConvertible {
  var rawValue: UInt128 { get }
  init(rawValue: UInt128)
}

extension Identifier128 {
  /// Reads 32 hexadecimal digits; upper case is refused, since a name has one spelling only.
  @inlinable
  package init?(_ digits: some StringProtocol) {
    guard let value = UInt128(lowercaseHexadecimal: digits.utf8, count: 32) else { return nil }
    self.init(rawValue: value)
  }

  /// Reads 16 big-endian bytes; any other number of bytes is refused.
  @inlinable
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var value: UInt128 = 0
    for byte in bytes { value = value << 8 | UInt128(truncatingIfNeeded: byte) }
    self.init(rawValue: value)
  }

  /// The value as 16 big-endian bytes.
  package var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: rawValue >> (120 - 8 * $0)) }
  }

  package var description: String { rawValue.lowercaseHexadecimal(digits: 32) }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

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

// Inlinable, since generic code of another module runs ten times slower else.
extension FixedWidthInteger where Self: UnsignedInteger {
  /// Reads exactly `count` lower-case hexadecimal digits.
  @inlinable
  package init?(lowercaseHexadecimal digits: some Collection<UInt8>, count: Int) {
    guard digits.count == count else { return nil }
    var value: Self = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        value = value << 4 | Self(truncatingIfNeeded: digit &- 0x30)
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        value = value << 4 | Self(truncatingIfNeeded: digit &- 0x57)
      default: return nil
      }
    }
    self = value
  }

  /// The value in lower-case hexadecimal digits, padded with zeros on the left.
  package func lowercaseHexadecimal(digits: Int) -> String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
  }
}

/// Names what one device writes: transactions numbered 1, 2, 3 … (protocol.md 1).
package struct StreamID: Identifier128 {
  package let rawValue: UInt128
  package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Names a container; minted when its marker is written, and never changed.
package struct ContainerID: Identifier128 {
  package let rawValue: UInt128
  package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// Binds a transaction to all that stands before it in its stream (protocol.md 2).
package struct Fingerprint: Identifier128 {
  package let rawValue: UInt128
  package init(rawValue: UInt128) { self.rawValue = rawValue }

  /// What stands before the first transaction of every stream.
  package static let origin = Fingerprint(rawValue: 0)
}
