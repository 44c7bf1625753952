import CanonicalJSON
import Foundation
import Testing

@Suite("Standard input") struct StandardInputTests {
  private func run(_ redirection: String, on machine: Machine) throws -> CommandRun {
    let (process, scratch) = (Process(), try Scratch())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "exec \"$0\" put n x - --format json \(redirection)", Command.binary.path,
    ]
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
}
