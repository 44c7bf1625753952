/// Reads JSON with a stack of its own, so that no depth of nesting exhausts the process's.
struct JSONReading {
  private enum Frame {
    case array([JSONValue])
    case object([(key: String, value: JSONValue)], key: String?)
  }

  /// Values inside more than this are passed over.
  private static let maximumDepth = 100
  private let text: [UInt8]
  private var index = 0
  private var stack: [Frame] = []
  /// Brackets that are open beyond the greatest depth.
  private var excess = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The first value; of a text that ends too early, as much as there is.
  mutating func read() -> JSONValue? {
    while index < text.count {
      let byte = text[index]
      switch byte {
      case 0x7B, ASCII.openBracket: open(byte)
      case 0x7D, ASCII.closeBracket:
        index += 1
        if excess > 0 {
          excess -= 1
        } else if let done = close() {
          return done
        }
      case ASCII.quote:
        let string = readString()
        if excess == 0, let done = add(string) { return done }
      case 0x2C, ASCII.colon: index += 1
      case _ where byte.isASCIIAlphanumeric || byte == ASCII.hyphen || byte == 0x2B:
        guard let word = readWord() else { return nil }
        if excess == 0, let done = add(word) { return done }
      case _ where byte.isASCIISpace: index += 1
      default: return nil
      }
    }
    while !stack.isEmpty { if let done = close() { return done } }
    return nil
  }

  private mutating func open(_ byte: UInt8) {
    index += 1
    if stack.count >= Self.maximumDepth {
      excess += 1
    } else {
      stack.append(byte == 0x7B ? .object([], key: nil) : .array([]))
    }
  }

  /// Ends the innermost array or object; the value of the text if it was the outermost.
  private mutating func close() -> JSONValue? {
    switch stack.popLast() {
    case .array(let elements): return add(.array(elements))
    case .object(let members, _): return add(.object(members))
    case nil: return .null
    }
  }

  /// Puts a value where it belongs; gives it back if that is nowhere.
  private mutating func add(_ value: JSONValue) -> JSONValue? {
    switch stack.popLast() {
    case nil: return value
    case .array(var elements):
      elements.append(value)
      stack.append(.array(elements))
    case .object(var members, let key):
      if let key {
        members.append((key, value))
        stack.append(.object(members, key: nil))
      } else {
        // Keys that are no strings, such as numbers, are meant as such.
        stack.append(.object(members, key: value.text ?? ""))
      }
    }
    return nil
  }

  private mutating func readWord() -> JSONValue? {
    let start = index
    while index < text.count,
      text[index].isASCIIAlphanumeric || [0x2B, 0x2D, 0x2E].contains(text[index])
    {
      index += 1
    }
    let word = String(utf8: text[start..<index])
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: return Double(word) == nil ? nil : .number(word)
    }
  }

  private mutating func readString() -> JSONValue {
    index += 1
    var bytes: [UInt8] = []
    var start = index
    while index < text.count, text[index] != ASCII.quote {
      guard text[index] == ASCII.backslash else {
        index += 1
        continue
      }
      bytes.append(start..<index, of: text)
      readEscape(into: &bytes)
      start = index
    }
    bytes.append(start..<min(index, text.count), of: text)
    index += 1
    return .string(String(utf8: bytes))
  }

  private mutating func readEscape(into bytes: inout [UInt8]) {
    let letter = index + 1 < text.count ? text[index + 1] : ASCII.backslash
    index = min(index + 2, text.count)
    switch letter {
    case UInt8(ascii: "n"): bytes.append(ASCII.lineFeed)
    case UInt8(ascii: "t"): bytes.append(ASCII.tab)
    case UInt8(ascii: "r"): bytes.append(ASCII.carriageReturn)
    case UInt8(ascii: "b"), UInt8(ascii: "f"): bytes.append(ASCII.space)
    case UInt8(ascii: "u"): bytes.append(scalar: readUnit())
    default: bytes.append(letter)
    }
  }

  /// The scalar of one `\u` escape or of the two that make a pair; U+FFFD for half a pair.
  private mutating func readUnit() -> UInt32 {
    let high = fourDigits()
    guard 0xD800..<0xDC00 ~= high, text.has("\\u", at: index) else { return high }
    let before = index
    index += 2
    let low = fourDigits()
    guard 0xDC00..<0xE000 ~= low else {
      index = before
      return high
    }
    return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
  }

  private mutating func fourDigits() -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard index < text.count, let digit = text[index].hexDigit else { return 0xFFFD }
      value = value << 4 | digit
      index += 1
    }
    return value
  }
}
