extension JSONReader {
  /// The string whose opening quotation mark is the next byte.
  mutating func string(in text: Span<UInt8>) throws(JSONError) -> ByteString {
    offset += 1
    var bytes = plainRun(in: text)
    // Nearly every string ends here, copied in one piece.
    while try peek(in: text) != UInt8(ascii: "\"") {
      guard text[offset] == UInt8(ascii: "\\") else {
        throw JSONError(.controlCharacter, at: offset)
      }
      try appendEscape(in: text, to: &bytes)
      bytes.append(contentsOf: plainRun(in: text))
    }
    offset += 1
    return ByteString(unchecked: bytes)
  }

  /// A copy of the bytes up to a quotation mark, a backslash or a control character.
  private mutating func plainRun(in text: Span<UInt8>) -> [UInt8] {
    let start = offset
    var end = offset
    while end < text.count {
      let byte = text[end]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      end += 1
    }
    offset = end
    return text.extracting(start..<end).withUnsafeBufferPointer { Array($0) }
  }

  /// Appends what the escape means whose backslash is the next byte.
  private mutating func appendEscape(
    in text: Span<UInt8>, to bytes: inout [UInt8]
  ) throws(JSONError) {
    let start = offset
    offset += 1
    let letter = try peek(in: text)
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(letter)
    case UInt8(ascii: "b"): bytes.append(0x08)
    case UInt8(ascii: "t"): bytes.append(0x09)
    case UInt8(ascii: "n"): bytes.append(0x0A)
    case UInt8(ascii: "f"): bytes.append(0x0C)
    case UInt8(ascii: "r"): bytes.append(0x0D)
    case UInt8(ascii: "u"):
      bytes.append(contentsOf: try scalar(ofEscapeAt: start, in: text).utf8)
    default: throw JSONError(.invalidEscape, at: start)
    }
  }

  /// The scalar of one `\u` escape, or of two that make a surrogate pair; `\u` is already read.
  private mutating func scalar(
    ofEscapeAt start: Int, in text: Span<UInt8>
  ) throws(JSONError) -> Unicode.Scalar {
    let high = try fourHexDigits(ofEscapeAt: start, in: text)
    var value = high
    if 0xD800..<0xDC00 ~= high, offset + 1 < text.count,
      text[offset] == UInt8(ascii: "\\"), text[offset + 1] == UInt8(ascii: "u")
    {
      let second = offset
      offset += 2
      let low = try fourHexDigits(ofEscapeAt: second, in: text)
      if 0xDC00..<0xE000 ~= low { value = 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00) }
    }
    // Only half a pair is no scalar.
    guard let scalar = Unicode.Scalar(value) else { throw JSONError(.loneSurrogate, at: start) }
    return scalar
  }

  private mutating func fourHexDigits(
    ofEscapeAt start: Int, in text: Span<UInt8>
  ) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch try peek(in: text) {
      case let byte where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte:
        digit = byte - UInt8(ascii: "0")
      case let byte where UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte:
        digit = byte - UInt8(ascii: "a") + 10
      case let byte where UInt8(ascii: "A")...UInt8(ascii: "F") ~= byte:
        digit = byte - UInt8(ascii: "A") + 10
      default: throw JSONError(.invalidEscape, at: start)
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }
}
