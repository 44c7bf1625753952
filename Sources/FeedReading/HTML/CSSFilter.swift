/// Keeps of a style what only changes how its own text looks.
enum CSSFilter {
  private static let properties: Set<String> = [
    "background-color", "border", "border-bottom", "border-bottom-color", "border-bottom-style",
    "border-bottom-width", "border-collapse", "border-color", "border-left", "border-left-color",
    "border-left-style", "border-left-width", "border-radius", "border-right",
    "border-right-color", "border-right-style", "border-right-width", "border-spacing",
    "border-style", "border-top", "border-top-color", "border-top-style", "border-top-width",
    "border-width", "caption-side", "clear", "color", "direction", "empty-cells", "float", "font",
    "font-family", "font-size", "font-style", "font-variant", "font-weight", "height",
    "letter-spacing", "line-height", "list-style-type", "margin", "margin-bottom", "margin-left",
    "margin-right", "margin-top", "max-height", "max-width", "overflow", "padding",
    "padding-bottom", "padding-left", "padding-right", "padding-top", "quotes", "text-align",
    "text-decoration", "text-indent", "text-transform", "unicode-bidi", "vertical-align",
    "white-space", "width", "word-spacing",
  ]

  /// The declarations that are harmless, as `name: value;`; nil if there is none.
  static func clean(_ style: [UInt8]) -> [UInt8]? {
    guard style.count <= 4_096, isHarmless(style) else { return nil }
    var result: [UInt8] = []
    for declaration in style.split(separator: ASCII.semicolon) {
      guard let colon = declaration.firstIndex(of: ASCII.colon) else { continue }
      let name = String(utf8: declaration[..<colon]).trimmed.lowercased()
      let value = String(utf8: declaration[(colon + 1)...]).trimmed
      guard properties.contains(name), isHarmlessValue(value) else { continue }
      if !result.isEmpty { result.append(ASCII.space) }
      result.append(contentsOf: name.utf8)
      result.append(": ")
      result.append(contentsOf: value.utf8)
      result.append(ASCII.semicolon)
    }
    return result.isEmpty ? nil : result
  }

  /// Escapes, comments and rules could hide what follows; who styles a text needs none of them.
  private static func isHarmless(_ style: [UInt8]) -> Bool {
    !style.contains { $0 == ASCII.backslash || $0 == 0x40 || $0 == ASCII.less || $0 == 0x7B }
      && style.firstIndex(of: "/*", from: 0) == nil
  }

  /// No function but those of colours, no length that would cover what is around it.
  private static func isHarmlessValue(_ value: String) -> Bool {
    guard !value.isEmpty, value.utf8.count <= 200 else { return false }
    for byte in value.utf8 where byte == 0x3A || byte == ASCII.ampersand { return false }
    let small = value.lowercased()
    // Negative margins and indents move a text over what stands beside it.
    if small.hasPrefix("-") || small.contains(" -") { return false }
    guard let bracket = small.utf8.firstIndex(of: 0x28) else { return true }
    let function = String(small[..<bracket])
    return ["rgb", "rgba", "hsl", "hsla"].contains { function.hasSuffix($0) }
      && small.utf8[small.utf8.index(after: bracket)...].allSatisfy {
        $0.isASCIIDigit || $0.isASCIISpace || [0x25, 0x29, 0x2C, 0x2E, 0x2F].contains($0)
      }
  }

  /// Whether a presentation attribute may load something.
  static func mayLoad(_ value: [UInt8]) -> Bool {
    let text = Array(String(utf8: value).lowercased().utf8)
    return ["url(", "script:", "expression", "data:", "\\"].contains {
      text.firstIndex(of: $0, from: 0) != nil
    }
  }
}
