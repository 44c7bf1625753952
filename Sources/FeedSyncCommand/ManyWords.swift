/// The words that a command takes any number of, such as the ids that `delete` is given.
package enum ManyWords {
  /// The arguments without the program: those for the parser, and those that are kept from it.
  ///
  /// What the parser does for one more of many words takes the longer the more there are: 20,000
  /// ids took it eight seconds.
  static let split = split(Array(CommandLine.arguments.dropFirst()))

  /// What was kept from the parser.
  static var rest: [String] { split.rest }

  /// Where nothing but a value can stand, words are kept back; never an option, nor what follows
  /// one, for that may be its value.
  package static func split(_ arguments: [String]) -> (parsed: [String], rest: [String]) {
    guard arguments.count > most, takesMany(arguments) else { return (arguments, []) }
    var (parsed, rest): ([String], [String]) = ([], [])
    var (values, isBehindOption, isBehindDashes) = (0, false, false)
    for word in arguments {
      let isValue = isBehindDashes || !(word.hasPrefix("-") || isBehindOption)
      if isValue, values >= most {
        rest.append(word)
      } else {
        parsed.append(word)
        if isValue { values += 1 }
      }
      isBehindOption = !isBehindDashes && word.hasPrefix("-")
      isBehindDashes = isBehindDashes || word == "--"
    }
    return (parsed, rest)
  }

  /// More values than a command has names and single ones before the many.
  private static let most = 64
  private static let commands = [
    ["delete"], ["kv", "remove"], ["attachments", "remove"], ["file", "discard"],
  ]

  private static func takesMany(_ arguments: [String]) -> Bool {
    commands.contains { arguments.starts(with: $0) }
  }

  /// Each once, in order: who names a thing twice, as a script that joins lists, means it once.
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
