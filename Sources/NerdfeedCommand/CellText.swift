/// Text by the columns that it takes on a terminal.
///
///     CellText.width("日本")                  // 4
///     CellText.fitted("a long title", columns: 6)   // "a lon…"
enum CellText {
  /// More marks on one letter are left out: they would run over the lines around it.
  private static let maximumMarks = 4

  static func width(_ text: String) -> Int {
    // Nearly all text is ASCII, where each byte is a column.
    if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// As much of a line as fits, with a mark of what is left out.
  static func fitted(_ text: String, columns: Int) -> String {
    guard columns > 0 else { return "" }
    let sparse = withoutPiles(text)
    guard width(sparse) > columns else { return sparse }
    return start(of: sparse[...], columns: columns - 1) + "…"
  }

  /// As much as fits and not more, filled up with spaces.
  static func padded(_ text: String, columns: Int) -> String {
    let fitted = fitted(text, columns: columns)
    return fitted + String(repeating: " ", count: max(0, columns - width(fitted)))
  }

  /// What of a line fits into so many columns.
  static func start(of text: Substring, columns: Int) -> Substring {
    var used = 0
    let scalars = text.unicodeScalars
    var index = scalars.startIndex
    while index < scalars.endIndex {
      let next = used + width(scalars[index])
      guard next <= columns else { break }
      used = next
      index = scalars.index(after: index)
    }
    return text[..<index]
  }

  private static func withoutPiles(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    var marks = 0
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      marks = width(scalar) == 0 ? marks + 1 : 0
      if marks <= maximumMarks { result.append(scalar) }
    }
    return String(result)
  }

  /// 0 for marks on the letter before, 2 for what is wide in East Asian typefaces.
  ///
  /// <https://www.unicode.org/reports/tr11/>
  static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20...0x2FF: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    case 0xFE00...0xFE0F, 0x200C...0x200D: return 0
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}
