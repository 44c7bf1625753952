/// A word as it is typed into a shell.
enum ShellWord {
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80
        && (character.isLetter || character.isNumber || "/_-.~=:,+@%".utf8.contains(byte))
    }
    guard !isPlain || word.isEmpty || word.hasPrefix("~") else { return word }
    return "'\(word.replacing("'", with: "'\\''"))'"
  }
}
