import Foundation
import Testing

/// An example program that runs beside the test, with its lines as they come.
final class RunningProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  init(_ name: String, _ arguments: String...) throws {
    process.executableURL = Place.binary(name)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { process.terminate() }

  func type(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Reads lines until one is as wanted; blocks as long as the program prints nothing.
  @discardableResult
  func line(where isWanted: (String) -> Bool) throws -> String {
    while true {
      while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer.removeSubrange(buffer.startIndex...end)
        if isWanted(line) { return line }
      }
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the program has ended")
      buffer.append(more)
    }
  }
}
