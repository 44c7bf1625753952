import Foundation
import Testing

@Suite("Names that others have chosen") struct StrangeNameTests {
  @Test("write no lines of their own into what is told, and command no terminal")
  func controls() throws {
    let machine = try Machine(initialised: false)
    let name = "x\nforged\u{1B}[31m\u{7F}\u{9B}1m"
    let created = try machine.feedsync("init", machine.folder.path, "--identifier", name)
    #expect(created.status == 0)
    try machine.feedsync("put", "n", "d", #"{"x\nforged\u001b[31m\u007f\u009b1m":1}"#)
    let directory = try #require(try machine.logs().first).deletingLastPathComponent()
    try Data().write(to: directory.appending(path: name + ".txt"))
    for command in [["status"], ["containers"], ["history", "n", "d"], ["leave"]] {
      let run = try Command.run(command, environment: machine.environment)
      #expect(run.status == 0)
      #expect(!run.lines.contains { $0.hasPrefix("forged") }, "\(command)")
      #expect(run.output.contains(#"x\nforged\u001b[31m\u007f\u009b1m"#), "\(command)")
      let controls = run.output.unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n"
      }
      #expect(controls.isEmpty, "\(command)")
    }
  }

  @Test("command no terminal in what is told of them either")
  func messages() throws {
    let machine = try Machine()
    for command in [["devices", "skip"], ["file", "list"]] {
      let run = try Command.run(
        command + ["x\u{1B}[31m\u{9B}1m"], environment: machine.environment)
      #expect(run.status != 0)
      #expect(run.errors.contains(#"'x\u001b[31m\u009b1m'"#), "\(command)")
      #expect(!run.errors.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x9B })
    }
  }

  @Test("are none where they are empty")
  func empty() throws {
    let machine = try Machine(initialised: false)
    #expect(try machine.feedsync("init", machine.folder.path, "--identifier", "").status == 64)
  }

  /// Starts a program under a name of its own, and waits until it has said a word.
  private func start(
    _ program: String, named name: String, _ arguments: [String], on machine: Machine
  ) throws -> Process {
    let directory = machine.root.appending(path: program)
    try Machine.makeDirectory(directory)
    let link = directory.appending(path: name)
    try FileManager.default.createSymbolicLink(
      at: link,
      withDestinationURL: Command.binary.deletingLastPathComponent().appending(path: program))
    let process = Process()
    process.executableURL = link
    process.arguments = arguments
    process.environment = machine.environment
    let output = Pipe()
    (process.standardInput, process.standardOutput) = (Pipe(), output)
    try process.run()
    try #require(!output.fileHandleForReading.availableData.isEmpty)
    return process
  }

  @Test("of files and programs that take turns do so neither")
  func coordination() throws {
    let machine = try Machine(initialised: false)
    let name = "x\nforged\u{1B}[31m\u{7F}\u{9B}1m"
    let told = #""x\nforged\u001b[31m\u007f\u009b1m""#
    let file = machine.folder.appending(path: name).path
    let other = machine.folder.appending(path: "y" + name).path
    try Machine.makeDirectory(machine.state)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: machine.state.path)
    let holder = try start(
      "feedsync", named: name, ["coordinate", "write", file, "--", "sh", "-c", "echo held; cat"],
      on: machine)
    let presenter = try start(
      "CoordinationPeer", named: name, ["present", machine.state.path, other, "mute"], on: machine)
    defer { for process in [holder, presenter] { process.terminate() } }
    for (arguments, status) in [
      (["status"], Int32(0)), (["read", file, "--timeout", "0.1", "--verbose", "--", "echo"], 75),
      (["write", other, "--", "true"], 0),
    ] {
      let run = try Command.run(["coordinate"] + arguments, environment: machine.environment)
      let text = run.output + run.errors
      #expect(run.status == status)
      #expect(text.contains("(\(told))"), "\(arguments): \(text)")
      #expect(!text.split(separator: "\n").contains { $0.hasPrefix("forged") }, "\(arguments)")
      let controls = text.unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n"
      }
      #expect(controls.isEmpty, "\(arguments)")
    }
    let report = try machine.feedsync("coordinate", "status", "--format", "json").json().object
    let claim = try #require(report?["claims"]?.array?.first?.object)
    #expect(claim["process"]?.object?["name"]?.text == name)
    #expect(claim["items"]?.array?.first?.object?["path"]?.text == file)
  }
}
