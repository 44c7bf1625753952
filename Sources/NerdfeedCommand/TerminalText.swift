import FeedSync

/// Text from feeds and other machines as a terminal may show it.
///
/// What would drive the terminal, or turn the text around it, is written as an escape that can be
/// seen. Feeds are cleaned as they are read; names in synced documents and addresses are not.
enum TerminalText {
  /// One line: white space is a space.
  ///
  ///     TerminalText.line("a\u{1B}[2J")  // "a\u{1b}[2J", in seven visible characters
  static func line(_ text: String) -> String {
    escaped(text) { $0 == "\n" || $0 == "\t" || $0 == "\r" ? " " : nil }
  }

  /// Any number of lines.
  static func lines(_ text: String) -> String {
    escaped(text) { $0 == "\n" || $0 == "\t" ? $0 : nil }
  }

  /// JSON, whose strings may say such characters in another way.
  static func json(_ value: JSON) -> String {
    let text = value.canonical
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard isHarmful(scalar) else {
        result.append(scalar)
        continue
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        let digits = String(unit, radix: 16)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
      }
    }
    return String(result)
  }

  private static func escaped(
    _ text: String, except keep: (Unicode.Scalar) -> Unicode.Scalar?
  ) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let kept = keep(scalar) {
        result.append(kept)
      } else if isHarmful(scalar) {
        result.append(
          contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Controls, and what changes the direction of the text behind it, or hides in it.
  ///
  /// <https://www.unicode.org/reports/tr9/#Explicit_Directional_Embeddings>
  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F,
      0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
