import Foundation

/// Runs a shell command for each line, one after another, without holding up the import.
final class ExecQueue: Sendable {
  private let command: String
  private let queue = DispatchQueue(label: "feedsync.exec")

  init(command: String) { self.command = command }

  func run(_ line: [UInt8]) {
    queue.async { [command] in
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      let pipe = Pipe()
      process.standardInput = pipe
      do {
        try process.run()
        // A command that does not read its input ends the pipe, which is its right.
        try? pipe.fileHandleForWriting.write(contentsOf: Data(line + [UInt8(ascii: "\n")]))
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
}
