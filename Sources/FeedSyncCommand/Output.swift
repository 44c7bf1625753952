import CanonicalJSON
import FeedSync
import Foundation
import Synchronization
import SystemFiles
import SystemPackage

/// How results and errors are written.
enum OutputFormat: String, CaseIterable, Sendable {
  case text
  case json
}

/// Standard output carries results only; everything else goes to standard error.
enum Output {
  /// Bytes are gathered up to this many before they are written.
  private static let bufferBytes = 1 << 16
  private static let buffer = Mutex<[UInt8]>([])
  private static let readerHasGone = Atomic<Bool>(false)
  private static let failsInJSON = Atomic<Bool>(false)
  /// The status with which what goes on has to end, since a line was not written; 0 before.
  private static let endOfFollowing = Atomic<Int32>(0)

  /// How it is told that results cannot be written, and what is wrong though the command goes on.
  static func tellFailures(in format: OutputFormat) {
    failsInJSON.store(format == .json, ordering: .relaxed)
  }

  static func line(_ text: String) { line(Array(text.utf8)) }

  static func line(_ bytes: [UInt8]) { raw(bytes + [UInt8(ascii: "\n")]) }

  /// Bytes as they stand: lines that have their ends, or what has no lines.
  static func raw(_ bytes: [UInt8]) {
    let isFull = buffer.withLock { buffer in
      buffer.append(contentsOf: bytes)
      return buffer.count >= bufferBytes
    }
    if isFull { flush() }
  }

  static func line(_ json: JSON) { line(json.canonicalBytes()) }

  /// Where something is.
  static func path(_ path: FilePath, format: OutputFormat) {
    switch format {
    case .text: line(path.string)
    case .json: line(.object(["path": .text(path.string)]))
    }
  }

  /// Writes a line of what has no end by itself, at once.
  ///
  /// - throws: What ends the command if the line could not be written, or one before. Neither
  ///   SIGPIPE nor a full disk ends it here, before it has done what the line is about.
  static func following(_ json: JSON) throws(ExitStatus) {
    let bytes = takeGathered() + json.canonicalBytes() + [UInt8(ascii: "\n")]
    let before = endOfFollowing.load(ordering: .relaxed)
    // What comes after one that was cut short would be read as part of it.
    guard before == 0 else { throw ExitStatus(rawValue: before) }
    let code = BrokenPipe.heldBack { failure(writing: bytes, to: STDOUT_FILENO) }
    guard let code else { return }
    let status = code == EPIPE ? ExitStatus.readerHasGone : .cannotWrite
    endOfFollowing.store(status.rawValue, ordering: .relaxed)
    if code == EPIPE { readerHasGone.store(true, ordering: .relaxed) } else { tellFailure(code) }
    throw status
  }

  /// Whether whoever read the results has gone before their end.
  static var hasNoReader: Bool { readerHasGone.load(ordering: .relaxed) }

  /// Writes what was gathered; a reader that has gone ends the command as a signal would.
  static func flush() {
    write(takeGathered(), to: STDOUT_FILENO)
  }

  private static func takeGathered() -> [UInt8] {
    buffer.withLock { buffer in
      defer { buffer = [] }
      return buffer
    }
  }

  static func warn(_ text: String) {
    flush()
    Progress.clear()
    write(Array((text + "\n").utf8), to: STDERR_FILENO)
  }

  static func error(_ error: FeedSyncError, format: OutputFormat) {
    failure(
      error.code.rawValue, error.operation, error.file, error.message, error.hint, format: format)
  }

  /// What a command says that a signal has ended; `status` is what a shell shows of that.
  static func interruption(_ text: InterruptionText, status: Int32, format: OutputFormat) {
    failure(status, text.operation, text.file, text.message, text.hint, format: format)
  }

  /// What a command says that cannot start a program; `status` is what shells show of that.
  static func notStarted(_ program: String, _ reason: String, status: Int32, format: OutputFormat) {
    failure(status, "start the program", program, reason, nil, format: format)
  }

  private static func failure(
    _ code: Int32, _ operation: String, _ file: String?, _ message: String, _ hint: String?,
    format: OutputFormat
  ) {
    warn(text(code, operation, file, message, hint, format: format))
  }

  private static func text(
    _ code: Int32, _ operation: String, _ file: String?, _ message: String, _ hint: String?,
    format: OutputFormat
  ) -> String {
    switch format {
    case .text:
      var text = "feedsync: "
      if let file { text += NameText.escaped(file) + ": " }
      text += NameText.printable(message)
      if let hint { text += "\n  hint: " + NameText.printable(hint) }
      return text
    case .json:
      let parts = ReportJSON.error(code, operation, file, message, hint)
      return JSON.object(["error": parts]).canonical
    }
  }

  /// A warning with all parts of an error: something is wrong, and the command goes on.
  static func warning(_ error: FeedSyncError) { warn(text(of: error)) }

  /// A warning of what is done beside the command's own work, on another thread: results that are
  /// being written there are left alone, or lines would overtake one another.
  static func warningBeside(_ error: FeedSyncError) { warnBeside(text(of: error)) }

  /// As ``warningBeside(_:)``, for what is no error.
  static func warnBeside(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

  private static func text(of error: FeedSyncError) -> String {
    // An object a line, as errors are: a program may read both.
    guard !failsInJSON.load(ordering: .relaxed) else {
      return JSON.object(["warning": ReportJSON.error(error)]).canonical
    }
    let file = error.file.map { NameText.escaped($0) + ": " } ?? ""
    let hint = error.hint.map { "\n  hint: " + NameText.printable($0) } ?? ""
    return "feedsync: warning: \(file)\(NameText.printable(error.message))\(hint)"
  }

  /// Results that cannot be written are a failure, unless whoever read them has gone.
  private static func fail(_ code: Int32, on descriptor: Int32) {
    guard descriptor == STDOUT_FILENO else { return }
    guard code != EPIPE else { return readerHasGone.store(true, ordering: .relaxed) }
    tellFailure(code)
    Foundation.exit(ExitStatus.cannotWrite.rawValue)
  }

  private static func tellFailure(_ code: Int32) {
    let reason = String(cString: strerror(code))
    let failure = text(
      ExitStatus.cannotWrite.rawValue, "write the results", nil,
      "cannot write the results: \(reason)",
      code == EFBIG ? FeedSyncError.hintAgainstSizeLimit : nil,
      format: failsInJSON.load(ordering: .relaxed) ? .json : .text)
    Progress.clear()
    write(Array((failure + "\n").utf8), to: STDERR_FILENO)
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

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    // That nobody reads what is told beside the results ends no command.
    let isAside = descriptor == STDERR_FILENO
    let code =
      isAside
      ? BrokenPipe.heldBack { failure(writing: bytes, to: descriptor) }
      : failure(writing: bytes, to: descriptor)
    if let code { fail(code, on: descriptor) }
  }

  /// Writes all of it; returns the error number if that cannot be done.
  private static func failure(writing bytes: [UInt8], to descriptor: Int32) -> Int32? {
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
}

extension JSON {
  /// A string, from Swift's.
  static func text(_ value: String) -> JSON { .string(ByteString(value)) }
  static func number(_ value: some BinaryInteger) -> JSON { .integer(Int64(clamping: value)) }
}
