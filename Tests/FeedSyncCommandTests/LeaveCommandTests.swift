import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync leave", .timeLimit(.minutes(3))) struct LeaveCommandTests {
  @Test("publishes what waits, says what remains, and then no container is chosen")
  func leave() throws {
    let machine = try Machine()
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: machine.folder, to: kept)
    try machine.feedsync("put", "n", "x", "{}")
    try FileManager.default.moveItem(at: kept, to: machine.folder)
    let state = try machine.deviceState()
    let run = try machine.feedsync("leave", "--format", "json")
    #expect(run.status == 0)
    let done = try #require(try run.json().object)
    #expect(done["published"] == .integer(1))
    #expect(done["unpublished"] == .integer(0))
    #expect(done["pending_removals"] == .integer(0))
    #expect(done["was_default"] == .bool(true))
    #expect(done["state"]?.text == state.path)
    let files = try #require(done["files"]?.text)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
    let ignored = try String(
      contentsOf: machine.folder.appending(path: ".stignore"), encoding: .utf8)
    #expect(ignored.contains("*.nosync"))

    for arguments in [["list"], ["put", "n", "y", "{}"], ["import"], ["leave"]] {
      for container in [[], ["--container", machine.folder.path]] {
        let after = try Command.run(
          arguments + container + ["--format", "json"], environment: machine.environment)
        #expect(after.status == 78, "\(arguments + container)")
        #expect(after.output == "")
        _ = try after.error()
      }
    }
    #expect(try machine.feedsync("init", machine.folder.path).output == "joined\n")
    #expect(try machine.feedsync("list", "n").output == "x\n")
    let text = try machine.feedsync("leave").output
    #expect(text.contains("all that this device wrote is published"))
    #expect(text.contains(state.path))
  }

  @Test("says where versions of files are that this machine alone has, and leaves them there")
  func versions() throws {
    let machine = try Machine()
    let documents = machine.folder.appending(path: "Documents")
    try Machine.makeDirectory(documents)
    for name in ["r.txt", "r.sync-conflict-20260131-101500-ABCDEFG.txt"] {
      try Data(name.utf8).write(to: documents.appending(path: name))
    }
    try machine.feedsync("file", "resolve", "r.txt", "--keep", "current")
    let place = machine.state.appending(
      path: "versions/\(try machine.deviceState().lastPathComponent)")
    let left = try machine.feedsync("leave")
    #expect(
      left.lines.last == "a version of your own files stays on this machine alone: \(place.path)")
    try machine.feedsync("init", machine.folder.path)
    let deleted = try machine.feedsync("leave", "--delete-state", "--format", "json")
    #expect(try deleted.json().object?["kept_versions"] == .integer(1))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["r.txt"])
  }

  @Test("names the way back as a shell takes it, of a path with a space in it, too")
  func wayBack() throws {
    let machine = try Machine(initialised: false)
    let folder = machine.root.appending(path: "my sync")
    try Machine.makeDirectory(folder)
    try machine.feedsync("init", folder.path)
    #expect(try machine.feedsync("leave").output.contains("'feedsync init '\(folder.path)''"))
  }

  @Test("is refused while the folder is away and something waits, unless forced")
  func away() throws {
    let machine = try Machine()
    try FileManager.default.moveItem(
      at: machine.folder, to: machine.root.appending(path: "kept"))
    try machine.feedsync("put", "n", "x", "{}")
    for option in [[], ["--delete-state"]] {
      let run = try Command.run(
        ["leave", "--format", "json"] + option, environment: machine.environment)
      #expect(run.status == 66)
      #expect(run.output == "")
      let message = try run.error()["message"]?.text ?? ""
      #expect(message.contains("1 transaction is not published"))
    }
    #expect(try machine.feedsync("list", "n").output == "x\n")
    #expect(try machine.feedsync("leave", "--force", "--delete-state").status == 64)
    let forced = try machine.feedsync("leave", "--force", "--format", "json").json().object
    #expect(forced?["unpublished"] == .integer(1))
    #expect(try machine.feedsync("list", "n").status == 78)
  }

  @Test("is refused while the device is watched, naming the process")
  func watched() throws {
    let machine = try Machine()
    let watch = try RunningWatch(environment: machine.environment)
    _ = try watch.next("watching")
    for option in ["--force", "--delete-state"] {
      let run = try machine.feedsync("leave", option, "--format", "json")
      #expect(run.status == 75)
      let message = try run.error()["message"]?.text ?? ""
      #expect(message.contains("\(watch.process.processIdentifier)"))
    }
    #expect(watch.terminate() == 0)
    #expect(try machine.feedsync("leave").status == 0)
  }

  @Test("--delete-state removes the database once the folder holds all; 75 while it does not")
  func deleteState() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":1}"#, environment: bob)
    try machine.feedsync("import")
    let file = try #require(try machine.logs().first)
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: file, to: kept)
    let refused = try machine.feedsync("leave", "--delete-state", "--format", "json")
    #expect(refused.status == 75)
    #expect(try refused.error()["message"]?.text?.contains("bob") == true)
    #expect(try machine.feedsync("list", "n").output == "x\n")
    try FileManager.default.moveItem(at: kept, to: file)
    let done = try machine.feedsync("leave", "--delete-state", "--format", "json").json().object
    #expect(done?["state"] == .null)
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.state.path) == ["lock"])
    try machine.feedsync("init", machine.folder.path)
    try machine.feedsync("import")
    #expect(try machine.feedsync("get", "n", "x").output == "{\"a\":1}\n")
    #expect(try machine.logs() == [file])
  }

  @Test("--delete-state says how a device that stays looks after its files, and that one does")
  func lookingAfter() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    let file = try #require(try machine.logs().first)
    try machine.feedsync("import", environment: bob)
    let left = try machine.feedsync("leave", "--delete-state")
    let line = try #require(left.lines.first { $0.contains("feedsync devices retire") })
    let id = try #require(line.split(separator: " ").last)
    try FileManager.default.removeItem(at: file)
    let retired = try machine.feedsync("devices", "retire", String(id), environment: bob)
    #expect(retired.lines == ["retired; 1 file put back"])
    #expect(try machine.logs() == [file])
  }

  @Test("--delete-state says that of each stream in which a device wrote that was rebuilt")
  func lookingAfterRebuilt() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    let file = try #require(try machine.logs().first)
    for _ in 1...2 { try machine.feedsync("rebuild") }
    try machine.feedsync("import", environment: bob)
    let left = try machine.feedsync("leave", "--delete-state")
    let directory = file.deletingLastPathComponent().lastPathComponent
    #expect(left.lines.contains { $0.hasSuffix("logs/\(directory)") })
    let ids = left.lines.filter { $0.contains("feedsync devices retire") }
      .compactMap { $0.split(separator: " ").last.map(String.init) }
    // Under the ids that it got since it has written nothing, and nobody knows them.
    #expect(ids == [String(directory.prefix(8))])
    try FileManager.default.removeItem(at: file)
    let retired = try machine.feedsync("devices", "retire", ids.first ?? "", environment: bob)
    #expect(retired.lines == ["retired; 1 file put back"])
  }

  @Test("--delete-state says that the databases stay which were put aside")
  func putAside() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    let old = try machine.feedsync("rebuild", "--format", "json").json().object?["old_state"]?.text
    let path = try #require(old)
    let left = try machine.feedsync("leave", "--delete-state")
    #expect(left.lines.contains("an older database stays, too: \(path)"))
    #expect(FileManager.default.fileExists(atPath: path))
  }
}
