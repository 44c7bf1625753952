import Foundation
import Testing

@Suite("What a command of --exec leaves in the background", .timeLimit(.minutes(3)))
struct ExecBackgroundTests {
  private static let sleeper = "sleep 30 </dev/null >/dev/null 2>&1 &"

  /// Waits until a file has so many lines, for at most ten seconds.
  private func waitForLines(_ count: Int, in file: URL) throws -> [Substring] {
    let deadline = Date(timeIntervalSinceNow: 10)
    while true {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n")
      guard lines.count < count, Date() < deadline else { return lines }
      usleep(10_000)
    }
  }

  @Test("does not keep the next line's command from running, nor the watch from its end")
  func next() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let log = machine.root.appending(path: "log")
    let watch = try RunningWatch(
      ["--exec", "\(Self.sleeper) echo $! >> '\(log.path)'"], environment: bob)
    _ = try watch.next("watching")
    try machine.feedsync("put", "n", "x", "{}")
    _ = try watch.next("import")
    let lines = try waitForLines(2, in: log)
    #expect(lines.count == 2)
    let start = Date()
    #expect(watch.terminate() == 0)
    #expect(Date().timeIntervalSince(start) < 8)
    // What a command has left is its own affair: the watch does not end it.
    for line in lines { #expect(kill(try #require(pid_t(line)), SIGKILL) == 0) }
  }

  @Test("does not keep it from a line that nobody reads, of more bytes than a pipe holds")
  func unread() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let log = machine.root.appending(path: "log")
    // A shell gives what it starts in the background no standard input, unless it is told to.
    let holder = "exec 3<&0; sleep 30 <&3 >/dev/null 2>&1 &"
    let watch = try RunningWatch(
      ["--exec", "\(holder) echo $! >> '\(log.path)'"], environment: bob)
    _ = try watch.next("watching")
    let lines = (0..<1000).map { number in
      let id = String(repeating: "x", count: 200) + "\(number)"
      return #"{"body":{},"collection":"n","id":"\#(id)"}"#
    }
    try machine.feedsync("load", input: lines.joined(separator: "\n"))
    #expect(try watch.next("import")["document_count"] == .integer(1000))
    try machine.feedsync("put", "n", "last", "{}")
    _ = try watch.next("import")
    let left = try waitForLines(3, in: log)
    #expect(left.count == 3)
    #expect(watch.terminate() == 0)
    for line in left { #expect(kill(try #require(pid_t(line)), SIGKILL) == 0) }
  }
}
