import ArgumentParser
import FeedSync

/// A command that there is not: the parser, which has none to ask, complains of the options behind
/// it instead.
struct UnknownCommand {
  /// What it was called, with the group that it was looked for in.
  let words: [String]

  /// - returns: nil if the arguments name one that there is, or begin with options.
  init?(in arguments: [String]) {
    var type: any ParsableCommand.Type = FeedSyncTool.self
    var words: [String] = []
    // What is asked about is looked for as what is to be run.
    for word in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
      let configuration = type.configuration
      // What is asked without a word of its own may have any as its argument.
      guard !configuration.subcommands.isEmpty, configuration.defaultSubcommand == nil,
        !word.hasPrefix("-"), word != "help"
      else { return nil }
      words.append(word)
      guard let next = configuration.subcommands.first(where: { $0._commandName == word }) else {
        self.words = words
        return
      }
      type = next
    }
    return nil
  }

  var error: ValidationError {
    ValidationError("there is no command '\(words.joined(separator: " "))'")
  }

  /// Where its group has those that there are; nil without a group.
  var hint: String? {
    words.count > 1 ? "see 'feedsync \(words.dropLast().joined(separator: " ")) --help'" : nil
  }
}
