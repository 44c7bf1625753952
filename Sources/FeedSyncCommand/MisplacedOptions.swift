import ArgumentParser

/// Options of a command that were written before it, as those of other tools may be.
enum MisplacedOptions {
  private static let taking = ["--state", "--container", "--format"]
  private static let alone = ["--verbose"]

  /// What to write instead; nil where no such option comes first.
  static func hint(for arguments: [String]) -> String? {
    var rest = arguments[...]
    while let word = rest.first {
      guard isOption(word) else { break }
      rest = rest.dropFirst(taking.contains(word) ? 2 : 1)
    }
    let options = arguments[..<rest.startIndex]
    guard !options.isEmpty else { return nil }
    let rule = "options stand behind the command"
    guard let names = names(in: rest) else { return rule }
    let words = ["feedsync"] + names + options.map { ShellWord.quoted($0) }
    let more = rest.count > names.count ? " ..." : ""
    return "\(rule): \(words.joined(separator: " "))\(more)"
  }

  private static func isOption(_ word: String) -> Bool {
    taking.contains(word) || alone.contains(word)
      || taking.contains { word.hasPrefix($0 + "=") }
  }

  /// The command that `words` begin with, down to its subcommand.
  private static func names(in words: ArraySlice<String>) -> [String]? {
    var type: any ParsableCommand.Type = FeedSyncTool.self
    var names: [String] = []
    for word in words {
      guard let next = type.configuration.subcommands.first(where: { $0._commandName == word })
      else { break }
      names.append(word)
      type = next
    }
    return names.isEmpty ? nil : names
  }
}
