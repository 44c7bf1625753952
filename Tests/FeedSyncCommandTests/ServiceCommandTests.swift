import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync service") struct ServiceCommandTests {
  /// A machine on which no systemd can be asked.
  private func machine() throws -> (Machine, [String: String]) {
    let machine = try Machine()
    // Put in front of the system's, so that no test reaches the systemd of who runs it.
    let bin = machine.root.appending(path: "bin")
    try Machine.makeDirectory(bin)
    let systemctl = bin.appending(path: "systemctl")
    let script = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n"
    try Data(script.utf8).write(to: systemctl)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: systemctl.path)
    var environment = machine.environment
    environment["PATH"] = bin.path + ":/usr/bin:/bin"
    return (machine, environment)
  }

  private func units(_ machine: Machine) -> [String] {
    let directory = machine.home.path + "/.config/systemd/user"
    return ((try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []).sorted()
  }

  @Test("install writes and enables a unit, says what to run, and remove takes it away")
  func installAndRemove() throws {
    let (machine, environment) = try machine()
    func feedsync(_ arguments: String...) throws -> CommandRun {
      try Command.run(["service"] + arguments, environment: environment)
    }
    let dry = try feedsync("install", "--dry-run")
    #expect(dry.status == 0 && units(machine).isEmpty)
    let run = try feedsync("install")
    #expect(run.status == 0)
    #expect(run.errors.contains("systemctl --user daemon-reload && systemctl --user restart"))
    let names = units(machine)
    #expect(names.count == 3)
    let unit = try #require(names.last)
    let file = machine.home.appending(path: ".config/systemd/user/\(unit)")
    #expect(try String(contentsOf: file, encoding: .utf8) == dry.output)
    #expect(dry.output.contains("\"--container\" \"\(machine.folder.path)\"\n"))

    let status = try #require(try feedsync("status", "--format", "json").json().object)
    #expect(status["installed"] == .bool(true) && status["enabled"] == .bool(true))
    #expect(status["current"] == .bool(true) && status["state"]?.text == "unknown")
    #expect(status["program"]?.object?["exists"] == .bool(true))
    let again = try feedsync("install", "--format", "json")
    #expect(try again.json().object?["result"]?.text == "unchanged")

    #expect(try feedsync("remove").output == "\(unit): removed\n")
    #expect(units(machine).isEmpty)
    #expect(try feedsync("remove").output == "\(unit): was not installed\n")
    let gone = try #require(try feedsync("status", "--format", "json").json().object)
    #expect(gone["installed"] == .bool(false) && gone["enabled"] == .bool(false))
  }

  @Test("each container and each state has a unit of its own")
  func several() throws {
    let (machine, environment) = try machine()
    let second = machine.root.appending(path: "second")
    try Machine.makeDirectory(second)
    try machine.feedsync("init", second.path)
    for folder in [machine.folder, second] {
      try machine.feedsync(
        "service", "install", "--container", folder.path, environment: environment)
    }
    var other = machine.other("other")
    other["PATH"] = environment["PATH"]
    try machine.feedsync("init", machine.folder.path, environment: other)
    try machine.feedsync("service", "install", environment: other)
    let all = try machine.feedsync(
      "service", "status", "--all", "--format", "json", environment: environment)
    #expect(Set(all.lines).count == 3)
    try machine.feedsync("service", "remove", environment: other)
    #expect(units(machine).filter { !$0.contains("/") && $0.hasSuffix(".service") }.count == 2)
    let removed = try machine.feedsync("service", "remove", "--all", environment: environment)
    #expect(removed.lines.count == 2 && units(machine).isEmpty)
  }

  @Test("can be looked at and removed where the database cannot be opened")
  func broken() throws {
    let (machine, environment) = try machine()
    try machine.feedsync("service", "install", environment: environment)
    let database = try machine.deviceState().appending(path: "store.sqlite")
    try Data("no database at all, but long enough for one".utf8).write(to: database)
    let status = try machine.feedsync(
      "service", "status", "--format", "json", environment: environment)
    #expect(status.status == 0)
    #expect(try status.json().object?["problem"]?.text?.isEmpty == false)
    #expect(try machine.feedsync("service", "remove", environment: environment).status == 0)
    #expect(units(machine).isEmpty)
  }

  @Test("cron prints a line that works in an empty environment, whatever the folder's name")
  func cron() throws {
    let machine = try Machine(initialised: false)
    let folder = machine.root.appending(path: "it's 100% \"my\" $HOME \\ folder")
    try Machine.makeDirectory(folder)
    try machine.feedsync("init", folder.path)
    let bob = machine.other("bob").merging(["FEEDSYNC_CONTAINER": folder.path]) { $1 }
    try machine.feedsync("init", folder.path, environment: bob)
    try machine.feedsync("put", "n", "x", "{}", environment: bob)
    let run = try machine.feedsync("service", "cron")
    let line = try #require(run.lines.first)
    #expect(run.lines.count == 1 && line.hasPrefix("*/5 * * * * /"))
    #expect(line.replacing("\\%", with: "").contains("%") == false)
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    // What cron makes of it.
    let command = String(line.dropFirst("*/5 * * * * ".count)).replacing("\\%", with: "%")
    shell.arguments = ["-c", command]
    shell.environment = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
    shell.currentDirectoryURL = URL(filePath: "/")
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    #expect(try machine.feedsync("list", "n").output == "x\n")
  }

  @Test("refuses a folder whose name a unit cannot hold, and needs a container")
  func refused() throws {
    let (machine, environment) = try machine()
    let folder = machine.root.appending(path: "two\nlines")
    try Machine.makeDirectory(folder)
    try machine.feedsync("init", folder.path)
    for command in ["install", "cron"] {
      let run = try machine.feedsync(
        "service", command, "--format", "json", environment: environment)
      #expect(run.status == 65)
      _ = try run.error()
    }
    #expect(units(machine).isEmpty)
    let empty = try Machine(initialised: false)
    for command in ["install", "remove", "status", "cron"] {
      #expect(try empty.feedsync("service", command).status == 78, "\(command)")
    }
  }

  // Lesson 25.
  @Test("does not wait for a systemctl that hangs")
  func hanging() throws {
    let (machine, environment) = try machine()
    let script = "#!/bin/sh\nexec sleep 600\n"
    try Data(script.utf8).write(to: machine.root.appending(path: "bin/systemctl"))
    let run = try machine.feedsync(
      "service", "status", "--format", "json", environment: environment)
    #expect(run.status == 0)
    #expect(try run.json().object?["reason"]?.text == "systemctl did not answer within 10 s")
  }
}
