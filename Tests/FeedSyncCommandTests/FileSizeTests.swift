import CanonicalJSON
import Foundation
import Testing

@Suite("A command that may write no larger file") struct FileSizeTests {
  /// Runs a command whose files may have so many blocks of 512 bytes.
  private func run(_ words: String, blocks: Int, on machine: Machine) throws -> CommandRun {
    let (scratch, process) = (try Scratch(), Process())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "ulimit -f \(blocks); exec \"$0\" \(words)", Command.binary.path]
    process.environment = machine.environment
    process.currentDirectoryURL = machine.root
    process.standardOutput = try scratch.newFile("out")
    process.standardError = try scratch.newFile("err")
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    return CommandRun(
      status: process.terminationStatus, output: try scratch.text("out"),
      errors: try scratch.text("err"))
  }

  @Test("says so and ends with 73, and goes on with what it did once it may")
  func database() throws {
    let machine = try Machine()
    let text = String(repeating: "x", count: 1_000)
    let lines = (0..<3_000).map { number in
      #"{"body":{"a":"\#(text)"},"collection":"n","id":"\#(number)"}"#
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8)
      .write(to: machine.root.appending(path: "lines"))
    let limited = try run("load lines --format json", blocks: 2_048, on: machine)
    #expect(limited.status == 73)
    let error = try limited.error()
    #expect(error["file"]?.text?.hasSuffix("/store.sqlite") == true)
    #expect(error["hint"]?.text?.contains("ulimit -f") == true)
    #expect(try machine.feedsync("load", "lines", directory: machine.root).status == 0)
    #expect(try machine.feedsync("list", "n").lines.count == 3_000)
  }

  @Test("does not end without a word amid its results")
  func results() throws {
    let machine = try Machine()
    let text = String(repeating: "x", count: 400_000)
    try Data(#"{"a":"\#(text)"}"#.utf8).write(to: machine.root.appending(path: "body"))
    #expect(try run("put n 1 - < body", blocks: 100_000, on: machine).status == 0)
    let run = try run("dump", blocks: 640, on: machine)
    #expect(run.status == 73)
    #expect(run.errors.contains("cannot write the results: File too large"))
    #expect(run.errors.contains("ulimit -f"))
  }
}
