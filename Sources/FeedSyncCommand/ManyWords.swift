/// The words that a command takes any number of, such as the ids that `delete` is given.
enum ManyWords {
  /// Each once, in order: who names a thing twice, as a script does that joins lists, means it once.
  static func distinct(_ words: [String]) -> [String] {
    // By their bytes: to a String, é and e with an accent behind it are the same.
    distinct(words) { Array($0.utf8) }
  }

  /// Those of which `key` is not that of one before.
  static func distinct<Word, Key: Hashable>(
    _ words: [Word], by key: (Word) -> Key
  ) -> [Word] {
    var seen: Set<Key> = []
    return words.filter { seen.insert(key($0)).inserted }
  }
}
