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
      hasWord = true
      // One that is too long for any line stands at the start of one.
      var (rest, left) = (word, width)
      while left > columns {
        let piece = piece(of: rest, columns: columns)
        lines.append(String(piece))
        rest = rest[piece.endIndex...]
        left -= CellText.width(String(piece))
      }
      current += rest
      used += left
    }
    return lines + [current]
  }

  /// What of a word fits into a line; a letter that is wider than the terminal stands alone.
  private static func piece(of word: Substring, columns: Int) -> Substring {
    let piece = CellText.start(of: word, columns: columns)
    return piece.isEmpty ? word.prefix(1) : piece
  }
}
