/// Text as the mdoc(7) macros of roff want it.
enum Roff {
  /// Running text: a sentence a line, as roff wants it to space them, paragraphs apart.
  static func text(_ text: String) -> [String] {
    let paragraphs = text.split(separator: "\n\n").map { paragraph in
      list(paragraph) ?? sentences(String(paragraph).replacing("\n", with: " ")).map { line($0) }
    }
    return Array(paragraphs.joined(separator: [".Pp"]))
  }

  /// A paragraph each line of which is an item of a list; nil for any other.
  private static func list(_ paragraph: Substring) -> [String]? {
    let items = paragraph.split(separator: "\n")
    guard items.allSatisfy({ $0.hasPrefix("- ") }) else { return nil }
    let lines = items.map { [".It"] + sentences(String($0.dropFirst(2))).map { line($0) } }
    return [".Bl -dash"] + lines.joined() + [".El"]
  }

  /// One line of text that is no macro, whatever it begins with.
  static func line(_ text: some StringProtocol) -> String {
    let escaped = escaped(text)
    return escaped.hasPrefix(".") || escaped.isEmpty ? "\\&" + escaped : escaped
  }

  /// Text without anything that roff would read otherwise.
  ///
  /// Hyphens and quotes are written so that a command can be copied from the page.
  static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      }
    }
    return result
  }

  /// Divides after a full stop that a capital or a quoted command follows.
  private static func sentences(_ text: String) -> [Substring] {
    var result: [Substring] = []
    var start = text.startIndex
    var index = text.startIndex
    while let end = text[index...].range(of: ". ") {
      let next = end.upperBound
      index = next
      guard next < text.endIndex, text[next].isUppercase || text[next] == "'" else { continue }
      result.append(text[start..<text.index(before: next)])
      start = next
    }
    result.append(text[start...])
    return result.filter { !$0.isEmpty }
  }
}
