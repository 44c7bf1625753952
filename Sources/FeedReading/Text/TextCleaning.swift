/// Takes out of text what would drive a terminal or turn the text around it.
enum TextCleaning {
  /// Control characters, and those that change the direction of what follows them.
  ///
  /// <https://www.unicode.org/reports/tr9/#Explicit_Directional_Embeddings>
  static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB: true
    default: false
    }
  }

  /// How many bytes at `index` are a harmful character in UTF-8; 0 if it is none.
  static func harmfulCount(_ bytes: [UInt8], at index: Int) -> Int {
    let byte = bytes[index]
    if byte < 0x20 { return byte == 0x09 || byte == 0x0A ? 0 : 1 }
    if byte == 0x7F { return 1 }
    func next(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    switch byte {
    case 0xC2: return next(1) < 0xA0 ? 2 : 0
    case 0xE2 where next(1) == 0x80: return 0xA8...0xAE ~= next(2) ? 3 : 0
    case 0xE2 where next(1) == 0x81: return 0xA6...0xA9 ~= next(2) ? 3 : 0
    case 0xEF where next(1) == 0xBB: return next(2) == 0xBF ? 3 : 0
    case 0xEF where next(1) == 0xBF: return 0xB9...0xBB ~= next(2) ? 3 : 0
    default: return 0
    }
  }

  /// The same without its harmful characters.
  static func withoutHarmful(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let harmful = harmfulCount(bytes, at: index)
      if harmful == 0 { result.append(bytes[index]) }
      index += max(harmful, 1)
    }
    return result
  }

  /// What stands in place of the harmful character at `index`: of the controls U+0080–9F, those
  /// that Windows-1252 has there, since a producer has taken its bytes for characters.
  static func replacement(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    // A carriage return would let what follows overwrite the line.
    if bytes[index] == ASCII.carriageReturn {
      let isPair = index + 1 < bytes.count && bytes[index + 1] == ASCII.lineFeed
      return isPair ? [] : [ASCII.lineFeed]
    }
    guard bytes[index] == 0xC2, index + 1 < bytes.count else { return [] }
    var result: [UInt8] = []
    let scalar = Windows1252.scalar(bytes[index + 1])
    if scalar >= 0xA0 { result.append(scalar: scalar) }
    return result
  }

  /// One line: harmless, runs of white space as one space, and no longer than `limit` bytes.
  static func line(_ bytes: [UInt8], limit: Int = 8_192) -> String? {
    var result: [UInt8] = []
    var index = 0
    var isAfterSpace = true
    while index < bytes.count, result.count < limit {
      let byte = bytes[index]
      if byte.isASCIISpace {
        if !isAfterSpace { result.append(ASCII.space) }
        isAfterSpace = true
        index += 1
        continue
      }
      let harmful = harmfulCount(bytes, at: index)
      isAfterSpace = false
      if harmful > 0 {
        result.append(contentsOf: replacement(bytes, at: index))
        index += harmful
        continue
      }
      result.append(byte)
      index += 1
    }
    let isCut =
      result.count > limit || index < bytes.count && bytes[index...].contains { !$0.isASCIISpace }
    if isCut {
      let mark = "…".utf8
      // Between two characters.
      var end = max(0, min(result.count - 1, limit - mark.count))
      while end > 0, result[end] & 0xC0 == 0x80 { end -= 1 }
      result.removeSubrange(end...)
      result.append(contentsOf: mark)
    }
    if result.last == ASCII.space { result.removeLast() }
    return result.isEmpty ? nil : String(utf8: result)
  }
}
