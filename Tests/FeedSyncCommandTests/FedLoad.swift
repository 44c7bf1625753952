import Foundation
import Testing

/// A `load` that is fed by hand, through a FIFO.
final class FedLoad {
  let process: Process
  private let feed: FileHandle
  private let scratch: Scratch

  init(_ machine: Machine, _ arguments: [String] = []) throws {
    scratch = try Scratch()
    let fifo = scratch.url.appending(path: "fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    process = Command.process(
      ["load", fifo, "--transaction-size", "2"] + arguments, environment: machine.environment)
    process.standardError = try scratch.newFile("err")
    process.standardOutput = try scratch.newFile("out")
    try process.run()
    // Waits until the command has opened the other end.
    feed = try FileHandle(forWritingTo: URL(filePath: fifo))
  }

  deinit { if process.isRunning { process.terminate() } }

  func write(_ lines: [String]) throws {
    try feed.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  /// Waits for the end; returns the signal that ended it, or nil.
  func signalAtEnd() -> Int32? {
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
  }

  var errors: String { get throws { try scratch.text("err") } }
  var output: String { get throws { try scratch.text("out") } }
}
