import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync init") struct InitTests {
  @Test("says whether it created or joined, and is the same device when run again")
  func createdAndJoined() throws {
    let machine = try Machine(initialised: false)
    let first = try machine.feedsync("init", machine.folder.path)
    #expect(first.output == "created\n")
    #expect(first.errors == "")
    #expect(try machine.feedsync("init", machine.folder.path).output == "joined\n")
    let other = try machine.feedsync(
      "init", machine.folder.path, environment: machine.other("other"))
    #expect(other.output == "joined\n")
    let again = try machine.feedsync("init", machine.folder.path, "--format", "json").json()
    let device = try machine.feedsync("status", "--format", "json").json()
    #expect(again.object?["device"]?.object?["id"] == device.object?["device"]?.object?["id"])
  }

  @Test("puts back a marker that is gone, and says so")
  func restoredMarker() throws {
    let machine = try Machine()
    try machine.feedsync("put", "notes", "a", "{}")
    let marker = machine.folder.appending(path: "feedsync.container")
    let content = try Data(contentsOf: marker)
    try FileManager.default.removeItem(at: marker)
    #expect(try machine.feedsync("import").status == 66)
    let run = try machine.feedsync("init", machine.folder.path)
    #expect(run.output == "joined\n")
    #expect(run.errors.contains("feedsync.container was missing, and was put back"))
    #expect(try Data(contentsOf: marker) == content)
    #expect(try machine.feedsync("import").status == 0)
  }

  // Lesson 6.
  @Test("never creates the folder")
  func folderMissing() throws {
    let machine = try Machine(initialised: false)
    let missing = machine.root.appending(path: "missing")
    let run = try machine.feedsync("init", missing.path, "--format", "json")
    #expect(run.status == 66)
    #expect(run.output == "")
    #expect(try run.error()["file"]?.text == missing.path)
    #expect(!FileManager.default.fileExists(atPath: missing.path))
  }

  @Test("says of what is no folder that it is none")
  func ofAFile() throws {
    let machine = try Machine(initialised: false)
    let file = machine.root.appending(path: "file")
    try Data().write(to: file)
    let link = machine.root.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    for place in [file, link] {
      let run = try machine.feedsync("init", place.path, "--format", "json")
      #expect(run.status == 66 && run.output.isEmpty)
      let error = try run.error()
      #expect(error["file"]?.text == file.path)
      #expect(error["message"]?.text?.contains("no folder") == true)
      #expect(error["hint"]?.text?.contains("mount") == false)
    }
  }

  @Test("--join creates nothing")
  func join() throws {
    let machine = try Machine(initialised: false)
    let run = try machine.feedsync("init", machine.folder.path, "--join")
    #expect(run.status == 66)
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder.path).isEmpty)
    try machine.feedsync("init", machine.folder.path, environment: machine.other("other"))
    #expect(try machine.feedsync("init", machine.folder.path, "--join").output == "joined\n")
  }

  @Test("refuses another identifier than the container has")
  func identifier() throws {
    let machine = try Machine(initialised: false)
    let folder = machine.folder.path
    #expect(try machine.feedsync("init", folder, "--identifier", "org.a").status == 0)
    let other = machine.other("other")
    let wrong = try machine.feedsync(
      "init", folder, "--identifier", "org.b", environment: other)
    #expect(wrong.status == 78)
    let right = try machine.feedsync(
      "init", folder, "--identifier", "org.a", environment: other)
    #expect(right.output == "joined\n")
  }

  // Lesson 24.
  @Test("refuses a state inside of the folder, and a folder inside of the state")
  func nesting() throws {
    let machine = try Machine(initialised: false)
    let folder = machine.folder
    let inner = folder.appending(path: "inner")
    try Machine.makeDirectory(inner)
    let link = machine.root.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    let pairs = [
      (folder.appending(path: "state").path, folder.path), (folder.path, folder.path),
      (folder.path, inner.path), (link.path + "/deep/state", folder.path),
    ]
    for (state, container) in pairs {
      let run = try machine.feedsync("init", container, "--state", state)
      #expect(run.status == 78, "\(state) and \(container)")
      #expect(!FileManager.default.fileExists(atPath: container + "/feedsync.container"))
    }
  }

  @Test("refuses device names that are empty, too long or not printable")
  func deviceName() throws {
    let machine = try Machine(initialised: false)
    for name in ["", String(repeating: "x", count: 65), "a\nb"] {
      let run = try machine.feedsync("init", machine.folder.path, "--device-name", name)
      #expect(run.status == 65, "\(name)")
    }
  }

  @Test("writes one marked block into .stignore, in front of what is there")
  func ignoreFile() throws {
    let machine = try Machine(initialised: false)
    let file = machine.folder.appending(path: ".stignore")
    try Data("*.mine\n".utf8).write(to: file)
    try machine.feedsync("init", machine.folder.path)
    try machine.feedsync("init", machine.folder.path)
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.last == "*.mine")
    #expect(lines.filter { $0 == "*.nosync" }.count == 1)
    #expect(lines.contains("*.nosync*"))
    #expect(lines.allSatisfy { !$0.hasPrefix("/") || $0.hasPrefix("//") })
  }

  @Test("writes .stignore into the nearest folder upwards that holds .stfolder")
  func ignoreFileUpwards() throws {
    let machine = try Machine(initialised: false)
    let inner = machine.folder.appending(path: "a/b")
    try Machine.makeDirectory(inner)
    try Machine.makeDirectory(machine.root.appending(path: ".stfolder"))
    try Machine.makeDirectory(machine.folder.appending(path: ".stfolder"))
    try machine.feedsync("init", inner.path)
    let manager = FileManager.default
    #expect(manager.fileExists(atPath: machine.folder.path + "/.stignore"))
    #expect(!manager.fileExists(atPath: inner.path + "/.stignore"))
    #expect(!manager.fileExists(atPath: machine.root.path + "/.stignore"))
  }

  @Test("makes no container in a folder of another, and joins one that is there")
  func insideAnother() throws {
    let machine = try Machine()
    let inner = machine.folder.appending(path: "a/b")
    try Machine.makeDirectory(inner)
    let run = try machine.feedsync("init", inner.path, "--format", "json")
    #expect(run.status == 78 && run.output.isEmpty)
    let error = try run.error()
    #expect(error["file"]?.text == inner.path)
    #expect(error["message"]?.text?.contains("\(machine.folder.path),") == true)
    #expect(error["hint"]?.text?.contains("beside") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: inner.path).isEmpty)
    // As an older version has made it.
    let beside = machine.root.appending(path: "beside")
    try Machine.makeDirectory(beside)
    try machine.feedsync("init", beside.path, environment: machine.other("other"))
    try FileManager.default.copyItem(
      at: beside.appending(path: "feedsync.container"),
      to: inner.appending(path: "feedsync.container"))
    #expect(try machine.feedsync("init", inner.path).output == "joined\n")
  }

  @Test("makes no container around another, but around what a syncer has kept of one")
  func aroundAnother() throws {
    let machine = try Machine(initialised: false)
    let inner = machine.folder.appending(path: "inner")
    try Machine.makeDirectory(inner)
    try machine.feedsync("init", inner.path)
    let run = try machine.feedsync("init", machine.folder.path, "--format", "json")
    #expect(run.status == 78 && run.output.isEmpty)
    let error = try run.error()
    #expect(error["file"]?.text == machine.folder.path)
    #expect(error["message"]?.text?.contains("\(inner.path),") == true)
    #expect(error["hint"]?.text?.contains("beside") == true)
    let manager = FileManager.default
    #expect(!manager.fileExists(atPath: machine.folder.path + "/feedsync.container"))
    try manager.moveItem(
      at: inner, to: machine.folder.appending(path: ".stversions"))
    #expect(try machine.feedsync("init", machine.folder.path).output == "created\n")
  }

  @Test("ends with 66 where there is no such folder, and with 64 where two ways are asked for")
  func noFolder() throws {
    let machine = try Machine(initialised: false)
    let missing = machine.root.appending(path: "missing").path
    let file = machine.root.appending(path: "file")
    try Data().write(to: file)
    for folder in [missing, file.appending(path: "x").path] {
      for way in [[], ["--join"], ["--adopt"]] {
        let run = try Command.run(["init", folder] + way, environment: machine.environment)
        #expect(run.status == 66, "\(folder) \(way) \(run.errors)")
      }
    }
    let both = try machine.feedsync("init", machine.folder.path, "--join", "--adopt")
    #expect(both.status == 64)
  }
}
