/// A tag as a browser reads it, the arrays of which are used again for the next one.
struct HTMLTag {
  struct Attribute {
    let name: Range<Int>
    let value: Range<Int>
  }

  private static let maximumAttributes = 100

  private(set) var name: PackedName?
  private(set) var attributes: [Attribute] = []
  private(set) var isSelfClosing = false
  /// Whether the text holds its `>`.
  private(set) var isClosed = false

  /// Reads the tag whose `<` is at `start`; the position behind it.
  ///
  /// <https://html.spec.whatwg.org/multipage/parsing.html#tag-open-state>
  mutating func read(in text: [UInt8], at start: Int) -> Int {
    attributes.removeAll(keepingCapacity: true)
    isSelfClosing = false
    isClosed = false
    var index = start + 1
    if index < text.count, text[index] == ASCII.slash { index += 1 }
    let nameStart = index
    while index < text.count, !Self.endsName(text[index]) { index += 1 }
    name = PackedName(text[nameStart..<index], lowercasing: true)
    while index < text.count {
      let byte = text[index]
      if byte == ASCII.greater {
        isClosed = true
        isSelfClosing = text[index - 1] == ASCII.slash
        return index + 1
      }
      if byte.isASCIISpace || byte == ASCII.slash {
        index += 1
      } else {
        index = readAttribute(in: text, at: index)
      }
    }
    return index
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte.isASCIISpace || byte == ASCII.slash || byte == ASCII.greater
  }

  private mutating func readAttribute(in text: [UInt8], at start: Int) -> Int {
    // The first character belongs to the name whatever it is.
    var index = start + 1
    while index < text.count, !Self.endsName(text[index]), text[index] != ASCII.equals {
      index += 1
    }
    let name = start..<index
    while index < text.count, text[index].isASCIISpace { index += 1 }
    guard index < text.count, text[index] == ASCII.equals else {
      add(name, index..<index)
      return index
    }
    index += 1
    while index < text.count, text[index].isASCIISpace { index += 1 }
    guard index < text.count else { return index }
    let mark = text[index]
    let valueStart: Int
    if mark == ASCII.quote || mark == ASCII.apostrophe {
      valueStart = index + 1
      index = valueStart
      while index < text.count, text[index] != mark { index += 1 }
      add(name, valueStart..<index)
      return min(index + 1, text.count)
    }
    valueStart = index
    while index < text.count, !text[index].isASCIISpace, text[index] != ASCII.greater {
      index += 1
    }
    add(name, valueStart..<index)
    return index
  }

  private mutating func add(_ name: Range<Int>, _ value: Range<Int>) {
    if attributes.count < Self.maximumAttributes {
      attributes.append(Attribute(name: name, value: value))
    }
  }
}
