import Foundation
import Testing

@Suite("Permissions", .serialized) struct PermissionTests {
  @Test("of the state are the owner's alone, whatever the umask")
  func state() throws {
    let machine = try Machine(initialised: false)
    try Shell.run("umask 000; \"$0\" init \"$1\"", machine)
    try Shell.run("umask 000; \"$0\" put n x '{}'", machine)
    let manager = FileManager.default
    let device = try machine.deviceState()
    #expect(try machine.mode(machine.state) == 0o700)
    #expect(try machine.mode(device) == 0o700)
    var files: [String] = []
    for name in try manager.subpathsOfDirectory(atPath: machine.state.path) {
      let url = machine.state.appending(path: name)
      var isDirectory: ObjCBool = false
      _ = manager.fileExists(atPath: url.path, isDirectory: &isDirectory)
      #expect(try machine.mode(url) == (isDirectory.boolValue ? 0o700 : 0o600), "\(name)")
      if !isDirectory.boolValue { files.append(url.lastPathComponent) }
    }
    #expect(files.contains("store.sqlite"))
    #expect(files.contains("default.json"))
  }

  @Test("of files in the container follow the umask", arguments: ["022", "002", "077", "000"])
  func container(umask: String) throws {
    let machine = try Machine(initialised: false)
    let mask = try #require(Int(umask, radix: 8))
    try Shell.run("umask \(umask); \"$0\" init \"$1\" && \"$0\" put n x '{}'", machine)
    let segment = try #require(try machine.logs().first)
    #expect(try machine.mode(segment) == 0o666 & ~mask)
    #expect(try machine.mode(segment.deletingLastPathComponent()) == 0o777 & ~mask)
    let marker = machine.folder.appending(path: "feedsync.container")
    #expect(try machine.mode(marker) == 0o666 & ~mask)
  }

  @Test("of the syncer's ignore file are those of its folder, or stay what they were")
  func ignoreFile() throws {
    let machine = try Machine(initialised: false)
    let manager = FileManager.default
    let file = machine.folder.appending(path: ".stignore")
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: machine.folder.path)
    try Shell.run("umask 077; \"$0\" init \"$1\"", machine)
    #expect(try machine.mode(file) == 0o644)
    try Data("// mine\n".utf8).write(to: file)
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    try Shell.run("umask 022; \"$0\" init \"$1\"", machine)
    #expect(try machine.mode(file) == 0o640)
    #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("// mine\n"))
  }

  @Test("of one's own folder are no problem, whatever the umask")
  func noProblem() throws {
    let machine = try Machine(initialised: false)
    try Shell.run("umask 077; \"$0\" init \"$1\" && \"$0\" put n x '{}'", machine)
    let run = try machine.feedsync("status", "--format", "json")
    #expect(try run.json().object?["problems"]?.array?.isEmpty == true)
    #expect(run.errors == "")
  }
}

/// A shell around the command, for what a process can only inherit.
enum Shell {
  /// Runs a script with the binary as `$0` and the folder as `$1`.
  @discardableResult
  static func run(_ script: String, _ machine: Machine) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Command.binary.path, machine.folder.path]
    process.environment = machine.environment
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
