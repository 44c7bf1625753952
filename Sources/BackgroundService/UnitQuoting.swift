/// How words are written into `ExecStart=`, and read from it (systemd.service(5), "Command lines").
enum UnitQuoting {
  /// A word that the program gets exactly as it is.
  static func argument(_ text: String) -> String {
    quoted(text.replacing("$", with: "$$"))
  }

  /// The program to be run: variables are not replaced in it, so a dollar sign stands for itself.
  static func program(_ text: String) -> String { quoted(text) }

  /// Whether systemd takes the path as that of a program: it refuses quotes and backslashes there,
  /// however they are written.
  static func canBeProgram(_ text: String) -> Bool {
    !text.contains { "\"'\\".contains($0) }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%")
    return "\"\(escaped)\""
  }

  /// The words of a line that was written with these; nil for one that was written otherwise.
  static func words(_ line: Substring) -> [String]? {
    var words: [String] = []
    var rest = line.drop { $0 == " " }
    while !rest.isEmpty {
      guard let word = word(&rest, isProgram: words.isEmpty) else { return nil }
      words.append(word)
      rest = rest.drop { $0 == " " }
    }
    return words
  }

  private static func word(_ rest: inout Substring, isProgram: Bool) -> String? {
    let isQuoted = rest.first == "\""
    if isQuoted { rest.removeFirst() }
    var word = ""
    while let character = rest.popFirst() {
      switch character {
      case "\"" where isQuoted: return word
      case " " where !isQuoted: return word
      case "\\":
        guard let next = rest.popFirst(), "\"\\".contains(next) else { return nil }
        word.append(next)
      case "%":
        guard rest.popFirst() == "%" else { return nil }
        word.append("%")
      case "$" where !isProgram:
        guard rest.popFirst() == "$" else { return nil }
        word.append("$")
      default: word.append(character)
      }
    }
    return isQuoted ? nil : word
  }
}
