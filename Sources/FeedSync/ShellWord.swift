import SystemPackage

/// A word as it is typed into a shell, for the commands that hints name: who copies them has paths
/// with spaces, too.
package enum ShellWord {
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let character = Character(UnicodeScalar(byte))
      return byte < 0x80
        && (character.isLetter || character.isNumber || "/_-.~=:,+@%".utf8.contains(byte))
    }
    guard !isPlain || word.isEmpty || word.hasPrefix("~") else { return word }
    return "'\(word.replacing("'", with: "'\\''"))'"
  }

  package static func quoted(_ path: FilePath) -> String { quoted(path.string) }
}
