import CanonicalJSON
import Foundation
import Testing

/// A `watch` that runs beside the test.
final class RunningWatch {
  let process: Process
  private let output: FileHandle
  private var buffer = Data()
  private var waiting: [JSONObject] = []

  init(
    command: [String] = ["watch"], _ arguments: [String] = [], environment: [String: String]
  ) throws {
    process = Command.process(command + arguments, environment: environment)
    let pipe = Pipe()
    process.standardOutput = pipe
    output = pipe.fileHandleForReading
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

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
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }

  func interrupt() -> Int32 {
    process.interrupt()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}
