import CanonicalJSON
import Replication

/// Reads the parts of a segment one after another, and believes none of the numbers in it.
package struct ByteReader {
  private let bytes: [UInt8]
  private(set) var position: Int
  private let end: Int

  package init(_ bytes: [UInt8], from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    position = start
    self.end = end ?? bytes.count
  }

  var remaining: Int { end - position }

  package mutating func byte() throws(SegmentError) -> UInt8 {
    guard position < end else { throw .incomplete }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func varint() throws(SegmentError) -> UInt64 {
    if position < end, bytes[position] < 0x80 {
      defer { position += 1 }
      return UInt64(bytes[position])
    }
    let start = position
    guard let value = bytes[..<end].readVarint(at: &position) else {
      // Ten bytes hold any number; fewer were left, so more may still come.
      if end - start < 10 { throw .incomplete }
      throw .damaged("a number is too long")
    }
    return value
  }

  /// A number of things that take at least `size` bytes each: more than fit is a lie.
  package mutating func count(of size: Int) throws(SegmentError) -> Int {
    let count = try varint()
    guard count <= UInt64(remaining / size) else { throw .damaged("a count exceeds the content") }
    return Int(count)
  }

  package mutating func take(_ count: Int) throws(SegmentError) -> [UInt8] {
    guard count >= 0, count <= remaining else { throw .incomplete }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Appends the next bytes to others.
  mutating func take(_ count: Int, into output: inout [UInt8]) throws(SegmentError) {
    guard count >= 0, count <= remaining else { throw .incomplete }
    output.append(contentsOf: bytes[position..<position + count])
    position += count
  }

  /// Bytes behind their length.
  package mutating func block() throws(SegmentError) -> [UInt8] { try take(count(of: 1)) }

  mutating func text() throws(SegmentError) -> ByteString {
    guard let text = ByteString(utf8: try block()) else { throw .damaged("text is not UTF-8") }
    return text
  }

  package mutating func identifier<ID: Identifier128>() throws(SegmentError) -> ID {
    guard remaining >= 16, let halves = bytes.halves(at: position) else { throw .incomplete }
    position += 16
    return ID(halves: halves)
  }

  package mutating func unsigned64() throws(SegmentError) -> UInt64 {
    guard remaining >= 8 else { throw .incomplete }
    var value: UInt64 = 0
    for offset in 0..<8 { value = value << 8 | UInt64(bytes[position + offset]) }
    position += 8
    return value
  }
}

extension Array {
  /// Takes room for `count` elements, within reason: 260 KB of deflated zeros can promise tens of
  /// millions, and what is promised is not yet there.
  mutating func reserveCapacity(plausible count: Int) { reserveCapacity(Swift.min(count, 1 << 16)) }
}

extension [UInt8] {
  /// Appends `bytes` behind their length.
  package mutating func appendBlock(_ bytes: [UInt8]) {
    appendVarint(UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  /// Appends bytes that stand anywhere behind their length.
  mutating func appendBlock(_ bytes: UnsafeRawBufferPointer) {
    appendVarint(UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  /// Appends `bytes` behind their length.
  package mutating func appendBlock(_ bytes: SmallBytes) {
    bytes.withUnsafeBytes { appendBlock($0) }
  }

  /// Appends a part of others behind its length.
  package mutating func appendBlock(_ bytes: ArraySlice<UInt8>) {
    appendVarint(UInt64(bytes.count))
    append(contentsOf: bytes)
  }
}
