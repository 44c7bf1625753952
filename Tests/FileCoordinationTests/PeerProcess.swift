import FileCoordination
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A program of its own that coordinates (Tests/CoordinationPeer), with its lines as they come.
final class PeerProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()
  /// All lines read so far.
  private(set) var lines: [String] = []

  var id: Int32 { process.processIdentifier }

  /// - parameters:
  ///   - descriptors: how many it may have open; nil: as many as usual.
  ///   - accesses: the accesses in which it is started; nil: none.
  init(
    _ workshop: Workshop, _ command: String, _ words: String..., patience: Int = 5_000,
    descriptors: Int? = nil, accesses: String? = nil
  ) throws {
    let program = Bundle.main.bundleURL.appending(path: "CoordinationPeer")
    let arguments = [command, workshop.state.string] + words
    if let descriptors {
      process.executableURL = URL(filePath: "/bin/sh")
      let limited = "ulimit -n \(descriptors); exec \"$0\" \"$@\""
      process.arguments = ["-c", limited, program.path(percentEncoded: false)] + arguments
    } else {
      process.executableURL = program
      process.arguments = arguments
    }
    // As few variables as cron gives: no XDG_RUNTIME_DIR among them.
    var environment = ["HOME": "/", "PATH": "/usr/bin:/bin", "PEER_PATIENCE": "\(patience)"]
    environment[InheritedAccesses.variable] = accesses
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    // A suspended process ends by this alone.
    if process.isRunning { kill(id, SIGKILL) }
  }

  /// Reads lines until one begins as wanted.
  @discardableResult
  func line(_ wanted: String) throws -> String {
    while true {
      while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer.removeSubrange(buffer.startIndex...end)
        lines.append(line)
        if line.hasPrefix(wanted) { return line }
      }
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "it ended without saying '\(wanted)', but: \(lines)")
      buffer.append(more)
    }
  }

  /// Lets it go on to its end.
  func finish() throws {
    try input.fileHandleForWriting.close()
    while true {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      buffer.append(more)
    }
    lines += String(decoding: buffer, as: UTF8.self).split(separator: "\n").map(String.init)
    buffer = Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(lines)")
  }

  /// Sends a signal, and waits until it has ended or suspended the process.
  func signal(_ number: Int32) throws {
    kill(id, number)
    if number == SIGKILL { process.waitUntilExit() }
    if number == SIGSTOP { try waitUntil { isSuspended } }
  }

  /// Each thread stops by itself; one that has not could still take the arbiter's lock.
  private var isSuspended: Bool {
    let tasks = "/proc/\(id)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return threads.allSatisfy { thread in
      guard let text = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)
      else { return true }
      return text.split(separator: ")").last?.hasPrefix(" T") == true
    }
  }
}
