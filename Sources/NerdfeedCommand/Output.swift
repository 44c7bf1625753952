import ArgumentParser
import FeedLibrary
import FeedReading
import FeedSync
import Foundation

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
  /// Bytes as they stand.
  static func raw(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }
  /// What draws on the terminal; where that has gone, whoever reads the keys finds out, and there
  /// may be marks to be made before the end.
  static func screen(_ bytes: [UInt8]) { _ = put(bytes, to: STDOUT_FILENO) }
  /// What stands on the terminal until it is written over.
  static func raw(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }
  static func write(_ json: JSON) { write(TerminalText.json(json)) }

  static func error(_ error: FeedError) {
    failure(error.file, error.message, error.hint)
  }

  /// An error as it ends a command, or, with `--format json`, as one object.
  static func error(_ error: LibraryError, format: OutputFormat) {
    switch format {
    case .text: failure(error.subject, error.message, error.hint)
    case .json:
      warn(TerminalText.json(["error": .object(json(of: error))]))
    }
  }

  /// Something is wrong, and the command goes on.
  static func warning(_ error: LibraryError) {
    failure(error.subject, error.message, error.hint, kind: "warning: ")
  }

  static func json(of error: LibraryError) -> JSONObject {
    [
      "code": .integer(Int64(error.code.rawValue)), "operation": .text(error.operation),
      "file": .text(error.subject), "message": .text(error.message), "hint": .text(error.hint),
    ]
  }

  static func warn(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

  private static func failure(
    _ subject: String?, _ message: String, _ hint: String?, kind: String = ""
  ) {
    let subject = subject.map { TerminalText.line($0) + ": " } ?? ""
    let hint = hint.map { "\n  hint: " + TerminalText.line($0) } ?? ""
    warn("nerdfeed: " + kind + subject + TerminalText.line(message) + hint)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    if let failure = put(bytes, to: descriptor) { fail(failure, on: descriptor) }
  }

  /// - returns: The system's reason where not all of it could be written.
  static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, waitForRoom(in: descriptor) { continue }
      guard count > 0 else { return errno }
      rest = rest.dropFirst(count)
    }
    return nil
  }

  /// Results that cannot be written are a failure.
  ///
  /// Where whoever read them has gone, there is nobody to tell, and the status is that of a process
  /// which the signal for it has ended.
  private static func fail(_ code: Int32, on descriptor: Int32) {
    guard descriptor == STDOUT_FILENO else { return }
    guard code != EPIPE else { Foundation.exit(128 + SIGPIPE) }
    let reason = String(cString: strerror(code))
    warn("nerdfeed: cannot write the results: \(reason)")
    Foundation.exit(73)
  }

  /// Waits for whoever reads: another program may have made the pipe or the terminal, which it has
  /// in common with this one, such as does not block.
  private static func waitForRoom(in descriptor: Int32) -> Bool {
    var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    while poll(&output, 1, -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}

extension JSON {
  /// A string, or null.
  static func text(_ value: String?) -> JSON { value.map { .string(ByteString($0)) } ?? .null }
  static func number(_ value: some BinaryInteger) -> JSON { .integer(Int64(clamping: value)) }
  static func texts(_ values: some Sequence<String>) -> JSON { .array(values.map { .text($0) }) }
}
