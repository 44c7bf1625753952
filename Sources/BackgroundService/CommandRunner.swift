/// Runs another program to its end, or until its time is over.
package protocol CommandRunner: Sendable {
  func run(_ words: [String], seconds: Int) -> CommandOutcome
}

/// How another program ended.
package enum CommandOutcome: Equatable, Sendable {
  case ended(status: Int32, output: String, errors: String)
  /// There is no such program, or it cannot be started.
  case missing
  /// It was ended, since it took too long.
  case timedOut(seconds: Int)
}
