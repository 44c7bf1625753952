import CanonicalJSON
import Foundation
import Testing

@Suite("The commands on the past") struct HistoryCommandTests {
  let machine: Machine
  let bob: [String: String]

  init() throws {
    machine = try Machine()
    bob = try machine.joined("bob")
  }

  private func transaction(_ arguments: String..., as device: [String: String]? = nil) throws
    -> String
  {
    let run = try Command.run(
      arguments + ["--format", "json"], environment: device ?? machine.environment)
    return try #require(run.json().object?["transaction"]?.text)
  }

  @Test("history prints one object a transaction, with values, outcomes and devices")
  func json() throws {
    let first = try transaction("put", "n", "x", #"{"a":1,"b":null}"#)
    try machine.feedsync("import", environment: bob)
    let second = try transaction("patch", "n", "x", #"{"a":2}"#, as: bob)
    try machine.feedsync("import")
    let run = try machine.feedsync("history", "n", "x", "--format", "json")
    #expect(run.status == 0 && run.errors == "")
    let entries = try run.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
    #expect(entries.map { $0["transaction"]?.text } == [first, second])
    #expect(entries.map { $0["event"]?.text } == ["inserted", "edited"])
    #expect(entries.map { $0["device"]?.object?["name"]?.text } == ["ann", "bob"])
    #expect(
      entries.map { $0["changes"]?.canonical } == [
        #"[{"by":"\#(second)","kind":"set","new":1,"outcome":"superseded","path":"/a"},"#
          + #"{"kind":"set","new":null,"outcome":"shown","path":"/b"}]"#,
        #"[{"kind":"set","new":2,"old":1,"outcome":"shown","path":"/a"}]"#,
      ])
  }

  @Test("history prints a line for each change, and exits with 1 for what never was")
  func text() throws {
    let first = try transaction("put", "n", "x", #"{"a":1}"#)
    let second = try transaction("delete", "n", "x")
    let run = try machine.feedsync("history", "n", "x")
    #expect(run.lines.count == 4)
    #expect(run.lines[0].hasSuffix("Z  inserted by ann  \(first)"))
    #expect(run.lines[1] == "  /a: 1  (deleted in \(second))")
    #expect(run.lines[2].hasSuffix("Z  deleted by ann  \(second)"))
    #expect(run.lines[3] == "  /a: 1 -> nothing")
    let never = try machine.feedsync("history", "n", "never", "--format", "json")
    #expect(never.status == 1 && never.output == "")
    _ = try never.error()
  }

  @Test("get --at prints the document as it was")
  func past() throws {
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    let time = try #require(
      try machine.feedsync("history", "n", "x", "--format", "json").json().object?["time"]?.text)
    // The next write has a later stamp, be it within the same millisecond.
    var run = try machine.feedsync("put", "n", "x", #"{"a":2}"#)
    while try machine.feedsync("history", "n", "x", "--format", "json").lines.last?
      .contains(time) == true
    {
      run = try machine.feedsync("put", "n", "x", #"{"a":\#(Int.random(in: 3...1000))}"#)
    }
    #expect(run.status == 0)
    #expect(try machine.feedsync("get", "n", "x", "--at", time).output == "{\"a\":1}\n")
    let absent = try machine.feedsync("get", "n", "x", "--at", "1h", "--format", "json")
    #expect(absent.status == 1)
    _ = try absent.error()
    #expect(try machine.feedsync("get", "n", "x", "--at", "soon").status == 64)
    #expect(try machine.feedsync("get", "n", "x", "--at", "1h", "--token").status == 64)
  }

  @Test("undo is a write like others, and exits with 75 where it leaves something alone")
  func undo() throws {
    try machine.feedsync("put", "n", "x", #"{"a":1,"b":1}"#)
    let second = try transaction("put", "n", "x", #"{"a":2,"b":2}"#)
    try machine.feedsync("patch", "n", "x", #"{"b":3}"#)
    let run = try machine.feedsync("undo", second, "--format", "json")
    #expect(run.status == 75)
    let result = try #require(try run.json().object)
    #expect(result["changed"] == .integer(1))
    #expect(result["left"]?.canonical == #"[{"collection":"n","id":"x","path":"/b"}]"#)
    #expect(result["transaction"]?.text?.hasSuffix(":4") == true)
    #expect(try run.error()["message"]?.text?.contains("n/x/b") == true)
    #expect(try machine.feedsync("get", "n", "x").output == "{\"a\":1,\"b\":3}\n")
    let forced = try machine.feedsync("undo", second, "--force")
    #expect(forced.status == 0 && forced.output == "" && forced.errors == "")
    try machine.feedsync("import", environment: bob)
    #expect(
      try machine.feedsync("get", "n", "x", environment: bob).output == "{\"a\":1,\"b\":1}\n")
    let unknown = try machine.feedsync("undo", "\(second)9", "--format", "json")
    #expect(unknown.status == 1)
    _ = try unknown.error()
  }
}
