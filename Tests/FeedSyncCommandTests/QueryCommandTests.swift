import CanonicalJSON
import Foundation
import Testing

@Suite("query", .serialized, .timeLimit(.minutes(5))) struct QueryCommandTests {
  @Test("prints the documents that match, in their order, up to the limit")
  func once() throws {
    let machine = try Machine()
    for (id, number) in [("a", 3), ("b", 1), ("c", 2), ("d", 0)] {
      try machine.feedsync("put", "notes", id, #"{"n":\#(number)}"#)
    }
    let run = try machine.feedsync(
      "query", "notes", "--where", "body ->> '$.n' > ?", "--argument", "0", "--order", "n:desc",
      "--limit", "2")
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#""id":"a""#) == true)
    #expect(lines.last?.contains(#""id":"c""#) == true)
  }

  @Test("takes for a number what is written as one, and not each code that consists of digits")
  func arguments() throws {
    let machine = try Machine()
    func found(_ argument: String) throws -> String {
      let run = try machine.feedsync(
        "query", "notes", "--where", "body ->> '$.v' = ?", "--argument", argument)
      #expect(run.status == 0, "\(run.errors)")
      return run.output
    }
    for text in ["007", "+49301234", "0x1F", "-01", "1e999", "12a", " 7", ""] {
      try machine.feedsync("put", "notes", "text", #"{"v":"\#(text)"}"#)
      #expect(try found(text).contains(#""id":"text""#), "\(text)")
    }
    for number in ["7", "-1", "0", "0.5", "1e3", "-2.5E-1"] {
      try machine.feedsync("put", "notes", "number", #"{"v":\#(number)}"#)
      #expect(try found(number).contains(#""id":"number""#), "\(number)")
    }
    #expect(try found(".5").isEmpty)
    try machine.feedsync("put", "notes", "number", #"{"v":0.5}"#)
    #expect(try found(".5").contains(#""id":"number""#))
  }

  @Test("refuses what is no condition with 64, and says so")
  func wrong() throws {
    let machine = try Machine()
    let run = try machine.feedsync("query", "notes", "--where", "1) OR (1")
    #expect(run.status == 64)
    #expect(run.errors.contains("has no other half"))
    #expect(try machine.feedsync("query", "notes", "--limit", "0").status == 64)
  }

  @Test("refuses what is no direction with 64, and names both")
  func directions() throws {
    let machine = try Machine()
    for (id, number) in [("a", 2), ("b", 1)] {
      try machine.feedsync("put", "notes", id, #"{"n":\#(number),"n:up":\#(-number)}"#)
    }
    func first(_ order: String) throws -> String? {
      try machine.feedsync("query", "notes", "--order", order).lines.first?.suffix(8).description
    }
    let (a, b) = (#""id":"a"}"#.suffix(8).description, #""id":"b"}"#.suffix(8).description)
    #expect(try first("n") == b && first("n:asc") == b && first("n:desc") == a)
    #expect(try first("n:up:asc") == a && first("/n:up:desc") == b)
    for order in ["n:up", "n:", "n:DESC"] {
      let run = try machine.feedsync("query", "notes", "--order", order, "--format", "json")
      #expect(run.status == 64 && run.output.isEmpty)
      let error = try run.error()
      #expect(error["message"]?.text?.contains("is no direction of an order") == true)
      #expect(error["hint"]?.text?.contains("'n:asc' or 'n:desc'") == true)
    }
  }

  @Test("counts the parameters of the condition alone")
  func parameters() throws {
    let run = try Machine().feedsync("query", "n", "--where", "id = ?")
    #expect(run.status == 64)
    #expect(run.errors.contains("there is 1 parameter ('?'), and arguments for 0"))
  }

  @Test("goes on with --live: a line for each change of the result, whoever makes it")
  func live() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "notes", "a", #"{"n":1}"#)
    let command = ["query", "notes", "--where", "body ->> '$.n' > 0", "--order", "n", "--live"]
    let query = try RunningWatch(command: command, environment: machine.environment)
    let first = try query.next("result")
    #expect(first["documents"] == [["body": ["n": 1], "id": "a"]])
    try machine.feedsync("put", "notes", "hidden", #"{"n":0}"#)
    try machine.feedsync("put", "notes", "b", #"{"n":0.5}"#, environment: bob)
    let second = try query.next("change")
    #expect(second["added"] == [["body": ["n": 0.5], "id": "b", "position": 0]])
    try machine.feedsync("patch", "notes", "a", #"{"n":0.25}"#)
    let third = try query.next("change")
    #expect(third["changed"] == [["body": ["n": 0.25], "id": "a", "position": 0]])
    try machine.feedsync("delete", "notes", "b")
    #expect(try query.next("change")["removed"] == ["b"])
    #expect(query.terminate() == 0)
    #expect(try query.rest() == [])
  }

  @Test(
    "ends quietly when nobody reads it any more, with SIGPIPE ignored too",
    arguments: ["", "trap '' PIPE;"])
  func readerGone(before: String) throws {
    let (machine, scratch) = (try Machine(), try Scratch())
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // The pipe is the shell's: other tests' processes could inherit one of this process's, and
    // then there would be a reader still.
    process.arguments = [
      "-c",
      """
      { \(before) timeout 30 "$0" query notes --live 2>errors; echo $? >status; } | head -n 1 >line
      """, Command.binary.path,
    ]
    process.environment = machine.environment
    process.currentDirectoryURL = scratch.url
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 20)
    while (try? scratch.text("line"))?.isEmpty ?? true, Date() < deadline {
      Thread.sleep(forTimeInterval: 0.01)
    }
    // Until the next line, it cannot know. It may find the reader there still, once.
    while process.isRunning {
      try machine.feedsync("put", "notes", "a", #"{"at":\#(Int.random(in: 0...999_999))}"#)
      Thread.sleep(forTimeInterval: 0.1)
    }
    // As a shell shows SIGPIPE, whether it came or not.
    #expect(try scratch.text("status") == "\(128 + SIGPIPE)\n")
    #expect(try scratch.text("errors") == "")
  }

  @Test("never writes its results into a file of its own that has a closed stream's number")
  func closedStandardOutput() throws {
    let machine = try Machine()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "exec \"$0\" query notes --live >&-", Command.binary.path]
    process.environment = machine.environment
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 73)
    // By the number of a file that is open for reading alone, and of no other.
    #expect(String(decoding: text, as: UTF8.self).contains("Bad file descriptor"))
  }

  @Test("ends on SIGINT, beside watch")
  func interrupted() throws {
    let machine = try Machine()
    let service = try RunningWatch(environment: machine.environment)
    _ = try service.next("watching")
    let query = try RunningWatch(
      command: ["query", "notes", "--live"], environment: machine.environment)
    _ = try query.next("result")
    try machine.feedsync("put", "notes", "a", "{}")
    _ = try query.next("change")
    #expect(query.interrupt() == 0)
    #expect(service.terminate() == 0)
  }
}
