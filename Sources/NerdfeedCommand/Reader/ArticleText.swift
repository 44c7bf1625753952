/// Text in lines of so many columns.
///
///     ArticleText.wrapped("one two three", columns: 8)   // ["one two", "three"]
enum ArticleText {
  /// Lines longer than this are hard to read, however wide the terminal is.
  static let mostColumns = 100

  static func wrapped(_ text: String, columns: Int) -> [String] {
    let width = max(1, min(columns, mostColumns))
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
      wrapped(line: expanded($0), columns: width)
    }
  }

  private static func expanded(_ line: Substring) -> Substring {
    line.utf8.contains(0x09) ? Substring(line.replacing("\t", with: "    ")) : line
  }

  private static func wrapped(line: Substring, columns: Int) -> [String] {
    if line.utf8.count <= columns { return [String(line)] }
    var lines: [String] = []
    var current = ""
    var used = 0
    var hasWord = false
    // Not at every white space: one that may not break stays.
    for word in line.split(separator: " ", omittingEmptySubsequences: false) {
      let width = CellText.width(String(word))
      if hasWord, used + 1 + width > columns {
        lines.append(current)
        (current, used) = ("", 0)
      } else if hasWord {
        current += " "
        used += 1
      }
      current += word
      used += width
      hasWord = true
      while used > columns {
        var (head, rest) = CellText.cut(current, columns: columns)
        if head.isEmpty {
          // A letter that is wider than the terminal stands alone.
          (head, rest) = (String(current.prefix(1)), current.dropFirst())
        }
        lines.append(head)
        current = String(rest)
        used = CellText.width(current)
      }
    }
    return lines + [current]
  }
}
