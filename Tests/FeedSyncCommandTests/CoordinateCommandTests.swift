import CanonicalJSON
import Foundation
import Testing

@Suite("coordinate") struct CoordinateCommandTests {
  let machine: Machine
  let file: String

  init() throws {
    machine = try Machine(initialised: false)
    file = machine.folder.appending(path: "notes.txt").path
  }

  /// A run that holds the file until its input ends.
  private final class Holder {
    let process: Process
    private let input = Pipe()
    private let output = Pipe()

    init(_ machine: Machine, _ kind: String, _ file: String) throws {
      process = Command.process(
        ["coordinate", kind, file, "--", "sh", "-c", "echo held; cat"],
        environment: machine.environment)
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      try #require(said == "held\n")
    }

    deinit { if process.isRunning { process.terminate() } }

    func finish() throws {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  @Test("runs a command with its input and output, and ends as it ends")
  func runs() throws {
    let run = try machine.feedsync(
      "coordinate", "write", file, "--", "sh", "-c", "cat; echo $FEEDSYNC_PATH; exit 7",
      input: "typed\n")
    #expect(run.status == 7 && run.errors == "")
    #expect(run.lines == ["typed", file])
    #expect(try machine.feedsync("coordinate", "read", file, "--", "true").status == 0)
    let killed = try machine.feedsync("coordinate", "read", file, "--", "sh", "-c", "kill -9 $$")
    #expect(killed.status == 137)
    let missing = try machine.feedsync("coordinate", "read", file, "--", "/no/such/program")
    #expect(missing.status == 127 && missing.errors.contains("/no/such/program"))
    let told = try machine.feedsync(
      "coordinate", "read", file, "--format", "json", "--", "/no/such/program")
    #expect(told.status == 127)
    #expect(try told.error()["file"]?.text == "/no/such/program")
  }

  @Test("gives up with 75 when the time is up, and says who holds the file")
  func timesOut() throws {
    let holder = try Holder(machine, "write", file)
    let id = holder.process.processIdentifier
    for kind in ["read", "write"] {
      let run = try machine.feedsync(
        "coordinate", kind, file, "--timeout", "0.1", "--format", "json", "--", "echo", "ran")
      #expect(run.status == 75 && run.output == "")
      let error = try run.error()
      #expect(error["message"]?.text?.contains("process \(id) (feedsync) writes \(file)") == true)
      #expect(error["file"]?.text == file)
    }
    try holder.finish()
    #expect(try machine.feedsync("coordinate", "read", file, "--", "true").status == 0)
  }

  @Test("says with --verbose for whom it waits")
  func verbose() throws {
    let holder = try Holder(machine, "write", file)
    let id = holder.process.processIdentifier
    let run = try machine.feedsync(
      "coordinate", "read", file, "--timeout", "0.1", "--verbose", "--", "echo", "ran")
    #expect(run.status == 75 && run.output == "")
    #expect(run.errors.contains("feedsync: waiting: process \(id) (feedsync) writes \(file)\n"))
    try holder.finish()
  }

  @Test("lets accesses of one purpose past each other")
  func purpose() throws {
    let holder = Command.process(
      ["coordinate", "write", file, "--purpose", "sync", "--", "sleep", "30"],
      environment: machine.environment)
    try holder.run()
    defer { holder.terminate() }
    var claims: [JSON] = []
    for _ in 0..<200 where claims.isEmpty { claims = try status()["claims"]?.array ?? [] }
    let run = try machine.feedsync(
      "coordinate", "write", file, "--purpose", "sync", "--timeout", "20", "--", "echo", "ran")
    #expect(run.output == "ran\n")
    let other = try machine.feedsync(
      "coordinate", "write", file, "--purpose", "edit", "--timeout", "0", "--", "echo", "ran")
    #expect(other.status == 75)
  }

  private func status() throws -> JSONObject {
    try #require(try machine.feedsync("coordinate", "status", "--format", "json").json().object)
  }

  @Test("shows who claims what, and who waits for whom")
  func showsStatus() throws {
    let nobody = try machine.feedsync("coordinate", "status")
    #expect(nobody.status == 0 && nobody.output == "")
    let holder = try Holder(machine, "read", file)
    let waiter = Command.process(
      ["coordinate", "write", file, "--", "true"], environment: machine.environment)
    try waiter.run()
    var claims: [JSON] = []
    for _ in 0..<200 where claims.count < 2 { claims = try status()["claims"]?.array ?? [] }
    let (first, second) = (try #require(claims.first?.object), try #require(claims.last?.object))
    #expect(first["state"]?.text == "active" && second["state"]?.text == "waiting")
    let id = Int64(holder.process.processIdentifier)
    #expect(
      second["waits_for"]
        == .array([
          .object([
            "process": .object(["id": .integer(id), "name": "feedsync"]), "role": "reads",
            "path": .string(ByteString(file)),
          ])
        ]))
    let lines = try machine.feedsync("coordinate", "status").lines
    #expect(lines.first?.hasPrefix("process \(id) (feedsync) may read \(file), for ") == true)
    #expect(lines.last == "  waits: process \(id) (feedsync) reads \(file)")
    try holder.finish()
    waiter.waitUntilExit()
    #expect(waiter.terminationStatus == 0)
  }

  @Test("refuses with 75 to wait for the access that it is run in, and goes on beside it")
  func nested() throws {
    func run(_ outer: String, _ inner: String, _ other: String) throws -> CommandRun {
      try machine.feedsync(
        "coordinate", outer, file, "--", Command.binary.path, "coordinate", inner, other,
        "--timeout", "20", "--format", "json", "--", "echo", "ran")
    }
    for (outer, inner) in [("write", "write"), ("write", "read"), ("read", "write")] {
      let run = try run(outer, inner, file)
      #expect(run.status == 75 && run.output == "")
      let error = try run.error()
      #expect(error["message"]?.text?.contains("wait for one another") == true)
      #expect(error["file"]?.text == file && error["hint"]?.text != nil)
    }
    #expect(try run("read", "read", file).lines == ["ran"])
    let other = machine.folder.appending(path: "other.txt").path
    #expect(try run("write", "write", other).lines == ["ran"])
  }

  @Test("refuses to be called wrongly")
  func usage() throws {
    for arguments in [["write", file], ["read", file, "--timeout", "-1", "--", "true"]] {
      let run = try Command.run(["coordinate"] + arguments, environment: machine.environment)
      #expect(run.status == 64 && run.output == "")
    }
  }

  @Test("refuses a path that leaves the container it is told of")
  func leavesContainer() throws {
    let link = machine.folder.appending(path: "out")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: machine.home)
    let run = try machine.feedsync(
      "coordinate", "write", link.appending(path: "f").path, "--container", machine.folder.path,
      "--", "echo", "ran")
    #expect(run.status == 65 && run.output == "")
    let inside = try machine.feedsync(
      "coordinate", "write", file, "--container", machine.folder.path, "--", "echo", "ran")
    #expect(inside.status == 0 && inside.output == "ran\n")
  }

  @Test("refuses a directory of locks that others may reach into")
  func openDirectory() throws {
    #expect(try machine.feedsync("coordinate", "status").status == 0)
    let directory = machine.state.appending(path: "coordination")
    #expect(try machine.mode(directory) == 0o700 && machine.mode(machine.state) == 0o700)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o777], ofItemAtPath: directory.path)
    let run = try machine.feedsync(
      "coordinate", "write", file, "--format", "json", "--", "echo", "ran")
    #expect(run.status == 77 && run.output == "")
    #expect(try run.error()["file"]?.text == directory.path)
  }

  @Test("passes SIGTERM on, and holds the file until the command has ended")
  func signals() throws {
    let process = Command.process(
      [
        "coordinate", "write", file, "--", "sh", "-c",
        "trap 'echo ending; exit 3' TERM; echo held; while :; do sleep 0.05; done",
      ], environment: machine.environment)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "held\n")
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    let rest = try output.fileHandleForReading.readToEnd() ?? Data()
    #expect(String(decoding: rest, as: UTF8.self) == "ending\n")
    #expect(process.terminationReason == .exit && process.terminationStatus == 3)
  }

  @Test("passes on what the command lets it be sent before anything else")
  func earlySignals() throws {
    for _ in 0..<20 {
      let run = try machine.feedsync(
        "coordinate", "write", file, "--", "sh", "-c",
        "trap 'exit 3' TERM; kill -TERM $PPID; while :; do sleep 0.01; done")
      #expect(run.status == 3)
    }
  }

  @Test(
    "has the command ignore what it was started to ignore, as by nohup",
    arguments: ["HUP", "INT", "QUIT", "TERM"])
  func ignoredSignals(name: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.environment = machine.environment
    process.arguments =
      ["-c", "trap '' \(name); exec \"$@\"", "sh", Command.binary.path]
      + ["coordinate", "write", file, "--", "sh", "-c", "kill -\(name) $PPID $$; echo still"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(String(decoding: said, as: UTF8.self) == "still\n")
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }
}
