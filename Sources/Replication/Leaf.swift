import CanonicalJSON

/// A value at a path: a scalar or a whole array, in its one binary form.
///
/// Equal values have equal bytes and different values different ones (1 and 1.0 differ), so merging
/// never decodes. The first byte tells the type, the rest is its content:
///
/// | tag | type | content |
/// | --- | --- | --- |
/// | 0, 1, 2 | null, false, true | nothing |
/// | 3 | integer | zigzag LEB128 |
/// | 4 | integer over 2⁶³ − 1 | LEB128 |
/// | 5 | double | 8 bytes, big-endian |
/// | 6 | string | UTF-8 |
/// | 7 | array | canonical JSON |
package struct Leaf: Hashable, Sendable {
  package let bytes: [UInt8]

  /// Takes bytes that are already known to be a well-formed leaf.
  package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// The binary form of `value`; nil for an object, which is no leaf.
  package init?(_ value: JSON) {
    switch value {
    case .null: bytes = [0]
    case .bool(let flag): bytes = [flag ? 2 : 1]
    case .integer(let number):
      var bytes: [UInt8] = [3]
      bytes.appendVarint(number.zigzag)
      self.bytes = bytes
    case .unsigned(let number):
      var bytes: [UInt8] = [4]
      bytes.appendVarint(number)
      self.bytes = bytes
    case .double(let number):
      let pattern = number.bitPattern
      bytes = [5] + (0..<8).map { UInt8(truncatingIfNeeded: pattern >> (56 - 8 * $0)) }
    case .string(let text): bytes = [6] + text.bytes
    case .array: bytes = [7] + value.canonicalBytes()
    case .object: return nil
    }
  }

  /// Reads bytes from outside; nil unless they are the one form of some value.
  package init?(validating bytes: [UInt8]) {
    guard Leaf.isForm(bytes.span) else { return nil }
    self.bytes = bytes
  }

  /// Whether bytes from outside are the one form of some value.
  static func isForm(_ bytes: Span<UInt8>) -> Bool {
    guard !bytes.isEmpty else { return false }
    switch bytes[0] {
    case 0, 1, 2: return bytes.count == 1
    case 6: return bytes.extracting(droppingFirst: 1).isUTF8
    default:
      // The others could be written in other forms than theirs.
      let bytes = bytes.array
      return decode(bytes).flatMap { Leaf($0) }?.bytes == bytes
    }
  }

  package var json: JSON { Leaf.decode(bytes) ?? .null }

  /// Appends the value as canonical JSON.
  package func write(into output: inout [UInt8]) {
    switch bytes.first {
    case 6:
      let text = bytes.dropFirst()
      JSON.writeString(text.span, into: &output)
    case 7: output.append(contentsOf: bytes.dropFirst())
    default: json.write(into: &output)
    }
  }

  private static func decode(_ bytes: [UInt8]) -> JSON? {
    let content = bytes.dropFirst()
    switch bytes.first {
    case 0: return content.isEmpty ? .null : nil
    case 1: return content.isEmpty ? .bool(false) : nil
    case 2: return content.isEmpty ? .bool(true) : nil
    case 3: return wholeVarint(content).map { .integer(Int64(zigzag: $0)) }
    case 4: return wholeVarint(content).flatMap { $0 > UInt64(Int64.max) ? .unsigned($0) : nil }
    case 5:
      guard content.count == 8 else { return nil }
      let number = Double(bitPattern: content.reduce(0) { $0 << 8 | UInt64($1) })
      return number.isFinite ? .double(number) : nil
    case 6: return ByteString(utf8: Array(content)).map { .string($0) }
    case 7:
      guard let value = try? JSON(parsing: Array(content)), case .array = value else { return nil }
      return value
    default: return nil
    }
  }

  private static func wholeVarint(_ bytes: ArraySlice<UInt8>) -> UInt64? {
    var position = bytes.startIndex
    guard let value = bytes.readVarint(at: &position), position == bytes.endIndex else {
      return nil
    }
    return value
  }
}
