import ArgumentParser
import Foundation

/// What the argument parser knows of a command: what `--help` is made from.
///
/// The parser gives it as JSON (`--experimental-dump-help`, version 0); only what the manual needs
/// is read.
struct CommandHelp: Decodable {
  let commandName: String
  let shouldDisplay: Bool
  let abstract: String?
  let discussion: String?
  let subcommands: [CommandHelp]?
  let arguments: [ArgumentHelpText]?
  let defaultSubcommand: String?

  /// The subcommands that are shown; `help` is the parser's own.
  var shown: [CommandHelp] {
    (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
  }

  var shownArguments: [ArgumentHelpText] { (arguments ?? []).filter(\.shouldDisplay) }

  /// The tool, with all that is below it.
  static func tool() throws -> CommandHelp { try read(FeedSyncTool._dumpHelp()) }

  /// The names of the options that every command takes.
  static func commonOptions() throws -> Set<String> {
    let help = try read(GlobalOptions._dumpHelp())
    return Set(help.shownArguments.compactMap { $0.preferredName?.name } + ["version", "help"])
  }

  private struct Dump: Decodable {
    let command: CommandHelp
  }

  private static func read(_ text: String) throws -> CommandHelp {
    try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command
  }
}

/// One argument, option or flag.
struct ArgumentHelpText: Decodable {
  struct Name: Decodable {
    let kind: String
    let name: String
  }

  let kind: String
  let shouldDisplay: Bool
  let isOptional: Bool
  let isRepeating: Bool
  let names: [Name]?
  let preferredName: Name?
  let valueName: String?
  let defaultValue: String?
  let allValues: [String]?
  let abstract: String?
  let discussion: String?

  var isPositional: Bool { kind == "positional" }
  var takesValue: Bool { kind == "option" }
}
