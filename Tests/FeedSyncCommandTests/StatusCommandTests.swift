import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync status") struct StatusCommandTests {
  @Test("tells what the device has, what waits, and what is wrong")
  func json() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    try machine.feedsync("import", environment: bob)
    let original = try #require(try machine.logs().first)
    let directory = original.deletingLastPathComponent()
    try FileManager.default.copyItem(
      at: original, to: directory.appending(path: "copy.sync-conflict-20260101-000000-AB.log"))
    try Data().write(to: directory.appending(path: "empty.log"))
    try Data().write(to: directory.appending(path: "photo.jpg"))
    #expect(try machine.feedsync("import", environment: bob).status == 65)
    let run = try machine.feedsync("status", "--format", "json", environment: bob)
    #expect(run.status == 0)
    let status = try #require(try run.json().object)
    #expect(status["documents"] == .integer(1))
    #expect(status["conflicts"] == .integer(0))
    #expect(status["unpublished"] == .integer(0))
    #expect(status["container"]?.object?["present"] == .bool(true))
    #expect(status["device"]?.object?["name"]?.text == "bob")
    #expect(status["duplicates"]?.array?.count == 1)
    #expect(status["foreign"]?.array?.count == 1)
    let setAside = status["set_aside"]?.array?.compactMap { $0.object?["reason"]?.text }
    #expect(setAside == ["incomplete"])
    let names = status["devices"]?.array?.compactMap { $0.object?["name"]?.text }
    #expect(Set(names ?? []) == ["ann", "bob"])
  }

  @Test("names no file that is gone since the last import, unless the folder is away")
  func gone() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let original = try #require(try machine.logs().first)
    let directory = original.deletingLastPathComponent()
    let (empty, copy) = (
      directory.appending(path: "empty.log"), directory.appending(path: "copy.log")
    )
    try Data().write(to: empty)
    try FileManager.default.copyItem(at: original, to: copy)
    #expect(try machine.feedsync("import").status == 65)
    func named() throws -> [Int?] {
      let status = try machine.feedsync("status", "--format", "json").json().object
      return ["set_aside", "duplicates"].map { status?[ByteString($0)]?.array?.count }
    }
    #expect(try named() == [1, 1])
    for file in [empty, copy] { try FileManager.default.removeItem(at: file) }
    #expect(try named() == [0, 0])
    try FileManager.default.moveItem(
      at: machine.folder, to: machine.root.appending(path: "kept"))
    #expect(try named() == [1, 1])
  }

  @Test("tells what the folder holds, and which devices must be heard from since when")
  func upkeep() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "y", "{}", environment: bob)
    try machine.feedsync("import")
    try machine.feedsync("put", "n", "x", "{}")
    let status = try #require(
      try machine.feedsync("status", "--format", "json").json().object)
    let folder = try #require(status["folder"]?.object)
    #expect(folder.keys == ["bytes", "devices", "files"])
    #expect(folder["files"] == .integer(2))
    let upkeep = try #require(status["upkeep"]?.object)
    #expect(upkeep.keys == ["dead", "looked_after_at", "peers"])
    #expect(upkeep["looked_after_at"]?.text != nil)
    let peer = try #require(upkeep["peers"]?.array?.first?.object)
    #expect(peer.keys == ["awaited", "device", "has", "has_all", "heard_at", "live"])
    #expect(peer["device"]?.object?["name"]?.text == "bob")
    #expect(peer["awaited"] == .bool(true) && peer["heard_at"]?.text != nil)
    let text = try machine.feedsync("status").output
    #expect(text.contains("the folder holds 2 files with"))
    #expect(text.contains("to be heard from: bob, last heard from "))
    // What it says counts for what it has.
    try machine.feedsync("import", environment: bob)
    try machine.feedsync("put", "n", "y", #"{"n":1}"#, environment: bob)
    try machine.feedsync("import")
    #expect(try !machine.feedsync("status").output.contains("to be heard from"))
    try FileManager.default.moveItem(
      at: machine.folder, to: machine.root.appending(path: "kept"))
    let away = try #require(
      try machine.feedsync("status", "--format", "json").json().object)
    #expect(away["folder"] == .null)
    #expect(away["upkeep"]?.object?["peers"]?.array?.count == 1)
  }

  @Test("says so in text, and imports nothing")
  func text() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    let run = try machine.feedsync("status", environment: bob)
    #expect(run.status == 0)
    #expect(run.output.contains("0 documents"))
    #expect(run.output.contains(machine.folder.lastPathComponent))
  }
}
