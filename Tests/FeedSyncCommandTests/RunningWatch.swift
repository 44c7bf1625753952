import CanonicalJSON
import Foundation
import Testing

/// A `watch` that runs beside the test.
final class RunningWatch {
  let process: Process
  private let output: FileHandle
  private var buffer = Data()
  /// Ends it where it says nothing more, so that a test fails and does not wait for ever: longer
  /// than any may take.
  private let guardian: DispatchWorkItem

  /// - parameter errors: what its standard error goes to; nil for the test's own.
  init(
    command: [String] = ["watch"], _ arguments: [String] = [], environment: [String: String],
    errors: FileHandle? = nil
  ) throws {
    process = Command.process(command + arguments, environment: environment)
    let pipe = Pipe()
    process.standardOutput = pipe
    if let errors { process.standardError = errors }
    output = pipe.fileHandleForReading
    try process.run()
    let number = process.processIdentifier
    guardian = DispatchWorkItem { kill(number, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 150, execute: guardian)
  }

  deinit {
    guardian.cancel()
    if process.isRunning { process.terminate() }
  }

  /// Reads lines until one tells of `event`; blocks as long as the watch prints nothing.
  func next(_ event: String) throws -> JSONObject {
    while true {
      let line = try nextLine()
      if line["event"]?.text == event { return line }
    }
  }

  /// The lines that have not been read, once it has ended.
  func rest() throws -> [JSONObject] {
    buffer.append(try output.readToEnd() ?? Data())
    defer { buffer = Data() }
    return try buffer.split(separator: UInt8(ascii: "\n")).map { line in
      try #require(try JSON(parsing: [UInt8](line)).object)
    }
  }

  private func nextLine() throws -> JSONObject {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = [UInt8](buffer[buffer.startIndex..<end])
        buffer.removeSubrange(buffer.startIndex...end)
        return try #require(try JSON(parsing: line).object)
      }
      let more = output.availableData
      try #require(!more.isEmpty, "the watch has ended")
      buffer.append(more)
    }
  }

  /// Sends SIGTERM and returns the status.
  func terminate() -> Int32 {
    process.terminate()
    return status()
  }

  func interrupt() -> Int32 {
    process.interrupt()
    return status()
  }

  private func status() -> Int32 {
    process.waitUntilExit()
    guardian.cancel()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}
