import CanonicalJSON
import Foundation
import Testing

@Suite("kv watch", .serialized, .timeLimit(.minutes(5))) struct KeyValueWatchTests {
  @Test("prints what other machines and processes change, with values and reasons")
  func changes() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("kv", "set", "mine", "1")
    let watch = try RunningWatch(command: ["kv", "watch"], environment: machine.environment)
    let start = try watch.next("watching")
    #expect(start["store"] == "default")
    try machine.feedsync("kv", "set", "theme", #""dark""#, environment: bob)
    let first = try watch.next("change")
    #expect(first["reason"] == "initialSyncChange")
    #expect(first["changes"] == [["key": "theme", "value": "dark"]])
    try machine.feedsync("kv", "remove", "mine")
    let second = try watch.next("change")
    #expect(second["reason"] == "serverChange")
    #expect(second["changes"] == [["key": "mine", "removed": true]])
    try machine.feedsync("kv", "set", "theme", "1", "--store", "other", environment: bob)
    try machine.feedsync("kv", "remove", "theme", environment: bob)
    #expect(try watch.next("change")["changes"] == [["key": "theme", "removed": true]])
    #expect(watch.terminate() == 0)
    #expect(try watch.rest() == [])
  }

  @Test("ends with 66 when another container takes the folder's place")
  func otherContainer() throws {
    let machine = try Machine()
    try machine.feedsync("kv", "set", "a", "1")
    let watch = try RunningWatch(command: ["kv", "watch"], environment: machine.environment)
    _ = try watch.next("watching")
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: machine.folder, to: kept)
    try Machine.makeDirectory(machine.folder)
    let other = machine.bareEnvironment.merging(["FEEDSYNC_STATE": kept.path + "-state"]) { $1 }
    try machine.feedsync("init", machine.folder.path, environment: other)
    let change = try watch.next("change")
    #expect(change["reason"] == "accountChange")
    #expect(change["changes"] == [["key": "a"]])
    watch.process.waitUntilExit()
    #expect(watch.process.terminationStatus == 66)
  }

  @Test("works beside watch")
  func besideWatch() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let service = try RunningWatch(environment: machine.environment)
    _ = try service.next("watching")
    let watch = try RunningWatch(command: ["kv", "watch"], environment: machine.environment)
    _ = try watch.next("watching")
    try machine.feedsync("kv", "set", "theme", "1", environment: bob)
    #expect(try watch.next("change")["changes"] == [["key": "theme", "value": 1]])
    #expect(watch.interrupt() == 0)
    #expect(service.terminate() == 0)
  }
}
