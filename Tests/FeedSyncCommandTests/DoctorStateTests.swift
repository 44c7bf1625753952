import CanonicalJSON
import Foundation
import Testing

/// What `doctor` finds in the local state, and of the service.
@Suite("feedsync doctor, of the local state,") struct DoctorStateTests {
  @Test("tells of one in a folder that is synced (lesson 24), and what syncs it")
  func synced() throws {
    let machine = try Machine()
    let place = machine.root.appending(path: "cloud")
    try Machine.makeDirectory(place)
    var environment = machine.environment
    environment["FEEDSYNC_STATE"] = place.appending(path: "deep/state").path
    try machine.feedsync("init", machine.folder.path, environment: environment)
    #expect(try machine.diagnose(environment: environment).found == [])
    try Machine.makeDirectory(place.appending(path: ".stfolder"))
    let run = try machine.diagnose(environment: environment)
    #expect(run.status == 1 && run.found == ["error state"])
    #expect(run.findings.first?["message"]?.text?.contains("which Syncthing syncs") == true)
  }

  @Test("tells of one that others may look into")
  func modes() throws {
    let machine = try Machine()
    let places = [machine.state, try machine.deviceState()]
    for place in places {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
    }
    let run = try machine.diagnose()
    #expect(run.found == ["warning state", "warning state"])
    #expect(run.findings.compactMap { $0["file"]?.text } == places.map(\.path))
  }

  @Test("tells of containers that are gone, were left, or cannot be opened")
  func others() throws {
    let machine = try Machine()
    let second = machine.root.appending(path: "second")
    try Machine.makeDirectory(second)
    try machine.feedsync("init", second.path)
    #expect(try machine.diagnose("--container", machine.folder.path).found == [])
    try FileManager.default.moveItem(at: second, to: machine.root.appending(path: "gone"))
    let gone = try machine.diagnose("--container", machine.folder.path)
    #expect(gone.status == 0 && gone.found == ["note other-states"])
    try machine.feedsync("put", "n", "x", "{}")
    let waiting = try machine.diagnose("--container", machine.folder.path)
    #expect(waiting.status == 1 && waiting.found == ["warning other-states"])
    #expect(
      waiting.findings.first?["message"]?.text?.contains("1 transaction there") == true)
  }

  @Test("tells of a database that cannot be opened once, and of none but the one asked about")
  func damaged() throws {
    let machine = try Machine()
    let database = try machine.deviceState().appending(path: "store.sqlite")
    let second = machine.root.appending(path: "second")
    try Machine.makeDirectory(second)
    #expect(try machine.feedsync("init", second.path).status == 0)
    try Data("no database at all\n".utf8).write(to: database)
    let folder = machine.folder.path
    #expect(try machine.diagnose("--container", folder).found == ["error device"])
    let beside = try machine.diagnose("--container", second.path)
    #expect(beside.found == ["warning other-states"])
    #expect(beside.findings.first?["file"]?.text == database.path)
  }

  @Test("tells of one that was put back to before what others have of it")
  func putBack() throws {
    let machine = try Machine()
    let database = try machine.deviceState().appending(path: "store.sqlite")
    let before = try Data(contentsOf: database)
    try machine.feedsync("put", "n", "x", "{}")
    #expect(try machine.diagnose().found == [])
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database.path + suffix)
    }
    try before.write(to: database)
    // It writes before it sees what it had written.
    let away = machine.root.appending(path: "away")
    try FileManager.default.moveItem(at: machine.folder, to: away)
    try machine.feedsync("put", "n", "y", "{}")
    try FileManager.default.moveItem(at: away, to: machine.folder)
    let run = try machine.feedsync("import", "--format", "text")
    #expect(run.output.contains("goes on as a new one"), "\(run.output)")
    let found = try machine.diagnose()
    #expect(found.status == 0 && found.found == ["note clone"])
    #expect(try machine.feedsync("dump").output.split(separator: "\n").count >= 2)
  }

  @Test("tells of settings that somebody has broken")
  func settings() throws {
    let machine = try Machine()
    try machine.feedsync("settings", "set", "grace", "1d")
    #expect(try machine.diagnose().found == [])
    let names = try FileManager.default.contentsOfDirectory(atPath: machine.state.path)
    let name = try #require(names.first { $0.hasSuffix(".settings.json") })
    for broken in [#"{"grace":"soon"}"#, "{"] {
      try Data(broken.utf8).write(to: machine.state.appending(path: name))
      let run = try machine.diagnose()
      #expect(run.status == 1 && run.found == ["warning settings"])
      #expect(run.findings.first?["file"]?.text?.hasSuffix(name) == true)
    }
  }

  @Test("tells of a watch that was killed")
  func deadWatch() throws {
    let machine = try Machine()
    let lock = try machine.deviceState().appending(path: "locks/watch")
    try Machine.makeDirectory(lock.deletingLastPathComponent())
    // More than any process's number can be.
    try Data("99999999\n".utf8).write(to: lock)
    let run = try machine.diagnose()
    #expect(run.found == ["note watch"])
    #expect(run.findings.first?["message"]?.text?.contains("process 99999999") == true)
  }

  @Test("tells of a service that is installed and does not run")
  func service() throws {
    let machine = try Machine()
    let bin = machine.root.appending(path: "bin")
    try Machine.makeDirectory(bin)
    let systemctl = bin.appending(path: "systemctl")
    func answer(_ script: String) throws {
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: systemctl)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: systemctl.path)
    }
    var environment = machine.environment
    environment["PATH"] = bin.path + ":/usr/bin:/bin"
    try answer("echo no bus >&2; exit 1")
    #expect(try machine.diagnose(environment: environment).found == [])
    try machine.feedsync("service", "install", environment: environment)
    let unknown = try machine.diagnose(environment: environment)
    #expect(unknown.status == 0 && unknown.found == ["note service"])
    let directory = machine.home.appending(path: ".config/systemd/user")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    let unit = directory.appending(path: try #require(names.first { $0.hasSuffix(".service") }))
    let loaded = "echo LoadState=loaded; echo FragmentPath=\(unit.path); echo ActiveState="
    try answer(loaded + "failed; echo ExecMainStatus=78")
    let failed = try machine.diagnose(environment: environment)
    #expect(failed.status == 1 && failed.found == ["error service"])
    #expect(failed.findings.first?["message"]?.text?.contains("exit status 78") == true)
    try answer(loaded + "active; echo SubState=running; echo MainPID=\(getpid())")
    #expect(try machine.diagnose(environment: environment).found == [])
  }
}
