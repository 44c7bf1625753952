import CanonicalJSON
import Foundation
import Testing

@Suite("The environment") struct EnvironmentTests {
  @Test("needs no more than HOME and PATH")
  func bare() throws {
    let machine = try Machine(initialised: false)
    let bare = machine.bareEnvironment
    #expect(try machine.feedsync("init", machine.folder.path, environment: bare).status == 0)
    let put = try machine.feedsync("put", "n", "é", #"{"a":"é"}"#, environment: bare)
    #expect(put.status == 0)
    #expect(put.errors == "")
    #expect(try machine.feedsync("list", "n", environment: bare).output == "é\n")
    #expect(try machine.feedsync("import", "--once", environment: bare).status == 0)
    let state = machine.home.path + "/.local/share/feedsync/default.json"
    #expect(FileManager.default.fileExists(atPath: state))
  }

  @Test("puts the state where --state, FEEDSYNC_STATE, XDG_DATA_HOME and HOME say, in this order")
  func state() throws {
    let machine = try Machine(initialised: false)
    var environment = machine.bareEnvironment
    func path(_ name: String) -> String { machine.root.appending(path: name).path }
    func exists(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: path(name) + "/default.json")
    }
    environment["XDG_DATA_HOME"] = path("xdg")
    try machine.feedsync("init", machine.folder.path, environment: environment)
    #expect(exists("xdg/feedsync"))
    environment["FEEDSYNC_STATE"] = path("variable")
    try machine.feedsync("init", machine.folder.path, environment: environment)
    #expect(exists("variable"))
    try machine.feedsync(
      "init", machine.folder.path, "--state", path("option"), environment: environment)
    #expect(exists("option"))
    #expect(!exists("home/.local/share/feedsync"))
    environment["FEEDSYNC_STATE"] = ""
    environment["XDG_DATA_HOME"] = ""
    try machine.feedsync("init", machine.folder.path, environment: environment)
    #expect(exists("home/.local/share/feedsync"))
  }

  @Test("may name the state by a link to a directory, by whichever way, and it is one device")
  func linkedState() throws {
    let machine = try Machine(initialised: false)
    let disk = machine.root.appending(path: "disk")
    try FileManager.default.createDirectory(
      at: disk, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let data = machine.home.appending(path: ".local/share")
    try Machine.makeDirectory(data)
    try FileManager.default.createSymbolicLink(
      at: data.appending(path: "feedsync"), withDestinationURL: disk)
    try FileManager.default.createSymbolicLink(at: machine.state, withDestinationURL: disk)
    let bare = machine.bareEnvironment
    let joined = try machine.feedsync("init", machine.folder.path, environment: bare)
    #expect(joined.status == 0 && joined.errors == "")
    for environment in [
      machine.environment, bare.merging(["XDG_DATA_HOME": data.path]) { $1 },
    ] {
      let put = try machine.feedsync("put", "n", "x", "{}", environment: environment)
      #expect(put.status == 0 && put.errors == "")
    }
    #expect(try machine.feedsync("devices", "--state", disk.path).lines.count == 1)
    let diagnosis = try machine.diagnose()
    #expect(diagnosis.status == 0 && diagnosis.found == [])
  }

  @Test("with a relative XDG_DATA_HOME, which counts for nothing, is one device everywhere")
  func relative() throws {
    let machine = try Machine(initialised: false)
    let environment = machine.bareEnvironment.merging(["XDG_DATA_HOME": "data"]) { $1 }
    let joined = try machine.feedsync(
      "init", machine.folder.path, environment: environment, directory: machine.root)
    #expect(joined.status == 0)
    let list = try machine.feedsync("list", environment: environment, directory: machine.home)
    #expect(list.status == 0)
    let state = machine.home.path + "/.local/share/feedsync/default.json"
    #expect(FileManager.default.fileExists(atPath: state))
  }

  /// Runs a shell script in the machine's root, with the command as `$0`; returns its status.
  private func shell(_ script: String, on machine: Machine) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Command.binary.path]
    process.environment = machine.bareEnvironment
    process.currentDirectoryURL = machine.root
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test("with a state whose path is not UTF-8, or from a folder that is gone, makes none elsewhere")
  func unusablePaths() throws {
    let machine = try Machine(initialised: false)
    let marker = machine.folder.appending(path: "feedsync.container").path
    for script in [
      #"FEEDSYNC_STATE="$PWD/$(printf 's\377')" exec "$0" init folder"#,
      #"HOME="$PWD/$(printf 'h\377')" exec "$0" init folder"#,
      #"n="$(printf 'd\377')"; mkdir "$n" && cd "$n" && exec "$0" init ../folder --state s"#,
      #"f="$PWD/folder"; mkdir g && cd g && rmdir ../g && exec "$0" init "$f" --state s"#,
    ] {
      #expect(try shell(script, on: machine) == 78, "\(script)")
      #expect(!FileManager.default.fileExists(atPath: marker), "\(script)")
    }
  }

  @Test("takes the container's path by its bytes")
  func containerByBytes() throws {
    let machine = try Machine(initialised: false)
    let script =
      #"n="$(printf 'c\377')"; mkdir "$n" && cd "$n" && "$0" init . && cd / && "#
      + #"FEEDSYNC_CONTAINER="$OLDPWD" exec "$0" put n x '{}'"#
    #expect(try shell(script, on: machine) == 0)
  }

  @Test("chooses the container by --container, FEEDSYNC_CONTAINER, or the last initialised")
  func container() throws {
    let machine = try Machine()
    let second = machine.root.appending(path: "second")
    try Machine.makeDirectory(second)
    try machine.feedsync("init", second.path)
    try machine.feedsync("put", "n", "in-second", "{}")
    var environment = machine.environment
    environment["FEEDSYNC_CONTAINER"] = machine.folder.path
    try machine.feedsync("put", "n", "in-first", "{}", environment: environment)
    #expect(try machine.feedsync("list", "n").output == "in-second\n")
    #expect(try machine.feedsync("list", "n", environment: environment).output == "in-first\n")
    let option = try machine.feedsync(
      "list", "n", "--container", second.path, environment: environment)
    #expect(option.output == "in-second\n")
    let relative = try machine.feedsync(
      "list", "n", "--container", "./second/../folder", directory: machine.root)
    #expect(relative.output == "in-first\n")
  }

  @Test("without any container exits with 78")
  func none() throws {
    let machine = try Machine(initialised: false)
    for command in ["list", "dump", "import", "status", "watch"] {
      let run = try machine.feedsync(command, "--format", "json")
      #expect(run.status == 78, "\(command)")
      #expect(run.output == "")
      _ = try run.error()
    }
  }

  @Test("two states on one machine are two devices")
  func twoDevices() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    #expect(try machine.feedsync("list", "n", environment: bob).output == "")
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("list", "n", environment: bob).output == "x\n")
  }
}
