import Foundation
import Synchronization

/// Runs a shell command for each line, one after another, without holding up the import.
final class ExecQueue: Sendable {
  private let command: String
  private let queue = DispatchQueue(label: "feedsync.exec")
  /// How many lines wait, and from how many on that is told next.
  private let waiting = Mutex((count: 0, told: 1000))

  init(command: String) { self.command = command }

  /// Waits until the commands of all lines have run, or for `seconds`.
  func finish(seconds: Int) {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    if done.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
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
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      let pipe = Pipe()
      process.standardInput = pipe
      // The watch's own output is its lines alone.
      process.standardOutput = FileHandle.standardError
      do {
        try process.run()
        Self.write(line + [UInt8(ascii: "\n")], to: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
          Output.warnBeside("feedsync: warning: --exec: status \(process.terminationStatus)")
        }
      } catch {
        Output.warnBeside("feedsync: warning: --exec: \(error)")
      }
    }
  }

  /// Writes what a command may not want to read: ending the pipe is its right.
  ///
  /// SIGPIPE, which would end the watch, is held back on this thread and taken away again; ignoring
  /// it in the whole process would be inherited by the commands.
  private static func write(_ bytes: [UInt8], to pipe: FileHandle) {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    try? pipe.write(contentsOf: Data(bytes))
    var now = timespec()
    sigtimedwait(&signals, nil, &now)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
