import BackgroundService
import Foundation
import SystemFiles

/// Runs programs of the system, and ends those that take too long.
struct ProcessRunner: CommandRunner {
  /// Where programs are, should PATH not say so.
  private static let usualDirectories = ["/usr/bin", "/bin", "/run/current-system/sw/bin"]

  let environment: [String: String]

  func run(_ words: [String], seconds: Int) -> CommandOutcome {
    guard let name = words.first, let program = find(name), let output = Capture(),
      let errors = Capture(), let child = start([program] + words.dropFirst(), output, errors)
    else { return .missing }
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Whatever keeps it from waiting, keeps what follows from it, too.
      try? child.awaitEnd()
      ended.signal()
    }
    let isInTime = ended.wait(timeout: .now() + .seconds(seconds)) == .success
    if !isInTime { child.kill() }
    guard let status = try? child.end() else { return .missing }
    guard isInTime else { return .timedOut(seconds: seconds) }
    return .ended(status: status, output: output.text(), errors: errors.text())
  }

  /// - returns: nil if it cannot be started.
  private func start(_ words: [String], _ output: Capture, _ errors: Capture) -> ChildProcess? {
    guard let nothing = FileHandle(forReadingAtPath: "/dev/null") else { return nil }
    // Until the program has it.
    return withExtendedLifetime(nothing) {
      try? ChildProcess.start(
        words, environment,
        .init(
          input: nothing.fileDescriptor, output: output.handle.fileDescriptor,
          errors: errors.handle.fileDescriptor))
    }
  }

  private func find(_ name: String) -> String? {
    let path = (environment["PATH"] ?? "").split(separator: ":").map { String($0) }
    return (path + Self.usualDirectories).map { $0 + "/" + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}

/// A file without a name that takes what a program prints.
///
/// Not a pipe: a child that the program leaves behind would keep that open.
private struct Capture {
  private static let maximumBytes = 1 << 20
  let handle: FileHandle

  init?() {
    guard let file = tmpfile() else { return nil }
    let descriptor = dup(fileno(file))
    fclose(file)
    guard descriptor >= 0 else { return nil }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func text() -> String {
    guard (try? handle.seek(toOffset: 0)) != nil,
      let data = try? handle.read(upToCount: Self.maximumBytes)
    else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}
