/// Recursive descent over a text that is known to be well-formed UTF-8.
///
/// The text is handed down rather than stored: a struct that holds a `Span` needs lifetime
/// annotations, which are still experimental, and the span's bounds checks keep a mistake here from
/// reading foreign memory.
struct JSONReader {
  let maximumDepth: Int
  /// The next byte to read.
  var offset = 0

  init(maximumDepth: Int) { self.maximumDepth = maximumDepth }

  /// One value with white space around it, and nothing else.
  mutating func document(in text: Span<UInt8>) throws(JSONError) -> JSON {
    skipWhitespace(in: text)
    let value = try value(in: text, depth: 0)
    skipWhitespace(in: text)
    guard offset == text.count else { throw JSONError(.trailingContent, at: offset) }
    return value
  }

  /// The value that starts here, inside `depth` arrays and objects.
  private mutating func value(in text: Span<UInt8>, depth: Int) throws(JSONError) -> JSON {
    switch try peek(in: text) {
    case UInt8(ascii: "\""): return .string(try string(in: text))
    case UInt8(ascii: "{"): return .object(try object(in: text, depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(in: text, depth: depth + 1))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(in: text)
    case UInt8(ascii: "t"): return try word("true", meaning: .bool(true), in: text)
    case UInt8(ascii: "f"): return try word("false", meaning: .bool(false), in: text)
    case UInt8(ascii: "n"): return try word("null", meaning: .null, in: text)
    default: throw JSONError(.unexpectedCharacter, at: offset)
    }
  }

  private mutating func array(in text: Span<UInt8>, depth: Int) throws(JSONError) -> [JSON] {
    var elements: [JSON] = []
    guard try open(until: UInt8(ascii: "]"), depth: depth, in: text) else { return elements }
    repeat {
      elements.append(try value(in: text, depth: depth))
    } while try goOn(until: UInt8(ascii: "]"), in: text)
    return elements
  }

  private mutating func object(in text: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
    let start = offset
    var members: [(key: ByteString, value: JSON)] = []
    // Canonical text, which is most of what is read, needs no sorting.
    var isAscending = true
    guard try open(until: UInt8(ascii: "}"), depth: depth, in: text) else { return JSONObject() }
    repeat {
      let key = try key(in: text)
      if let last = members.last { isAscending = isAscending && last.key < key }
      members.append((key, try value(in: text, depth: depth)))
    } while try goOn(until: UInt8(ascii: "}"), in: text)
    guard !isAscending else { return JSONObject(sorted: members) }
    members.sort { $0.key < $1.key }
    if let key = JSONObject.firstRepeatedKey(in: members) {
      let second = try offsetOfSecond(key, inObjectAt: start, of: text, depth: depth)
      throw JSONError(.duplicateKey(key), at: second)
    }
    return JSONObject(sorted: members)
  }

  /// Reads the object again to find where `repeated` comes the second time.
  ///
  /// So only the text that is refused pays for knowing the offsets of its keys.
  private mutating func offsetOfSecond(
    _ repeated: ByteString, inObjectAt start: Int, of text: Span<UInt8>, depth: Int
  ) throws(JSONError) -> Int {
    let end = offset
    var wasSeen = false
    offset = start
    guard try open(until: UInt8(ascii: "}"), depth: depth, in: text) else { return end }
    repeat {
      let keyOffset = offset
      if try key(in: text) == repeated {
        if wasSeen { return keyOffset }
        wasSeen = true
      }
      _ = try value(in: text, depth: depth)
    } while try goOn(until: UInt8(ascii: "}"), in: text)
    return end
  }

  /// A key and its colon, up to the value.
  private mutating func key(in text: Span<UInt8>) throws(JSONError) -> ByteString {
    guard try peek(in: text) == UInt8(ascii: "\"") else {
      throw JSONError(.unexpectedCharacter, at: offset)
    }
    let key = try string(in: text)
    skipWhitespace(in: text)
    guard try peek(in: text) == UInt8(ascii: ":") else {
      throw JSONError(.unexpectedCharacter, at: offset)
    }
    offset += 1
    skipWhitespace(in: text)
    return key
  }

  /// Passes the opening bracket; false if `close` follows at once.
  private mutating func open(
    until close: UInt8, depth: Int, in text: Span<UInt8>
  ) throws(JSONError) -> Bool {
    guard depth <= maximumDepth else { throw JSONError(.tooDeep, at: offset) }
    offset += 1
    skipWhitespace(in: text)
    guard try peek(in: text) == close else { return true }
    offset += 1
    return false
  }

  /// Passes the comma before another element, or `close`, which is the end: false.
  private mutating func goOn(until close: UInt8, in text: Span<UInt8>) throws(JSONError) -> Bool {
    skipWhitespace(in: text)
    let byte = try peek(in: text)
    guard byte == UInt8(ascii: ",") || byte == close else {
      throw JSONError(.unexpectedCharacter, at: offset)
    }
    offset += 1
    guard byte != close else { return false }
    skipWhitespace(in: text)
    return true
  }

  private mutating func word(
    _ word: StaticString, meaning value: JSON, in text: Span<UInt8>
  ) throws(JSONError) -> JSON {
    for index in 0..<word.utf8CodeUnitCount {
      guard try peek(in: text) == word.utf8Start[index] else {
        throw JSONError(.unexpectedCharacter, at: offset)
      }
      offset += 1
    }
    return value
  }

  /// The next byte, which stays the next one.
  func peek(in text: Span<UInt8>) throws(JSONError) -> UInt8 {
    guard offset < text.count else { throw JSONError(.unexpectedEnd, at: text.count) }
    return text[offset]
  }

  /// RFC 8259's four characters; what Unicode calls white space besides is refused.
  private mutating func skipWhitespace(in text: Span<UInt8>) {
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
        offset += 1
      default: return
      }
    }
  }
}
