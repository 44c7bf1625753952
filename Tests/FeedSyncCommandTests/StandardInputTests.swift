import CanonicalJSON
import Foundation
import Testing

@Suite("Standard input") struct StandardInputTests {
  private func run(_ redirection: String, on machine: Machine) throws -> CommandRun {
    try run(words: "put n x - --format json \(redirection)", on: machine)
  }

  /// - parameter words: What stands behind the command, as a shell reads it.
  private func run(words: String, on machine: Machine) throws -> CommandRun {
    let (process, scratch) = (Process(), try Scratch())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "exec \"$0\" \(words)", Command.binary.path]
    process.environment = machine.environment
    process.standardOutput = try scratch.newFile("out")
    process.standardError = try scratch.newFile("err")
    try process.run()
    process.waitUntilExit()
    return CommandRun(
      status: process.terminationStatus, output: try scratch.text("out"),
      errors: try scratch.text("err"))
  }

  @Test("that cannot be read is told as that, and is no defect", arguments: ["<&-", "</"])
  func unreadable(redirection: String) throws {
    let machine = try Machine()
    let run = try run(redirection, on: machine)
    #expect(run.status == 74)
    #expect(run.output == "")
    #expect(try run.error()["message"]?.text?.contains("cannot read standard input") == true)
    #expect(try machine.feedsync("get", "n", "x").status == 1)
  }

  @Test("that does not block is waited for")
  func notBlocking() throws {
    let machine = try Machine()
    let process = Command.process(["put", "n", "x", "-"], environment: machine.environment)
    let pipe = Pipe()
    let input = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(input, F_SETFL, O_RDONLY | O_NONBLOCK)
    // Foundation closes that one here once the command has it.
    let looking = fcntl(input, F_DUPFD_CLOEXEC, 0)
    defer { close(looking) }
    process.standardInput = pipe
    try process.run()
    try pipe.fileHandleForWriting.write(contentsOf: Data(#"{"a":"#.utf8))
    // Once this is read, the next reading finds nothing.
    var count: Int32 = 1
    while process.isRunning, count > 0 {
      try #require(ioctl(looking, UInt(FIONREAD), &count) == 0)
      usleep(1_000)
    }
    try pipe.fileHandleForWriting.write(contentsOf: Data("1}".utf8))
    try pipe.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try machine.feedsync("get", "n", "x").output == "{\"a\":1}\n")
  }

  @Test("may be named as a file, and so may a link: a shell has files that are pipes")
  func named() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    let file = machine.root.appending(path: "token")
    let link = machine.root.appending(path: "link")
    try Data(try machine.feedsync("get", "n", "x", "--token").errors.utf8).write(to: file)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    for (number, source) in ["@/dev/stdin <'\(file.path)'", "@'\(link.path)'"].enumerated() {
      let body = #"{"a":1,"b":\#(number)}"#
      let put = try run(words: "put n x '\(body)' --base \(source)", on: machine)
      #expect(put.status == 0 && put.errors == "", "\(put.errors)")
    }
    let segment = try #require(try machine.logs().first).path
    let dump = try run(words: "segment dump /dev/stdin <'\(segment)'", on: machine)
    #expect(dump.status == 0)
    #expect(dump.output == (try machine.feedsync("segment", "dump", segment).output))
    // No token is so long, and this one has no end.
    let endless = try run(words: "put n x '{}' --base @/dev/zero --format json", on: machine)
    #expect(endless.status == 74)
    #expect(try endless.error()["hint"]?.text == nil)
  }
}
