import ArgumentParser
import FeedSync
import Foundation

/// Runs a parsed command and turns what it throws into an exit status.
enum Runner {
  static func run() -> Int32 {
    let command: any ParsableCommand
    do {
      try ProgramArguments.requireUTF8()
      command = try NamedCommandRoot.parse() ?? FeedSyncTool.parseAsRoot(ManyWords.split.parsed)
    } catch {
      return refuse(error)
    }
    let format = (command as? any StoreCommand)?.global.format ?? .text
    Output.tellFailures(in: format)
    do {
      try CommandExecution.run(command)
      return 0
    } catch let status as ExitStatus {
      return status.rawValue
    } catch let error where FeedSyncTool.exitCode(for: error) == .success || error is CleanExit {
      return refuse(error)
    } catch let error as ValidationError {
      return refuse(error)
    } catch {
      let described = FeedSyncError(error, operation: CommandName.of(type(of: command)))
      Output.error(described, format: format)
      return described.code.rawValue
    }
  }

  /// Prints what the argument parser says: help to standard output, a complaint to standard error.
  private static func refuse(_ error: any Error) -> Int32 {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let unknown = UnknownCommand(in: arguments)
    let isAnswer = unknown == nil && FeedSyncTool.exitCode(for: error) == .success
    guard !isAnswer else {
      Output.line(FeedSyncTool.fullMessage(for: error))
      return 0
    }
    let error = unknown?.error ?? error
    let hint =
      if let unknown { unknown.hint } else {
        MisplacedOptions.hint(for: arguments) ?? DashHint.ofRefused
      }
    if asksForJSON {
      let usage = FeedSyncError(
        .usage, operation: "parse arguments", message: FeedSyncTool.message(for: error),
        hint: hint ?? "see 'feedsync --help'")
      Output.error(usage, format: .json)
    } else {
      let text = FeedSyncTool.fullMessage(for: error)
      Output.warn(NameText.printable(text + (hint.map { "\nHint: \($0)" } ?? "")))
    }
    return FeedSyncError.Code.usage.rawValue
  }

  /// Whether the arguments, which could not be parsed, ask for JSON in either spelling.
  private static var asksForJSON: Bool {
    let arguments = CommandLine.arguments
    return arguments.contains("--format=json")
      || zip(arguments, arguments.dropFirst()).contains { $0 == ("--format", "json") }
  }

  static func exit(_ status: Int32) -> Never { Foundation.exit(status) }
}

/// The root with the one command that the arguments name, for what starts often.
///
/// The parser looks at every command that there is, and for what asks for a completion script,
/// before it parses one: a seventh of all that `get` does. Whatever it refuses here, help included,
/// ``FeedSyncTool`` answers in its own words.
private struct NamedCommandRoot: ParsableCommand {
  static var configuration: CommandConfiguration {
    // One that has a name above it is asked for no script.
    CommandConfiguration(
      commandName: "feedsync", _superCommandName: "", subcommands: named.map { [$0] } ?? [])
  }

  private static let named: (any ParsableCommand.Type)? = {
    guard CommandLine.argc > 1 else { return nil }
    let name = CommandLine.arguments[1]
    return FeedSyncTool.configuration.subcommands.first { $0._commandName == name }
  }()

  /// - returns: nil if that has to be asked of the whole tree.
  static func parse() -> (any ParsableCommand)? {
    guard let named, let command = try? parseAsRoot(ManyWords.split.parsed),
      includes(type(of: command), at: named)
    else { return nil }
    return command
  }

  private static func includes(
    _ type: any ParsableCommand.Type, at root: any ParsableCommand.Type
  ) -> Bool {
    type == root || root.configuration.subcommands.contains { includes(type, at: $0) }
  }
}

/// What commands are called behind `feedsync`.
private enum CommandName {
  /// All words of it: `add` alone may be of a counter or of a set.
  static func of(_ type: any ParsableCommand.Type) -> String {
    words(to: type, from: FeedSyncTool.self)?.joined(separator: " ") ?? type._commandName
  }

  private static func words(
    to type: any ParsableCommand.Type, from group: any ParsableCommand.Type
  ) -> [String]? {
    for command in group.configuration.subcommands {
      if command == type { return [command._commandName] }
      if let rest = words(to: type, from: command) { return [command._commandName] + rest }
    }
    return nil
  }
}

/// The arguments as the system gave them.
private enum ProgramArguments {
  /// Swift would mend malformed UTF-8 silently, and the id would be another one than was typed.
  static func requireUTF8() throws {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index] else { continue }
      guard String(validatingCString: argument) != nil else {
        throw ValidationError("argument \(index) is not UTF-8")
      }
    }
  }
}

/// Ends a command whose results are printed already with a status that is not 0.
struct ExitStatus: Error, Equatable {
  let rawValue: Int32

  static let notFound = ExitStatus(rawValue: FeedSyncError.Code.notFound.rawValue)
  /// `doctor` found something.
  static let found = notFound
  static let cannotWrite = ExitStatus(rawValue: FeedSyncError.Code.cannotWrite.rawValue)
  static let setAside = ExitStatus(rawValue: FeedSyncError.Code.badInput.rawValue)
  /// What a shell shows of SIGPIPE.
  static let readerHasGone = ExitStatus(rawValue: 128 + SIGPIPE)
}
