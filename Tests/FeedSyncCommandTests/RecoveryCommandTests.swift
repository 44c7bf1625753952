import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync rebuild", .timeLimit(.minutes(3))) struct RebuildCommandTests {
  /// A machine with a document that is published and one that is not.
  private static func machine() throws -> Machine {
    let machine = try Machine()
    try machine.feedsync("put", "n", "published", #"{"n":1}"#)
    let away = machine.root.appending(path: "away")
    try FileManager.default.moveItem(at: machine.folder, to: away)
    try machine.feedsync("put", "n", "waiting", #"{"n":2}"#)
    try FileManager.default.moveItem(at: away, to: machine.folder)
    return machine
  }

  @Test("puts the old database aside, and loses nothing that it holds")
  func healthy() throws {
    let machine = try Self.machine()
    let run = try machine.feedsync("rebuild", "--format", "json")
    #expect(run.status == 0, "\(run.errors)")
    let report = try #require(try run.json().object)
    #expect(
      report.keys == [
        "continued", "documents", "incomplete", "old_state", "recovered", "removals", "segments",
        "unreadable",
      ])
    #expect(report["recovered"] == .integer(1))
    #expect(report["segments"] == .integer(2))
    #expect(report["documents"] == .integer(2))
    #expect(report["removals"] == .integer(0))
    #expect(report["unreadable"] == .integer(0))
    let old = try #require(report["old_state"]?.text)
    #expect(FileManager.default.fileExists(atPath: old + "/store.sqlite"))
    #expect(try machine.feedsync("list", "n").output == "published\nwaiting\n")
    let devices = try machine.feedsync("devices")
    #expect(devices.lines.count == 2)
    #expect(devices.output.contains("this device, until it was copied, restored or rebuilt"))
    let diagnosis = try machine.diagnose()
    #expect(diagnosis.status == 0 && diagnosis.found == ["note older-databases"])
    #expect(try machine.feedsync("status").output.contains("problem:") == false)
    // Its former files are its own: what the folder loses of them, it puts back.
    for file in try machine.logs() { try FileManager.default.removeItem(at: file) }
    let healed = try machine.feedsync("import", "--format", "json").json().object
    #expect(healed?["put_back"] == .integer(2))
    #expect(try machine.feedsync("rebuild").output.contains("the old database is kept: "))
  }

  @Test("of a damaged database says what it cannot give, and so do status and doctor from then on")
  func damaged() throws {
    let machine = try Self.machine()
    let file = try machine.deviceState().appending(path: "store.sqlite")
    try Data("no database at all\n".utf8).write(to: file)
    #expect(try machine.feedsync("list", "n").status == 74)
    // Only the folder says what is to be rebuilt.
    let unnamed = try machine.feedsync("rebuild", "--format", "json")
    #expect(unnamed.status == 74)
    #expect(try unnamed.error()["hint"]?.text?.contains("rebuild --container DIR") == true)
    let run = try machine.feedsync("rebuild", "--container", machine.folder.path)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains(" gives nothing: the local database is damaged"))
    #expect(try machine.feedsync("list", "n").output == "published\n")
    let diagnosis = try machine.diagnose()
    #expect(diagnosis.status == 1 && diagnosis.found == ["warning older-databases"])
    #expect(try machine.feedsync("status").output.contains("problem: "))
    let initialised = try machine.feedsync("init", machine.folder.path)
    #expect(initialised.output == "joined\n")
    #expect(initialised.errors.contains(" gives nothing: "))
    let again = try machine.feedsync("rebuild", "--format", "json").json().object
    #expect(again?["incomplete"] == .bool(true))
    let old = try #require(diagnosis.findings.first?["file"]?.text)
    try FileManager.default.removeItem(atPath: old)
    #expect(try machine.diagnose().found == ["note older-databases"])
  }

  @Test("that was interrupted is gone on with by itself, named or not, and by init")
  func interrupted() throws {
    for arguments in [["rebuild"], ["rebuild", "--container"], ["init"]] {
      let machine = try Self.machine()
      let state = try machine.deviceState()
      try FileManager.default.moveItem(
        at: state, to: machine.state.appending(path: "\(state.lastPathComponent).old-1"))
      let folder = arguments == ["rebuild"] ? [] : [machine.folder.path]
      let run = try Command.run(arguments + folder, environment: machine.environment)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      let said = arguments == ["init"] ? run.errors : run.output
      #expect(said.contains("published 1 segment that the folder did not have"))
      try machine.feedsync("import")
      #expect(try machine.feedsync("list", "n").output == "published\nwaiting\n")
      #expect(try machine.diagnose().found == ["note older-databases"])
    }
  }

  @Test("that is not done yet is told of by each import, until it is")
  func unfinished() throws {
    let machine = try Self.machine()
    let run = try machine.feedsync("rebuild", "--format", "json")
    let old = try #require(try run.json().object?["old_state"]?.text)
    #expect(try machine.feedsync("import").errors == "")
    // As where the folder was full: nothing is noted of what it has given.
    try FileManager.default.removeItem(atPath: old + "/salvage.json")
    let told = try machine.feedsync("import", "--once")
    #expect(told.status == 0)
    #expect(told.errors.contains("has not given all that it holds"))
    #expect(try machine.feedsync("init", machine.folder.path).status == 0)
    #expect(try machine.feedsync("import").errors == "")
  }

  @Test("that is not done yet is told of by each command that reads or writes, until it is")
  func beingMadeAnew() throws {
    let machine = try Self.machine()
    let run = try machine.feedsync("rebuild", "--format", "json")
    let old = try #require(try run.json().object?["old_state"]?.text)
    let commands = [
      ["dump"], ["list", "n"], ["get", "n", "published"], ["put", "n", "published", "{}"],
      ["sql", "SELECT count(*) FROM documents"],
    ]
    for command in commands {
      #expect(try Command.run(command, environment: machine.environment).errors == "", "\(command)")
    }
    // As where it was killed before it had imported what it published.
    try FileManager.default.removeItem(atPath: old + "/salvage.json")
    try Data(#"{"progress":"handed-over"}"#.utf8).write(
      to: machine.deviceState().appending(path: "rebuilding.json"))
    for command in commands {
      let told = try Command.run(command, environment: machine.environment)
      #expect(told.status == 0)
      #expect(told.errors.contains("has not given all that it holds"), "\(command)")
    }
    #expect(try machine.feedsync("init", machine.folder.path).status == 0)
    for command in commands {
      #expect(try Command.run(command, environment: machine.environment).errors == "", "\(command)")
    }
  }

  @Test("is refused while the device is watched, under another marker, and with nothing to rebuild")
  func refused() throws {
    let machine = try Self.machine()
    let watch = try RunningWatch(environment: machine.environment)
    _ = try watch.next("watching")
    #expect(try machine.feedsync("rebuild", "--format", "json").status == 75)
    #expect(watch.terminate() == 0)
    let other = try Machine()
    let marker = "feedsync.container"
    let own = machine.folder.appending(path: marker)
    try FileManager.default.removeItem(at: own)
    try FileManager.default.copyItem(at: other.folder.appending(path: marker), to: own)
    let refused = try machine.feedsync("rebuild", "--format", "json")
    #expect(refused.status == 66)
    _ = try refused.error()
    #expect(try machine.state(of: machine.state).count == 1)
    #expect(try Machine(initialised: false).feedsync("rebuild").status == 78)
  }
}

@Suite("feedsync init --adopt", .timeLimit(.minutes(3))) struct AdoptCommandTests {
  /// Two machines that ran `init` before their folders had met; the second then gets the first
  /// one's marker and files.
  private static func machines() throws -> (Machine, Machine) {
    let (ann, bob) = (try Machine(), try Machine())
    try ann.feedsync("put", "n", "ann", "{}")
    try bob.feedsync("put", "n", "bob", "{}")
    try bob.feedsync("settings", "set", "horizon", "33d")
    let away = bob.root.appending(path: "away")
    try FileManager.default.moveItem(at: bob.folder, to: away)
    try bob.feedsync("put", "n", "waiting", "{}")
    try FileManager.default.moveItem(at: away, to: bob.folder)
    let marker = bob.folder.appending(path: "feedsync.container")
    try FileManager.default.removeItem(at: marker)
    try FileManager.default.copyItem(
      at: ann.folder.appending(path: "feedsync.container"), to: marker)
    try ann.carryLogs(to: bob)
    return (ann, bob)
  }

  @Test("brings all along, also what waited, and leaves nothing set aside on either machine")
  func everything() throws {
    let (ann, bob) = try Self.machines()
    #expect(try bob.feedsync("list", "n").status == 66)
    let run = try bob.feedsync("init", bob.folder.path, "--adopt", "--format", "json")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try bob.feedsync("settings").output.contains("33d"))
    let done = try #require(try run.json().object)
    #expect(done["result"]?.text == "joined")
    #expect(done["recovered"] == .integer(2))
    #expect(try bob.feedsync("list", "n").output == "ann\nbob\nwaiting\n")
    let imported = try bob.feedsync("import", "--format", "json")
    #expect(imported.status == 0)
    #expect(try imported.json().object?["set_aside"] == .array([]))
    let status = try bob.feedsync("status", "--format", "json").json().object
    #expect(status?["duplicates"]?.array?.count == 1)
    #expect(
      try bob.diagnose().found.allSatisfy { $0.hasPrefix("note") })
    try bob.carryLogs(to: ann)
    #expect(try ann.feedsync("import").status == 0)
    #expect(try ann.feedsync("list", "n").output == "ann\nbob\nwaiting\n")
    // Done again, it finds nothing new.
    let again = try bob.feedsync("init", bob.folder.path, "--adopt", "--format", "json")
    #expect(try again.json().object?["recovered"] == .integer(0))
  }

  @Test("is refused where there is nothing to adopt, and where the old container is watched")
  func refused() throws {
    let machine = try Machine()
    let run = try machine.feedsync("init", machine.folder.path, "--adopt", "--format", "json")
    #expect(run.status == 66)
    _ = try run.error()
  }

  @Test("of what another machine wrote there later is asked for again, which the doctor says")
  func late() throws {
    let (_, bob) = try Self.machines()
    try bob.feedsync("init", bob.folder.path, "--adopt")
    let carol = try Machine()
    try carol.feedsync("put", "n", "carol", "{}")
    try carol.carryLogs(to: bob)
    let run = try bob.feedsync("import")
    #expect(run.status == 65)
    let finding = try bob.diagnose().findings.first { $0["check"]?.text == "set-aside" }
    #expect(finding?["hint"]?.text?.contains("--adopt") == true)
  }
}

extension AdoptCommandTests {
  @Test("is what the doctor names where the other one was joined without")
  func without() throws {
    let (_, bob) = try Self.machines()
    let refused = try bob.feedsync("init", bob.folder.path, "--format", "json")
    #expect(refused.status == 66)
    #expect(try refused.error()["hint"]?.text?.contains("--adopt") == true)
    #expect(try bob.feedsync("get", "n", "ann").status == 66)
    #expect(try bob.feedsync("init", bob.folder.path, "--join").output == "joined\n")
    let finding = try bob.diagnose().findings.first {
      $0["message"]?.text?.contains("another container has come in the place of") == true
    }
    #expect(finding?["severity"]?.text == "warning")
    #expect(finding?["message"]?.text?.contains("1 transaction there") == true)
    #expect(finding?["hint"]?.text?.contains("--adopt") == true)
    #expect(try bob.feedsync("init", bob.folder.path, "--adopt").status == 0)
    #expect(try bob.feedsync("list", "n").output == "ann\nbob\nwaiting\n")
  }
}

@Suite("feedsync devices retire") struct RetireCommandTests {
  @Test("puts back what the folder loses of a device that never comes back")
  func retire() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    try machine.feedsync("import", environment: bob)
    let file = try #require(try machine.logs().first)
    let bytes = try Data(contentsOf: file)
    try FileManager.default.removeItem(at: file)
    let before = try machine.feedsync("import", "--format", "json", environment: bob)
    #expect(before.status == 0 && !before.output.contains("put_back"))
    let run = try machine.feedsync("devices", "retire", "ann", environment: bob)
    #expect(run.status == 0)
    #expect(run.output == "retired; 1 file put back\n")
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try machine.feedsync("devices", environment: bob).output.contains(", retired "))
    let again = try machine.feedsync(
      "devices", "retire", "ann", "--format", "json", environment: bob)
    let report = try #require(try again.json().object)
    #expect(report.keys == ["device", "put_back"])
    #expect(report["put_back"] == .integer(0))
    // As 'import' does, where files are set aside.
    let cut = file.deletingLastPathComponent().appending(path: "cut.log")
    try Data("cut".utf8).write(to: cut)
    #expect(try machine.feedsync("devices", "retire", "ann", environment: bob).status == 65)
    try FileManager.default.removeItem(at: cut)
    // A database made anew goes on with it.
    try machine.feedsync("rebuild", environment: bob)
    #expect(try machine.feedsync("devices", environment: bob).output.contains(", retired "))
  }

  @Test("names no device that is not there, and not this one")
  func refused() throws {
    let machine = try Machine()
    let unknown = try machine.feedsync("devices", "retire", "nobody", "--format", "json")
    #expect(unknown.status == 1)
    _ = try unknown.error()
    let own = try machine.feedsync("devices", "retire", "ann", "--format", "json")
    #expect(own.status == 64)
    _ = try own.error()
  }
}

extension Machine {
  /// The containers that a state has a directory of.
  fileprivate func state(of url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.count >= 32 }
  }

  /// Does what a syncer does with what stands under `logs/`.
  fileprivate func carryLogs(to other: Machine) throws {
    for file in try logs() {
      let directory = other.folder.appending(
        path: "logs/\(file.deletingLastPathComponent().lastPathComponent)")
      try Self.makeDirectory(directory)
      let place = directory.appending(path: file.lastPathComponent)
      guard !FileManager.default.fileExists(atPath: place.path) else { continue }
      try FileManager.default.copyItem(at: file, to: place)
    }
  }
}
