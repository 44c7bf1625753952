import FeedSync
import Foundation
import Testing

@Suite("A command of nerdfeed that the system gives no thread", .timeLimit(.minutes(5)))
struct ThreadTrialTests {
  /// In kibibytes, of which a process cannot address so many: a thread's stack is as large as that
  /// of the first may become.
  private static let stack = 136_000_000_000

  @Test(
    "says so and ends with 75, and does not wait for one without a word",
    arguments: ["feeds", "sync", "fetch", "add --no-fetch https://example.org/feed"])
  func refused(words: String) throws {
    let directory = FileManager.default.temporaryDirectory
      .appending(path: "nerdfeed-threads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let report = directory.appending(path: "err")
    try Data().write(to: report)
    let process = Process()
    let script = "ulimit -s \(Self.stack) || exit 99; exec \"$0\" \(words) --format json"
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Program.binary.path]
    process.environment = ["HOME": directory.path]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: report)
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 20)
    while process.isRunning, Date() < deadline { usleep(1_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 75)
    guard case .object(let outer) = try JSON(parsing: Array(try Data(contentsOf: report))),
      case .object(let error)? = outer["error"], case .string(let message)? = error["message"]
    else {
      Issue.record("it said nothing")
      return
    }
    #expect(message.description.contains("too few threads"))
  }
}
