/// How words are written into `ExecStart=`, and read from it (systemd.service(5), "Command lines").
enum UnitQuoting {
  /// A word that the program gets exactly as it is.
  static func argument(_ text: String) -> String {
    quoted(text, doubling: "%$")
  }

  /// The program to be run: variables are not replaced in it, so a dollar sign stands for itself.
  static func program(_ text: String) -> String { quoted(text, doubling: "%") }

  /// Whether systemd takes the path as that of a program: it refuses quotes and backslashes there,
  /// however they are written.
  static func canBeProgram(_ text: String) -> Bool {
    !text.unicodeScalars.contains { "\"'\\".unicodeScalars.contains($0) }
  }

  /// By scalars, as systemd reads: a sign with an accent on it is one character to Swift, and
  /// another one.
  private static func quoted(_ text: String, doubling signs: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { result += "\\" }
      if signs.unicodeScalars.contains(scalar) { result.unicodeScalars.append(scalar) }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  /// The words of a line that was written with these; nil for one that was written otherwise.
  static func words(_ line: Substring) -> [String]? {
    var words: [String] = []
    var rest = line.unicodeScalars.drop { $0 == " " }
    while !rest.isEmpty {
      guard let word = word(&rest, isProgram: words.isEmpty) else { return nil }
      words.append(word)
      rest = rest.drop { $0 == " " }
    }
    return words
  }

  private static func word(
    _ rest: inout Substring.UnicodeScalarView, isProgram: Bool
  ) -> String? {
    let isQuoted = rest.first == "\""
    if isQuoted { rest.removeFirst() }
    var word = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"" where isQuoted: return String(word)
      case " " where !isQuoted: return String(word)
      case "\\":
        guard let next = rest.popFirst(), next == "\"" || next == "\\" else { return nil }
        word.append(next)
      case "%":
        guard rest.popFirst() == "%" else { return nil }
        word.append("%")
      case "$" where !isProgram:
        guard rest.popFirst() == "$" else { return nil }
        word.append("$")
      default: word.append(scalar)
      }
    }
    return isQuoted ? nil : String(word)
  }
}
