import CanonicalJSON
import Foundation
import TestSupport
import Testing

@Suite("Interrupting feedsync load") struct LoadInterruptionTests {
  private static func line(_ number: Int, _ text: String = "") -> String {
    #"{"body":{"n":\#(number),"text":"\#(text)"},"collection":"n","id":"\#(100 + number)"}"#
  }

  /// Waits until a document is there: the transaction that holds it is committed.
  private func wait(for id: String, on machine: Machine) throws {
    try waitUntil { try machine.feedsync("get", "n", id).status == 0 }
  }

  @Test(
    "a signal ends it by itself, with whole transactions written and published",
    arguments: [SIGINT, SIGTERM])
  func signal(number: Int32) throws {
    let machine = try Machine()
    let load = try FedLoad(machine)
    try load.write((1...5).map { Self.line($0) })
    try wait(for: "104", on: machine)
    kill(load.process.processIdentifier, number)
    #expect(load.signalAtEnd() == number)
    #expect(try load.errors.contains("lines 1 to 4 are written, and it wrote no others"))
    #expect(try load.output == "")
    #expect(try machine.feedsync("list", "n").output == "101\n102\n103\n104\n")
    let status = try machine.feedsync("status", "--format", "json").json().object
    #expect(status?["unpublished"] == .integer(0))
  }

  @Test("two signals at once are one, as timeout sends them to a process and to its group")
  func atOnce() throws {
    let machine = try Machine()
    let load = try FedLoad(machine)
    try load.write((1...3).map { Self.line($0) })
    try wait(for: "102", on: machine)
    // Of two of a kind, the system may make one.
    kill(load.process.processIdentifier, SIGINT)
    kill(load.process.processIdentifier, SIGTERM)
    #expect(load.signalAtEnd() != nil)
    #expect(try load.errors.contains("lines 1 to 2 are written, and it wrote no others"))
  }

  @Test("it answers for what it wrote itself, where an earlier load has written more")
  func behindOthers() throws {
    let machine = try Machine()
    let earlier = try FedLoad(machine)
    try earlier.write((1...5).map { Self.line($0, "old") })
    try wait(for: "104", on: machine)
    kill(earlier.process.processIdentifier, SIGKILL)
    #expect(earlier.signalAtEnd() == SIGKILL)
    let load = try FedLoad(machine)
    try load.write((1...3).map { Self.line($0, "new") })
    try waitUntil { try machine.feedsync("get", "n", "102").output.contains("new") }
    kill(load.process.processIdentifier, SIGTERM)
    #expect(load.signalAtEnd() == SIGTERM)
    #expect(try load.errors.contains("lines 1 to 2 are written, and it wrote no others"))
    #expect(try machine.feedsync("list", "n").output == "101\n102\n103\n104\n")
  }

  @Test("with --format json it says so in one object, with the status that a shell shows")
  func json() throws {
    let machine = try Machine()
    let load = try FedLoad(machine, ["--format", "json"])
    try load.write((1...3).map { Self.line($0) })
    try wait(for: "102", on: machine)
    kill(load.process.processIdentifier, SIGTERM)
    #expect(load.signalAtEnd() == SIGTERM)
    let error = try JSON(parsing: Array(try load.errors.utf8)).object?["error"]?.object
    #expect(error?["code"] == .integer(143))
    #expect(error?["operation"]?.text == "load")
  }

  @Test("killed, it goes on behind its last transaction, and leaves alone what was edited since")
  func goesOn() throws {
    let machine = try Machine()
    let file = machine.root.appending(path: "docs.jsonl")
    // The bad line stops it as a kill would; the file stays the same for the second run.
    let lines = (1...4).map { Self.line($0) } + ["{"]
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
    let load = ["load", file.path, "--transaction-size", "2"]
    #expect(try Command.run(load, environment: machine.environment).status == 65)
    try machine.feedsync("put", "n", "101", #"{"edited":true}"#)
    let again = try Command.run(load, environment: machine.environment)
    #expect(again.status == 65)
    #expect(again.errors.contains("going on behind line 4"))
    #expect(again.errors.contains("line 5"))
    #expect(try machine.feedsync("get", "n", "101").output == "{\"edited\":true}\n")
    let all = try Command.run(load + ["--from-start"], environment: machine.environment)
    #expect(all.status == 65)
    #expect(try machine.feedsync("get", "n", "101").output == "{\"n\":1,\"text\":\"\"}\n")
  }

  @Test("a file that was changed since, or loaded to its end, is loaded from its start")
  func changedFile() throws {
    let machine = try Machine()
    let file = machine.root.appending(path: "docs.jsonl")
    let good = (1...3).map { Self.line($0) }
    func load(_ lines: [String]) throws -> CommandRun {
      try Data(lines.joined(separator: "\n").utf8).write(to: file)
      return try machine.feedsync("load", file.path, "--transaction-size", "2")
    }
    #expect(try load(good + ["{"]).status == 65)
    try machine.feedsync("put", "n", "101", #"{"edited":true}"#)
    let mended = try load(good)
    #expect(mended.status == 0)
    #expect(mended.errors == "")
    #expect(try machine.feedsync("get", "n", "101").output == "{\"n\":1,\"text\":\"\"}\n")
    try machine.feedsync("put", "n", "101", #"{"edited":true}"#)
    let again = try machine.feedsync("load", file.path, "--format", "json")
    #expect(again.errors == "")
    #expect(try again.json().object?["changed"] == .integer(1))
  }
}
