import ArgumentParser
import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync
import Foundation

/// Runs a parsed command and turns what it throws into an exit status.
enum Runner {
  static func run(_ arguments: [String]? = nil) -> Int32 {
    let command: any ParsableCommand
    do {
      try requireCommand(arguments ?? Array(CommandLine.arguments.dropFirst()))
      let alone = arguments == nil ? NamedCommandRoot.parse() : nil
      command = try alone ?? NerdfeedTool.parseAsRoot(arguments)
    } catch {
      return refuse(error, arguments ?? CommandLine.arguments)
    }
    do {
      try CommandExecution.run(command)
      return 0
    } catch let status as ExitCode {
      return status.rawValue
    } catch let error
      where error is ValidationError || NerdfeedTool.exitCode(for: error) == .success
    {
      return refuse(error, arguments ?? CommandLine.arguments)
    } catch {
      let described = described(error, operation: type(of: command)._commandName)
      Output.error(described, format: (command as? any LibraryCommand)?.options.format ?? .text)
      return described.code.rawValue
    }
  }

  /// Without a command the reader begins, so a mistyped one would be an argument of it.
  private static func requireCommand(_ arguments: [String]) throws {
    let asked = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let name = asked.first, !name.hasPrefix("-") else { return }
    let names = NerdfeedTool.configuration.subcommands.map { $0._commandName } + ["help"]
    guard !names.contains(name) else { return }
    throw ValidationError("there is no command '\(TerminalText.line(name))'")
  }

  static func described(_ error: any Error, operation: String) -> LibraryError {
    switch error {
    case let error as LibraryError: error
    case let error as FetchError: error.described
    case let error as FeedSyncError:
      LibraryError(.store(error), operation: error.operation, subject: error.file)
    case let error as FeedError:
      LibraryError(.document(error), operation: error.operation, subject: error.file)
    default:
      // Arguments are refused by help itself, which is an error to the parser.
      LibraryError(
        .store(
          FeedSyncError(
            .software, operation: operation, message: "unexpected error: \(error)",
            hint: "this is a defect in nerdfeed; please report it")),
        operation: operation)
    }
  }

  /// Prints what the argument parser says: help to standard output, a complaint to standard error.
  private static func refuse(_ error: any Error, _ arguments: [String]) -> Int32 {
    let text = NerdfeedTool.fullMessage(for: error)
    guard NerdfeedTool.exitCode(for: error) != .success else {
      Output.write(text)
      return 0
    }
    let asksForJSON =
      arguments.contains("--format=json")
      || zip(arguments, arguments.dropFirst()).contains { $0 == ("--format", "json") }
    if asksForJSON {
      let usage = FeedSyncError(
        .usage, operation: "parse arguments", message: NerdfeedTool.message(for: error),
        hint: "see 'nerdfeed --help'")
      Output.error(LibraryError(.store(usage), operation: usage.operation), format: .json)
    } else {
      Output.warn(text)
    }
    return FeedSyncError.Code.usage.rawValue
  }

  static func exit(_ status: Int32) -> Never { Foundation.exit(status) }
}

/// The root with the one command that the arguments name: the parser looks at every command that
/// there is before it parses one.
///
/// Whatever it refuses here, help included, ``NerdfeedTool`` answers in its own words.
private struct NamedCommandRoot: ParsableCommand {
  static var configuration: CommandConfiguration {
    // One that has a name above it is asked for no completion script.
    CommandConfiguration(
      commandName: "nerdfeed", _superCommandName: "", subcommands: named.map { [$0] } ?? [])
  }

  private static let named = CommandLine.arguments.dropFirst().first.flatMap { name in
    NerdfeedTool.configuration.subcommands.first { $0._commandName == name }
  }

  /// - returns: nil if that has to be asked of the whole tree.
  static func parse() -> (any ParsableCommand)? {
    guard named != nil, let command = try? parseAsRoot(), !(command is Self),
      NerdfeedTool.configuration.subcommands.contains(where: { $0 == type(of: command) })
    else { return nil }
    return command
  }
}
