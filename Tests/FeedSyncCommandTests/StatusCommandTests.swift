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
