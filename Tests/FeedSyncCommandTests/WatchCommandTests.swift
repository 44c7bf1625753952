import CanonicalJSON
import Foundation
import TestSupport
import Testing

@Suite("feedsync watch", .serialized, .timeLimit(.minutes(3))) struct WatchCommandTests {
  @Test("prints that it watches, then each import, and ends with 0 on SIGTERM")
  func lines() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let watch = try RunningWatch(environment: bob)
    let first = try watch.next("watching")
    #expect(first.keys.filter { $0 != "reason" } == ["container", "device", "event", "mode"])
    #expect(["inotify", "polling"].contains(first["mode"]?.text ?? ""))
    #expect(first["device"]?.object?["name"]?.text == "bob")
    try machine.feedsync("put", "n", "x", #"{"title":"a"}"#)
    let line = try watch.next("import")
    #expect(
      line.keys == [
        "device", "document_count", "documents", "event", "transactions", "truncated",
      ])
    #expect(line["device"]?.object?["name"]?.text == "ann")
    #expect(line["transactions"] == .integer(1))
    #expect(line["document_count"] == .integer(1))
    #expect(line["truncated"] == .bool(false))
    let document = try #require(line["documents"]?.array?.first)
    let expected = #"{"collection":"n","deleted":false,"fields":["/title"],"id":"x"}"#
    #expect(document.canonical == expected)
    // The line is printed after the commit that it tells of.
    #expect(try machine.feedsync("get", "n", "x", environment: bob).status == 0)
    try machine.feedsync("delete", "n", "x")
    let deleted = try watch.next("import")["documents"]?.array?.first?.object
    #expect(deleted?["deleted"] == .bool(true))
    #expect(watch.terminate() == 0)
  }

  @Test("ends with 0 on SIGINT, too")
  func interrupted() throws {
    let machine = try Machine()
    let watch = try RunningWatch(environment: machine.environment)
    _ = try watch.next("watching")
    #expect(watch.interrupt() == 0)
  }

  @Test("ends with 0 at a signal that comes while it still opens the device")
  func interruptedWhileOpening() throws {
    let machine = try Machine()
    let database = try FileHandle(
      forUpdating: try machine.deviceState().appending(path: "store.sqlite"))
    // What each connection to an SQLite database shares (<https://sqlite.org/fileformat.html>, "The
    // Lock-Byte Page"): the watch waits for it.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0002
    lock.l_len = 510
    try #require(fcntl(database.fileDescriptor, F_SETLK, &lock) == 0)
    let watch = try RunningWatch(environment: machine.environment)
    // It has a handler.
    try waitUntil(within: .seconds(20)) { try Self.hasTermination("SigCgt", of: watch.process) }
    watch.process.terminate()
    try database.close()
    #expect(watch.terminate() == 0)
    #expect(try watch.rest() == [])
  }

  /// Whether SIGTERM is in one of a process's sets of signals, as proc_pid_status(5) tells.
  private static func hasTermination(_ set: String, of process: Process) throws -> Bool {
    let path = "/proc/\(process.processIdentifier)/status"
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let mask = lines.first { $0.hasPrefix("\(set):") }?.split(whereSeparator: \.isWhitespace).last
    return UInt64(mask ?? "", radix: 16).map { $0 >> (SIGTERM - 1) & 1 == 1 } ?? false
  }

  @Test("ends at a signal that comes as soon as its first line is there, however busy all are")
  func interruptedAtOnce() throws {
    for _ in 1...4 {
      let machines = try (1...6).map { _ in try Machine() }
      // Their folders go away with them.
      try withExtendedLifetime(machines) {
        let watches = try machines.map { try RunningWatch(environment: $0.environment) }
        for watch in watches {
          _ = try watch.next("watching")
          watch.process.terminate()
        }
        for watch in watches { #expect(watch.terminate() == 0) }
      }
    }
  }

  @Test("ends at a signal also where no descriptor is left to hear of it by", arguments: 11...16)
  func fewDescriptors(limit: Int) throws {
    let (machine, scratch, process) = (try Machine(), try Scratch(), Process())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "ulimit -n \(limit); exec \"$0\" watch", Command.binary.path]
    process.environment = machine.environment
    process.standardOutput = try scratch.newFile("out")
    process.standardError = try scratch.newFile("err")
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 20)
    // With still fewer, it cannot begin.
    while process.isRunning, try scratch.text("out").isEmpty, Date() < deadline { usleep(1_000) }
    let hasBegun = try !scratch.text("out").isEmpty
    process.terminate()
    // While the first is pending, the kernel would make one of both. It is not, if the process has
    // ended, of which nothing is told.
    try waitUntil(within: .seconds(20)) {
      (try? Self.hasTermination("ShdPnd", of: process)) != true
    }
    // A second one does not hurry it, before it has heard of the first either.
    if process.isRunning { process.terminate() }
    while process.isRunning, Date() < deadline { usleep(1_000) }
    #expect(!process.isRunning)
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    let wasKilled = process.terminationReason == .uncaughtSignal
    #expect(!(hasBegun && wasKilled && process.terminationStatus == SIGTERM))
  }

  @Test("refuses to run twice, naming the process that runs; import works beside it")
  func second() throws {
    let machine = try Machine()
    let watch = try RunningWatch(environment: machine.environment)
    _ = try watch.next("watching")
    let run = try machine.feedsync("watch", "--format", "json")
    #expect(run.status == 75)
    #expect(run.output == "")
    let message = try run.error()["message"]?.text ?? ""
    #expect(message.contains("\(watch.process.processIdentifier)"))
    #expect(try machine.feedsync("import", "--once").status == 0)
    #expect(watch.terminate() == 0)
    let again = try RunningWatch(environment: machine.environment)
    _ = try again.next("watching")
    #expect(again.terminate() == 0)
  }

  @Test("tells of a file that is set aside, of a gap, and of what is restored")
  func setAside() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 1...2 { try machine.feedsync("put", "n", "x", #"{"n":\#(number)}"#) }
    let file = try #require(try machine.logs().first)
    let whole = try Data(contentsOf: file)
    try whole.prefix(20).write(to: file)
    let watch = try RunningWatch(environment: bob)
    var seen: [String: JSONObject] = [:]
    for event in ["gap", "set_aside"] { seen[event] = try watch.next(event) }
    #expect(seen["gap"]?["first"] == .integer(1))
    #expect(seen["set_aside"]?["reason"]?.text == "incomplete")
    #expect(seen["set_aside"]?["file"]?.text?.hasPrefix("logs/") == true)
    // As a syncer does it: whole under a temporary name, then renamed.
    try whole.write(to: file, options: .atomic)
    let restored = try watch.next("restored")
    #expect(restored["file"] == seen["set_aside"]?["file"])
    #expect(try machine.feedsync("get", "n", "x", environment: bob).output == "{\"n\":2}\n")
    #expect(watch.terminate() == 0)
  }

  @Test("runs --exec with no signal blocked, so that what is to end it is heard")
  func execSignals() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let log = machine.root.appending(path: "signals")
    let watch = try RunningWatch(
      ["--exec", "grep SigBlk /proc/self/status >> '\(log.path)'"], environment: bob)
    _ = try watch.next("watching")
    try machine.feedsync("put", "n", "x", "{}")
    _ = try watch.next("import")
    #expect(watch.terminate() == 0)
    let text = try String(contentsOf: log, encoding: .utf8)
    #expect(text.split(whereSeparator: \.isWhitespace).last == "0000000000000000")
  }

  @Test("gives each line to --exec, and survives a command that does not read it")
  func exec() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let log = machine.root.appending(path: "lines")
    let reading = try RunningWatch(
      ["--exec", "cat >> '\(log.path)'"], environment: bob)
    var printed = [try reading.next("watching")]
    for id in ["x", "y"] {
      try machine.feedsync("put", "n", id, "{}")
      printed.append(try reading.next("import"))
    }
    #expect(reading.terminate() == 0)
    let text = try String(contentsOf: log, encoding: .utf8)
    #expect(text == printed.map { JSON.object($0).canonical + "\n" }.joined())

    let deaf = try RunningWatch(["--exec", "exec true"], environment: bob)
    _ = try deaf.next("watching")
    // A line of more bytes than a pipe holds.
    let lines = (0..<1000).map { number in
      let id = String(repeating: "x", count: 200) + "\(number)"
      return #"{"body":{},"collection":"n","id":"\#(id)"}"#
    }
    try machine.feedsync("load", input: lines.joined(separator: "\n"))
    #expect(try deaf.next("import")["document_count"] == .integer(1000))
    try machine.feedsync("put", "n", "last", "{}")
    #expect(try deaf.next("import")["document_count"] == .integer(1))
    #expect(deaf.terminate() == 0)
  }

  // Lesson 25.
  @Test("goes on importing while a command of --exec hangs")
  func hangingExec() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let gate = machine.root.appending(path: "gate").path
    try #require(mkfifo(gate, 0o600) == 0)
    var writer: CInt = -1
    // Whatever fails, no command is left that waits.
    defer { close(writer < 0 ? open(gate, O_RDWR) : writer) }
    // It waits for somebody who writes, from the first line on.
    let watch = try RunningWatch(["--exec", ": < '\(gate)'"], environment: bob)
    _ = try watch.next("watching")
    for id in ["x", "y"] {
      try machine.feedsync("put", "n", id, "{}")
      let document = try watch.next("import")["documents"]?.array?.first?.object
      #expect(document?["id"]?.text == id)
    }
    writer = open(gate, O_RDWR)
    #expect(writer >= 0)
    #expect(watch.terminate() == 0)
    #expect(try machine.feedsync("get", "n", "y", environment: bob).status == 0)
  }

  /// Starts a script of the shell's, whose pipes no other test's processes can inherit: there would
  /// be a reader still.
  ///
  /// - parameter script: has the command's path in `$0`.
  private static func shell(
    _ script: String, _ environment: [String: String], in scratch: Scratch
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Command.binary.path]
    process.environment = environment
    process.currentDirectoryURL = scratch.url
    try process.run()
    return process
  }

  @Test(
    "ends quietly when nobody reads it any more, with SIGPIPE ignored too",
    arguments: ["", "trap '' PIPE;"])
  func readerGone(before: String) throws {
    let (machine, scratch) = (try Machine(), try Scratch())
    let bob = try machine.joined("bob")
    let process = try Self.shell(
      "{ \(before) timeout 60 \"$0\" watch 2>errors; echo $? >status; } | head -n 1 >line",
      machine.environment, in: scratch)
    let deadline = Date(timeIntervalSinceNow: 20)
    while (try? scratch.text("line"))?.isEmpty ?? true, Date() < deadline { usleep(10_000) }
    // Until the next line, it cannot know. It may find the reader there still, once.
    while process.isRunning {
      let body = #"{"at":\#(Int.random(in: 0...999_999))}"#
      try machine.feedsync("put", "n", "a", body, environment: bob)
      usleep(100_000)
    }
    // As a shell shows SIGPIPE, whether it came or not.
    #expect(try scratch.text("status") == "\(128 + SIGPIPE)\n")
    #expect(try scratch.text("errors") == "")
    // It lets go of the device.
    let successor = try RunningWatch(environment: machine.environment)
    _ = try successor.next("watching")
    #expect(successor.terminate() == 0)
  }

  @Test("and twenty puts at the same time all survive")
  func parallel() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let watches = [
      try RunningWatch(environment: machine.environment), try RunningWatch(environment: bob),
    ]
    for watch in watches { _ = try watch.next("watching") }
    let processes = try (1...20).map { number in
      let process = Command.process(
        ["put", "n", "\(100 + number)", #"{"n":\#(number)}"#], environment: machine.environment)
      try process.run()
      return process
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    var transactions: Int64 = 0
    while transactions < 20 {
      guard case .integer(let count) = try watches[1].next("import")["transactions"] else { break }
      transactions += count
    }
    #expect(transactions == 20)
    for watch in watches { #expect(watch.terminate() == 0) }
    let dump = try machine.feedsync("dump")
    #expect(dump.lines.count == 20)
    #expect(try machine.feedsync("dump", environment: bob).output == dump.output)
    #expect(try machine.feedsync("import", environment: bob).status == 0)
  }
}
