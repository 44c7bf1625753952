import ArgumentParser
import FeedReading
import Foundation

/// The command `nerdfeed`: parses arguments, calls the library, words the outcome.
@main
struct NerdfeedTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nerdfeed",
    abstract: "A feed reader whose read marks follow its user, without a server.",
    version: "0.1.0",
    subcommands: [ParseCommand.self])
}

/// How results and errors are written.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
  case text
  case json
}

/// Exit codes of `sysexits.h`.
enum ExitStatus {
  /// The input was no feed.
  static let badInput = ExitCode(65)
  /// The file is not there, or may not be read.
  static let noInput = ExitCode(66)
}

/// Standard output carries results only; everything else goes to standard error.
enum Output {
  static func write(_ text: String) { write(Array((text + "\n").utf8), to: STDOUT_FILENO) }
  static func write(_ bytes: [UInt8]) { write(bytes + [0x0A], to: STDOUT_FILENO) }

  static func error(_ error: FeedError) {
    var text = "nerdfeed: "
    if let file = error.file { text += file + ": " }
    text += error.message
    if let hint = error.hint { text += "\n  hint: " + hint }
    write(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // Whoever read it has gone, or nothing more can be written: there is nobody to tell.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
