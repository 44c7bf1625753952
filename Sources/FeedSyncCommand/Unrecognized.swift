/// Words that the parser takes whatever they look like, such as -1.
enum Unrecognized {
  /// Without what users write in front of a word that may look like an option.
  ///
  /// It may stand behind other words, as in `set add n x /s 1 -- -5`.
  static func words(_ all: [String]) -> [String] {
    guard all.count > 1, let dashes = all.firstIndex(of: "--") else { return all }
    return Array(all[..<dashes] + all[(dashes + 1)...])
  }
}
