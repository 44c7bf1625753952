import CanonicalJSON
import FeedSyncCommand
import Foundation
import SystemPackage
import Testing

@Suite("A command that the system gives no thread", .timeLimit(.minutes(5)))
struct ThreadTrialTests {
  /// In kibibytes, of which a process cannot address so many: a thread's stack is as large as that
  /// of the first may become.
  private static let stack = 136_000_000_000

  @Test(
    "says so and ends with 75, and does not wait for one without a word",
    arguments: ["get n a", "import --once", "load -", "compact", "file list", "watch"])
  func refused(words: String) throws {
    let (machine, scratch, process) = (try Machine(), try Scratch(), Process())
    let script = "ulimit -s \(Self.stack) || exit 99; exec \"$0\" \(words) --format json"
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Command.binary.path]
    process.environment = machine.environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try scratch.newFile("out")
    process.standardError = try scratch.newFile("err")
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 20)
    while process.isRunning, Date() < deadline { usleep(1_000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 75)
    #expect(try scratch.text("out") == "")
    let error = try JSON(parsing: Array(try scratch.text("err").utf8)).object?["error"]?.object
    #expect(error?["message"]?.text?.contains("too few threads") == true)
    #expect(error?["hint"]?.text?.contains("ulimit -u") == true)
  }

  @Test("goes on taking signals on the one that it has")
  func signals() {
    let before = Self.mask()
    defer { Self.set(before) }
    var none = sigset_t()
    sigemptyset(&none)
    Self.set(none)
    Interruption.keepFromThisThread { _ throws(Errno) in throw .resourceTemporarilyUnavailable }
    #expect(!Self.isBlocked(SIGTERM))
    Interruption.keepFromThisThread { _ throws(Errno) in }
    #expect(Self.isBlocked(SIGTERM))
  }

  private static func mask() -> sigset_t {
    var mask = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &mask)
    return mask
  }

  private static func set(_ mask: sigset_t) {
    var mask = mask
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  private static func isBlocked(_ number: Int32) -> Bool {
    var mask = mask()
    return sigismember(&mask, number) == 1
  }
}
