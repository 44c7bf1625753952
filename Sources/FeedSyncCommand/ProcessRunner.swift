import BackgroundService
import Foundation

/// Runs programs of the system, and ends those that take too long.
struct ProcessRunner: CommandRunner {
  /// Where programs are, should PATH not say so.
  private static let usualDirectories = ["/usr/bin", "/bin", "/run/current-system/sw/bin"]

  let environment: [String: String]

  func run(_ words: [String], seconds: Int) -> CommandOutcome {
    guard let name = words.first, let program = find(name), let output = Capture(),
      let errors = Capture()
    else { return .missing }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = Array(words.dropFirst())
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output.handle
    process.standardError = errors.handle
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      return .missing
    }
    guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
      return .timedOut(seconds: seconds)
    }
    return .ended(
      status: process.terminationStatus, output: output.text(), errors: errors.text())
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
