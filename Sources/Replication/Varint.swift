extension [UInt8] {
  /// Appends `value` as LEB128.
  ///
  /// Seven bits a byte, the lowest first, the top bit on all but the last.
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends an identifier's 16 bytes, the highest first.
  package mutating func append(_ identifier: some Identifier128) {
    append(identifier.halves)
  }

  private mutating func append(_ halves: Halves128) {
    let words = (halves.high.bigEndian, halves.low.bigEndian)
    Swift.withUnsafeBytes(of: words) { append(contentsOf: $0) }
  }

  /// Appends `value` as 8 bytes, the highest first.
  package mutating func append(bigEndian value: UInt64) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}

extension [UInt8] {
  /// Reads an identifier's 16 bytes, the highest first; nil if there are not as many.
  package func halves(at position: Int) -> Halves128? {
    guard position >= 0, count - position >= 16 else { return nil }
    return withUnsafeBytes { bytes in
      Halves128(
        high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)))
    }
  }
}

extension ArraySlice<UInt8> {
  /// Reads a LEB128 number and moves `position` behind it; nil if it is cut, too long or too big.
  package func readVarint(at position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < endIndex {
      let byte = self[position]
      position += 1
      if shift == 63, byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return byte == 0 && shift > 0 ? nil : value }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }
}

extension Int64 {
  /// The number folded so that small ones of either sign stay small.
  ///
  /// 0, −1, 1, −2 … become 0, 1, 2, 3 …
  package var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

  package init(zigzag: UInt64) {
    self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }
}
