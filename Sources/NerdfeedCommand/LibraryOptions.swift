import ArgumentParser
import FeedLibrary
import FeedReading
import FeedSync
import Foundation

/// What every command of the library takes.
struct LibraryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where this device keeps what is synced (default: $FEEDSYNC_STATE, else the user's own).",
      valueName: "dir"), completion: .directory)
  var state: String?

  @Option(
    help: ArgumentHelp(
      "The synced folder (default: $FEEDSYNC_CONTAINER, else feedsync's default container).",
      valueName: "dir"), completion: .directory)
  var container: String?

  @Option(
    help: ArgumentHelp(
      "Where fetched articles are kept (default: $NERDFEED_STATE, else the user's own).",
      valueName: "dir"), completion: .directory)
  var cache: String?

  @Option(help: "How results and errors are printed.")
  var format: OutputFormat = .text

  /// Opens the library; a folder that is away is no hindrance, and a warning says so.
  func open() throws -> Library {
    let named = container ?? Self.variable("FEEDSYNC_CONTAINER")
    let container = try UbiquityContainer(named, state: state)
    if let absence = try container.absence() {
      let error = FeedSyncError(
        absence.code, operation: absence.operation, file: absence.file,
        message: absence.message + "; working locally, and publishing later", hint: absence.hint)
      Output.warning(LibraryError(.store(error), operation: error.operation, subject: error.file))
    }
    return try Library(container, cache: try Library.cacheDirectory(named: cache))
  }

  /// Another one of the same library, for a thread that is not to keep the first one busy.
  func another(_ library: Library) throws -> Library {
    try Library(library.store.container, cache: try Library.cacheDirectory(named: cache))
  }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// A command with these options.
protocol LibraryCommand: ParsableCommand {
  var options: LibraryOptions { get }
}

/// A command with these options that uses the network, or waits for something else.
protocol AsyncLibraryCommand: LibraryCommand, AsyncParsableCommand {}

/// A span of time as users write it.
///
///     Age("7d")?.seconds  // 604800
struct Age: ExpressibleByArgument, Equatable {
  let seconds: Int64

  init?(argument: String) {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    guard let last = argument.last, let unit = units[last], argument.utf8.count <= 8,
      argument.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }),
      let count = Int64(argument.dropLast())
    else { return nil }
    seconds = count * unit
  }

  static let help = "such as 90m, 12h, 7d or 4w"
}

/// A value for a setting; an empty argument takes it back.
struct Setting<Value: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
  /// Nil to take it back.
  let value: Value?

  init?(argument: String) {
    value = Value(argument: argument)
    guard value != nil || argument.isEmpty else { return nil }
  }
}

extension FeedInstant {
  static var now: FeedInstant { FeedInstant(secondsSince1970: Int64(Date().timeIntervalSince1970)) }

  func before(_ age: Age) -> FeedInstant {
    FeedInstant(secondsSince1970: secondsSince1970 - age.seconds)
  }
}
