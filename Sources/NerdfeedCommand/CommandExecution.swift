import ArgumentParser
import FeedSync
import Foundation

/// Runs a parsed command to its end, once the system has shown that it gives as many threads as
/// that takes.
///
///     try CommandExecution.run(command)
enum CommandExecution {
  static func run(_ command: any ParsableCommand) throws {
    try ThreadTrial.run(count: threads(of: command))
    guard let asynchronous = command as? any AsyncParsableCommand else {
      var command = command
      return try command.run()
    }
    try WaitingThread.run {
      var command = asynchronous
      try await command.run()
    }
  }

  /// How many threads it takes, at least: of one that uses fewer at times, so many.
  private static func threads(of command: any ParsableCommand) -> Int {
    // Tasks and the connections have one for each processor, and end the process without.
    let processors = ProcessInfo.processInfo.processorCount
    return switch command {
    // Besides, one that draws, one each that reads, looks, marks and opens pages, the database, and
    // a feed in a file.
    case is BrowseCommand: 2 * processors + 9
    // Besides, the database, one that looks for names, and a feed in a file.
    case is any AsyncLibraryCommand: 2 * processors + 3
    default: 1
    }
  }
}
