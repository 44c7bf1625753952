import ArgumentParser
import FeedSync

/// Runs a parsed command to its end.
///
///     try CommandExecution.run(command)
///
/// On the thread that calls, the process's first, unless the command has to wait for others: a
/// program whose beginning is asynchronous ends that thread and goes on on one of Dispatch's, for
/// which the system loads a library to unwind with. That was a tenth of all that `get` does.
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
    switch command {
    // One for the database, as all have, one that takes signals, and one that works ahead.
    case is ImportCommand, is LoadCommand, is CompactCommand: 3
    case is any AsyncParsableCommand: 4
    default: 1
    }
  }
}
