import Foundation

/// Runs a shell command for each line, one after another, without holding up the import.
final class ExecQueue: Sendable {
  private let command: String
  private let queue = DispatchQueue(label: "feedsync.exec")

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
    queue.async { [command] in
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      let pipe = Pipe()
      process.standardInput = pipe
      do {
        try process.run()
        Self.write(line + [UInt8(ascii: "\n")], to: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        if process.terminationStatus != 0 {
          Output.warn("feedsync: warning: --exec: status \(process.terminationStatus)")
        }
      } catch {
        Output.warn("feedsync: warning: --exec: \(error)")
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
