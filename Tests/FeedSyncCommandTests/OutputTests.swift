import Foundation
import Testing

@Suite("Results that cannot be written") struct OutputTests {
  @Test("are a failure, as a backup to a full disk must be")
  func fullDisk() throws {
    let machine = try Machine()
    #expect(try machine.feedsync("put", "n", "1", "{}").status == 0)
    let process = Command.process(["dump"], environment: machine.environment)
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    #expect(String(decoding: text, as: UTF8.self).contains("cannot write the results"))
  }

  @Test("are one object on standard error with --format json, like all that fails")
  func fullDiskInJSON() throws {
    let (machine, scratch) = (try Machine(), try Scratch())
    let process = Command.process(
      ["put", "n", "1", "{}", "--format", "json"], environment: machine.environment)
    process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    process.standardError = try scratch.newFile("errors")
    try process.run()
    process.waitUntilExit()
    let run = CommandRun(
      status: process.terminationStatus, output: "", errors: try scratch.text("errors"))
    #expect(run.status == 73)
    #expect(try run.error()["message"]?.text?.contains("cannot write the results") == true)
  }

  @Test("wait for a reader that is slow, also where the pipe is one that does not block")
  func slowReader() throws {
    let machine = try Machine()
    let text = String(repeating: "x", count: 100_000)
    for id in 1...3 {
      #expect(try machine.feedsync("put", "n", "\(id)", #"{"a":"\#(text)"}"#).status == 0)
    }
    let expected = try machine.feedsync("dump").output
    let process = Command.process(["dump"], environment: machine.environment)
    let pipe = Pipe()
    let (reading, writing) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    _ = fcntl(writing.fileDescriptor, F_SETFL, O_WRONLY | O_NONBLOCK)
    // F_GETPIPE_SZ, which is not imported.
    let room = fcntl(writing.fileDescriptor, 1032)
    process.standardOutput = pipe
    try process.run()
    // Nothing is read until the pipe is full.
    var count: Int32 = 0
    while process.isRunning, count < room {
      _ = ioctl(reading.fileDescriptor, UInt(FIONREAD), &count)
    }
    var lines = Data()
    while lines.count < expected.utf8.count {
      let more = reading.availableData
      guard !more.isEmpty else { break }
      lines.append(more)
    }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(String(decoding: lines, as: UTF8.self) == expected)
  }

  @Test("since their reader has gone end the command as SIGPIPE would, also where it is ignored")
  func readerGone() throws {
    let machine = try Machine()
    let text = String(repeating: "x", count: 300_000)
    let body = #"{"a":"\#(text)"}"#
    #expect(try machine.feedsync("put", "n", "1", "-", input: body).status == 0)
    let dump = try #require(
      Command.process(["dump"], environment: machine.environment).executableURL?.path)
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    let status = machine.root.appending(path: "status")
    shell.arguments = [
      "-c", "trap '' PIPE; { \(dump) dump; echo $? >'\(status.path)'; } | head -c1 >/dev/null",
    ]
    shell.environment = machine.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
    try shell.run()
    shell.waitUntilExit()
    #expect(try String(contentsOf: status, encoding: .utf8) == "141\n")
  }
}
