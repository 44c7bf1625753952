import Foundation
import Synchronization
import SystemFiles
import SystemPackage

/// Runs a shell command for each line, one after another, without holding up the import.
final class ExecQueue: Sendable {
  private let command: String
  private let queue = DispatchQueue(label: "feedsync.exec")
  /// How many lines wait, and from how many on that is told next.
  private let waiting = Mutex((count: 0, told: 1000))

  private let hasWarned = Atomic<Bool>(false)

  init(command: String) { self.command = command }

  /// Waits until the commands of all lines have run, or for `seconds`.
  func finish(seconds: Int) {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    // Who has the process leave may wait beside the watch.
    if done.wait(timeout: .now() + .seconds(seconds)) == .timedOut,
      !hasWarned.exchange(true, ordering: .relaxed)
    {
      Output.warn("feedsync: warning: --exec: commands still run, or have not been started")
    }
  }

  func run(_ line: [UInt8]) {
    let many = waiting.withLock { waiting -> Int? in
      waiting.count += 1
      guard waiting.count >= waiting.told else { return nil }
      waiting.told *= 10
      return waiting.count
    }
    if let many {
      Output.warn(
        "feedsync: warning: --exec: \(many) lines wait for the command that runs; if it hangs, end"
          + " it, or have it end by itself, as with 'timeout 60 COMMAND'")
    }
    queue.async { [self] in
      defer { waiting.withLock { $0.count -= 1 } }
      // What is told here is told beside the watch, which may be writing a line.
      do throws(Errno) {
        let status = try Self.give(line + [UInt8(ascii: "\n")], to: command)
        if status != 0 { Output.warnBeside("feedsync: warning: --exec: status \(status)") }
      } catch {
        Output.warnBeside("feedsync: warning: --exec: \(error.description)")
      }
    }
  }

  /// Runs a command with what it may read; returns how it ended, as a shell would show it.
  private static func give(_ bytes: [UInt8], to command: String) throws(Errno) -> Int32 {
    let pipe = try ChildProcess.inputPipe()
    let started = Result { () throws(Errno) in
      try ChildProcess.start(
        ["/bin/sh", "-c", command], ProcessInfo.processInfo.environment,
        // The watch's own output is its lines alone.
        .init(input: pipe.output, output: STDERR_FILENO, errors: STDERR_FILENO))
    }
    // Else nobody would be known to have ended reading.
    close(pipe.output)
    let fed = Result { () throws(Errno) in try started.get().feed(bytes, into: pipe.input) }
    close(pipe.input)
    let status = try started.get().end()
    try fed.get()
    return status
  }
}
