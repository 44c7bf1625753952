/// Keeps of a style what only changes how its own text looks.
enum CSSFilter {
  private static let names = """
    background-color border border-bottom border-bottom-color border-bottom-style
    border-bottom-width border-collapse border-color border-left border-left-color
    border-left-style border-left-width border-radius border-right border-right-color
    border-right-style border-right-width border-spacing border-style border-top border-top-color
    border-top-style border-top-width border-width caption-side clear color direction empty-cells
    float font font-family font-size font-style font-variant font-weight height letter-spacing
    line-height list-style-type margin margin-bottom margin-left margin-right margin-top max-height
    max-width overflow padding padding-bottom padding-left padding-right padding-top quotes
    text-align text-decoration text-indent text-transform unicode-bidi vertical-align white-space
    width word-spacing
    """.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
  private static let table = NameTable(names.map { ($0, true) })
  private static let longNames = Set(names.filter { $0.utf8.count > PackedName.maximumBytes })

  private static func isKept(_ name: ArraySlice<UInt8>) -> Bool {
    if let packed = PackedName(name, lowercasing: true) { return table[packed] != nil }
    return longNames.contains(String(utf8: name).lowercased())
  }

  /// The declarations that are harmless, as `name: value;`; nil if there is none.
  static func clean(_ style: [UInt8]) -> [UInt8]? {
    guard style.count <= 4_096, isHarmless(style) else { return nil }
    var result: [UInt8] = []
    var start = 0
    while start < style.count {
      let end = style.place(of: ASCII.semicolon, from: start, to: style.count) ?? style.count
      if let colon = style.place(of: ASCII.colon, from: start, to: end) {
        let name = trimmed(style[start..<colon])
        let value = trimmed(style[(colon + 1)..<end])
        if isKept(name), isHarmlessValue(value) {
          if !result.isEmpty { result.append(ASCII.space) }
          for byte in name { result.append(byte.asciiLowercased) }
          result.append(": ")
          result.append(contentsOf: value)
          result.append(ASCII.semicolon)
        }
      }
      start = end + 1
    }
    return result.isEmpty ? nil : result
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while let first = text.first, first.isASCIISpace { text.removeFirst() }
    while let last = text.last, last.isASCIISpace { text.removeLast() }
    return text
  }

  /// Escapes, comments and rules could hide what follows; who styles a text needs none of them.
  private static func isHarmless(_ style: [UInt8]) -> Bool {
    var previous: UInt8 = 0
    for byte in style {
      if byte == ASCII.backslash || byte == 0x40 || byte == ASCII.less || byte == 0x7B
        || byte == 0x2A && previous == ASCII.slash
      {
        return false
      }
      previous = byte
    }
    return true
  }

  /// No function but those of colours, no length that would cover what is around it.
  private static func isHarmlessValue(_ value: ArraySlice<UInt8>) -> Bool {
    guard !value.isEmpty, value.count <= 200 else { return false }
    var previous = ASCII.space
    var bracket: Int?
    for index in value.indices {
      let byte = value[index]
      if byte == ASCII.colon || byte == ASCII.ampersand || byte < 0x20 && !byte.isASCIISpace {
        return false
      }
      // Negative margins and indents move a text over what stands beside it.
      if byte == ASCII.hyphen, previous.isASCIISpace || previous == 0x2C { return false }
      if byte == 0x28, bracket == nil { bracket = index }
      previous = byte
    }
    guard let bracket else { return true }
    let function = value[..<bracket].suffix(while: \.isASCIIAlphanumeric).map(\.asciiLowercased)
    return ["rgb", "rgba", "hsl", "hsla"].contains { function.elementsEqual($0.utf8) }
      && value[(bracket + 1)...].allSatisfy {
        $0.isASCIIDigit || $0.isASCIISpace || $0 == 0x25 || $0 == 0x29 || $0 == 0x2C || $0 == 0x2E
          || $0 == 0x2F
      }
  }

  /// Whether a presentation attribute may load something.
  static func mayLoad(_ value: [UInt8]) -> Bool {
    let text = value.map(\.asciiLowercased)
    return ["url(", "script:", "expression", "data:", "\\"].contains {
      text.firstIndex(of: $0, from: 0) != nil
    }
  }
}

extension ArraySlice<UInt8> {
  /// The end of the slice, as far back as its bytes are wanted.
  func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    var start = endIndex
    while start > startIndex, isWanted(self[start - 1]) { start -= 1 }
    return self[start...]
  }
}
