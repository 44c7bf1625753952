import CanonicalJSON
import Foundation
import Testing

@Suite("Several containers side by side", .serialized, .timeLimit(.minutes(3)))
struct ContainersCommandTests {
  /// One state with a device in two folders; the second is the default.
  private func twoContainers() throws -> (Machine, second: URL) {
    let machine = try Machine()
    let second = machine.root.appending(path: "second folder")
    try Machine.makeDirectory(second)
    let run = try machine.feedsync(
      "init", second.path, "--identifier", "org.second", "--device-name", "bea")
    try #require(run.status == 0, "\(run.errors)")
    return (machine, second)
  }

  private func list(_ machine: Machine) throws -> [String: JSONObject] {
    let run = try machine.feedsync("containers", "--format", "json")
    #expect(run.status == 0)
    var found: [String: JSONObject] = [:]
    for line in run.lines {
      let object = try #require(try JSON(parsing: Array(line.utf8)).object)
      found[object["id"]?.text ?? ""] = object
    }
    return found
  }

  private func container(_ machine: Machine, at folder: URL) throws -> JSONObject {
    try #require(try list(machine).values.first { $0["path"]?.text == folder.path })
  }

  @Test("are listed with folder, device, default and what waits")
  func listed() throws {
    let (machine, second) = try twoContainers()
    #expect(try list(machine).count == 2)
    try FileManager.default.moveItem(atPath: second.path, toPath: machine.root.path + "/kept")
    try machine.feedsync("put", "n", "x", "{}")
    let here = try container(machine, at: machine.folder)
    let away = try container(machine, at: second)
    #expect(here["default"] == .bool(false) && here["present"] == .bool(true))
    #expect(here["device"]?.object?["name"]?.text == "ann")
    #expect(here["unpublished"] == .integer(0) && here["error"] == .null)
    #expect(away["default"] == .bool(true) && away["present"] == .bool(false))
    #expect(away["identifier"]?.text == "org.second")
    #expect(away["unpublished"] == .integer(1) && away["documents"] == .integer(1))
    let text = try machine.feedsync("containers")
    #expect(text.output.contains("* \(away["id"]?.text ?? "?") org.second\n"))
    #expect(text.output.contains("folder \(second.path) (not there)\n"))
  }

  @Test("are none in a new state")
  func none() throws {
    let machine = try Machine(initialised: false)
    let run = try machine.feedsync("containers")
    #expect(run.status == 0 && run.output == "" && run.errors == "")
  }

  @Test("get writes by --container, FEEDSYNC_CONTAINER and the default, which can be chosen")
  func chosen() throws {
    let (machine, second) = try twoContainers()
    let id = try #require(try container(machine, at: machine.folder)["id"]?.text)
    func ids(_ folder: URL) throws -> [String] {
      try machine.feedsync("list", "n", "--container", folder.path).lines
    }
    try machine.feedsync("put", "n", "by-default", "{}")
    try machine.feedsync("put", "n", "by-option", "{}", "--container", machine.folder.path)
    var environment = machine.environment
    environment["FEEDSYNC_CONTAINER"] = machine.folder.path
    try machine.feedsync("put", "n", "by-variable", "{}", environment: environment)
    #expect(try machine.feedsync("containers", "default", String(id.prefix(8))).status == 0)
    try machine.feedsync("put", "n", "by-choice-of-id", "{}")
    #expect(try machine.feedsync("containers", "default", second.path).status == 0)
    try machine.feedsync("put", "n", "by-choice-of-folder", "{}")
    #expect(try ids(machine.folder) == ["by-choice-of-id", "by-option", "by-variable"])
    #expect(try ids(second) == ["by-choice-of-folder", "by-default"])
    // Each write is in its own folder only, and known only to that container.
    #expect(try container(machine, at: machine.folder)["documents"] == .integer(3))
    #expect(try machine.logs().count == 3)
  }

  @Test("refuse a default that is none of them")
  func unknown() throws {
    let (machine, second) = try twoContainers()
    let stranger = machine.root.appending(path: "stranger")
    try Machine.makeDirectory(stranger)
    for name in [stranger.path, "ffff", ""] {
      let run = try machine.feedsync("containers", "default", name, "--format", "json")
      #expect([66, 78].contains(run.status), "\(name)")
      _ = try run.error()
    }
    #expect(try container(machine, at: second)["default"] == .bool(true))
  }

  @Test("are chosen from anew where the file that says which one was is damaged, and named")
  func damagedChoice() throws {
    let (machine, second) = try twoContainers()
    let file = machine.state.appending(path: "default.json")
    for content in ["", "{\"container\":", "{\"container\":7}"] {
      try Data(content.utf8).write(to: file)
      let run = try machine.feedsync("list", "n", "--format", "json")
      #expect(run.status == 78, "\(content)")
      let error = try run.error()
      #expect(error["file"]?.text == file.path)
      #expect(error["message"]?.text?.contains("damaged") == true)
      #expect(try list(machine).values.allSatisfy { $0["default"] == .bool(false) })
    }
    #expect(try machine.feedsync("containers", "default", second.path).status == 0)
    #expect(try machine.feedsync("list", "n").status == 0)
  }

  @Test("are listed though one cannot be opened or stands where another did")
  func broken() throws {
    let (machine, second) = try twoContainers()
    let id = try #require(try container(machine, at: second)["id"]?.text)
    let database = machine.state.appending(path: "\(id)/store.sqlite")
    try Data("this is no database, though it is long enough to be one".utf8).write(to: database)
    for file in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database.path + file)
    }
    let found = try list(machine)
    #expect(found.count == 2)
    let error = try #require(found[id]?["error"]?.object)
    #expect(error["message"]?.text?.isEmpty == false)
    #expect(found[id]?["default"] == .bool(true))
    #expect(found.values.filter { $0["error"] == .null }.count == 1)
    let text = try machine.feedsync("containers")
    #expect(text.status == 0)
    #expect(text.output.contains("error: "))

    let other = #"{"container":"\#(String(repeating: "f", count: 32))","format":1,"#
    try Data((other + #""identifier":"other"}"#).utf8)
      .write(to: machine.folder.appending(path: "feedsync.container"))
    let all = try list(machine)
    #expect(all.values.allSatisfy { $0["error"] != .null })
  }

  @Test("can both be watched, each by a process of its own")
  func watched() throws {
    let (machine, second) = try twoContainers()
    let folders = [machine.folder, second]
    var others: [[String: String]] = []
    for (index, folder) in folders.enumerated() {
      var other = machine.other("other-\(index)")
      other["FEEDSYNC_CONTAINER"] = folder.path
      #expect(try machine.feedsync("init", folder.path, environment: other).status == 0)
      others.append(other)
    }
    let watches = try folders.map { folder in
      try RunningWatch(["--container", folder.path], environment: machine.environment)
    }
    for watch in watches { _ = try watch.next("watching") }
    for (index, other) in others.enumerated() {
      try machine.feedsync("put", "n", "in-\(index)", "{}", environment: other)
    }
    for (index, watch) in watches.enumerated() {
      let line = try watch.next("import")
      #expect(line["documents"]?.array?.first?.object?["id"]?.text == "in-\(index)")
      #expect(line["document_count"] == .integer(1))
      #expect(watch.terminate() == 0)
    }
    for (index, folder) in folders.enumerated() {
      #expect(
        try machine.feedsync("list", "n", "--container", folder.path).output == "in-\(index)\n")
    }
  }
}
