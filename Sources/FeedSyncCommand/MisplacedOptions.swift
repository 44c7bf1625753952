import ArgumentParser
import FeedSync

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

  static func isOption(_ word: String) -> Bool {
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

/// What to write where a word begins with a hyphen and is no option, as an id may, or an option
/// stands where none can.
enum DashHint {
  /// For words that nobody takes for options, since they stand behind `--`; nil if none does.
  static var behindDashes: String? { behindDashes(in: arguments) }

  /// For what the parser has refused; nil if that has nothing to do with it.
  static var ofRefused: String? {
    if let hint = behindDashes(in: arguments) { return hint }
    guard !arguments.contains("--"), let word = arguments.first(where: isNoOption) else {
      return nil
    }
    return "what begins with a hyphen and is no option, such as \(ShellWord.quoted(word)), stands"
      + " behind --, and all options in front of that"
  }

  private static var arguments: ArraySlice<String> { CommandLine.arguments.dropFirst() }

  private static func behindDashes(in arguments: ArraySlice<String>) -> String? {
    guard let dashes = arguments.firstIndex(of: "--"),
      arguments[dashes...].contains(where: MisplacedOptions.isOption)
    else { return nil }
    return "what stands behind -- is no option: write options in front of it"
  }

  /// All options of one letter are few, and this is none of them.
  private static func isNoOption(_ word: String) -> Bool {
    word.hasPrefix("-") && !word.hasPrefix("--") && !["-", "-h", "-o"].contains(word)
  }
}
