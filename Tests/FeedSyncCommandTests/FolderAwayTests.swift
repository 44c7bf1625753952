import CanonicalJSON
import Foundation
import Testing

@Suite("A folder that is away or another one") struct FolderAwayTests {
  private static let local: [[String]] = [
    ["put", "n", "y", "{}"], ["patch", "n", "y", #"{"a":1}"#], ["get", "n", "y"], ["list"],
    ["dump"], ["status"], ["load"], ["delete", "n", "y"],
  ]

  @Test("leaves local commands working with a warning", arguments: ["marker", "folder"])
  func away(what: String) throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let gone = what == "marker" ? machine.folder.path + "/feedsync.container" : machine.folder.path
    try FileManager.default.moveItem(atPath: gone, toPath: machine.root.path + "/kept")
    for arguments in Self.local {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 0, "\(arguments)")
      #expect(run.errors.contains("warning"), "\(arguments)")
    }
    for command in ["import", "watch"] {
      let run = try machine.feedsync(command, "--format", "json")
      #expect(run.status == 66)
      #expect(run.output == "")
      _ = try run.error()
    }
    try FileManager.default.moveItem(atPath: machine.root.path + "/kept", toPath: gone)
    let run = try machine.feedsync("import", "--format", "json")
    #expect(try run.json().object?["published"] == .integer(3))
  }

  @Test("that is away is told of once where attachments are removed")
  func attachments() throws {
    let machine = try Machine()
    let file = machine.root.appending(path: "a.txt")
    try Data("text".utf8).write(to: file)
    try #require(try machine.feedsync("attach", "n", "x", file.path).status == 0)
    try FileManager.default.removeItem(at: machine.folder)
    for (name, status) in [("none", 1), ("a.txt", 0)] as [(String, Int32)] {
      let run = try machine.feedsync("attachments", "remove", "n", "x", name)
      #expect(run.status == status)
      #expect(run.errors.split(separator: "warning").count == 2, "\(run.errors)")
      #expect(!run.errors.contains("what was written"), "\(run.errors)")
    }
  }

  @Test("that is away is known by any spelling of its path")
  func spelling() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    try FileManager.default.removeItem(at: machine.folder)
    for path in [machine.folder.path, machine.folder.path + "/", "folder", "./home/../folder"] {
      let run = try machine.feedsync(
        "list", "n", "--container", path, directory: machine.root)
      #expect(run.status == 0, "\(path)")
      #expect(run.output == "x\n")
    }
  }

  @Test("with another marker stops every command, and nothing is written")
  func otherMarker() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let marker = machine.folder.appending(path: "feedsync.container")
    let own = try Data(contentsOf: marker)
    let other = #"{"container":"\#(String(repeating: "f", count: 32))","format":1,"#
    try Data((other + #""identifier":"other"}"#).utf8).write(to: marker)
    let files = try machine.logs()
    for arguments in Self.local + [["import"], ["watch"]] {
      for container in [[], ["--container", machine.folder.path]] {
        let run = try Command.run(arguments + container, environment: machine.environment)
        #expect(run.status == 66, "\(arguments)")
        #expect(run.output == "")
      }
    }
    #expect(try machine.logs() == files)
    try own.write(to: marker)
    #expect(try machine.feedsync("list", "n").output == "x\n")
  }
}
