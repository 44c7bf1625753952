import CanonicalJSON
import Foundation
import Testing

@Suite("The commands on counters and sets") struct KindCommandTests {
  @Test("count and collect on two devices at once")
  func together() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"count":5,"tags":["b"]}"#)
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("counter", "add", "n", "x", "/count").status == 0)
    #expect(
      try machine.feedsync("counter", "add", "n", "x", "count", "-10", environment: bob)
        .status
        == 0)
    #expect(try machine.feedsync("set", "add", "n", "x", "tags", #""a""#, "1").status == 0)
    let run = try machine.feedsync(
      "set", "add", "n", "x", "$.tags", #""c""#, "--format", "json", environment: bob)
    #expect(try run.json().object?["changed"] == .integer(1))
    try machine.feedsync("import")
    try machine.feedsync("import", environment: bob)
    let expected = #"{"count":-4,"tags":["a","b","c",1]}"# + "\n"
    #expect(try machine.feedsync("get", "n", "x").output == expected)
    #expect(try machine.feedsync("get", "n", "x", environment: bob).output == expected)
    #expect(try machine.feedsync("set", "remove", "n", "x", "tags", "1", "2").status == 0)
    #expect(
      try machine.feedsync("get", "n", "x").output == #"{"count":-4,"tags":["a","b","c"]}"# + "\n")
  }

  @Test("take what follows -- for a value, whatever it looks like")
  func afterDashes() throws {
    let machine = try Machine()
    #expect(try machine.feedsync("counter", "add", "n", "x", "/c", "--", "-1").status == 0)
    #expect(try machine.feedsync("set", "add", "n", "x", "/s", "--", "-1", #""a""#).status == 0)
    #expect(try machine.feedsync("set", "remove", "n", "x", "/s", "--", #""a""#).status == 0)
    #expect(try machine.feedsync("set", "add", "n", "x", "/s", "7", "--", "-8").status == 0)
    #expect(try machine.feedsync("set", "remove", "n", "x", "/s", "7", "--", "-8").status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == #"{"c":-1,"s":[-1]}"# + "\n")
    let found = try machine.feedsync(
      "query", "n", "--where", "body ->> 'c' = ?", "--argument", "-1")
    #expect(found.status == 0 && found.output.contains("-1"), "\(found.errors)")
    // There is no conflict to resolve, but the value is one.
    let resolved = try machine.feedsync("conflicts", "resolve", "n", "x", "/c", "--value", "-1")
    #expect(!resolved.errors.contains("Missing value"))
  }

  @Test("count beyond what shows, which comes back")
  func beyondTheRange() throws {
    let machine = try Machine()
    let greatest = #"{"c":18446744073709551615}"#
    try machine.feedsync("put", "n", "x", greatest)
    #expect(try machine.feedsync("counter", "add", "n", "x", "c", "2").status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == greatest + "\n")
    #expect(try machine.feedsync("counter", "add", "n", "x", "c", "-3").status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == #"{"c":18446744073709551614}"# + "\n")
  }

  @Test("make what is absent, and write nothing that is there already")
  func absent() throws {
    let machine = try Machine()
    #expect(try machine.feedsync("counter", "add", "n", "x", "/a/b", "3").output == "")
    #expect(try machine.feedsync("set", "add", "n", "x", "/a/s", "[1]").status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == #"{"a":{"b":3,"s":[[1]]}}"# + "\n")
    let steps = [
      ["counter", "add", "n", "x", "/a/b", "0"], ["set", "add", "n", "x", "/a/s", "[1]"],
      ["set", "remove", "n", "x", "/a/s", "-2", "3"], ["set", "remove", "n", "nothing", "/s", "2"],
    ]
    for arguments in steps {
      let run = try Command.run(
        arguments + ["--format", "json"], environment: machine.environment)
      #expect(run.status == 0)
      #expect(run.output == #"{"changed":0,"transaction":null}"# + "\n", "\(arguments)")
    }
  }

  @Test("refuse what they would take away, what is no JSON, and what is no path")
  func refused() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", #"{"t":"text","o":{}}"#)
    let long = "\"" + String(repeating: "x", count: 1023) + "\""
    let cases: [(Int32, [String])] = [
      (65, ["counter", "add", "n", "x", "t"]), (65, ["counter", "add", "n", "x", "/o"]),
      (65, ["counter", "add", "n", "x", "/t/u"]), (65, ["set", "add", "n", "x", "t", "1"]),
      (65, ["set", "add", "n", "x", "s", "nonsense"]), (65, ["set", "add", "n", "x", "s", long]),
      (64, ["counter", "add", "n", "x", "n", "1.5"]), (64, ["counter", "add", "n", "x", ""]),
      (64, ["set", "add", "n", "x", "s"]), (64, ["counter", "add", "n", "x", "$.a[1]"]),
      (64, ["counter", "add", "n", "x", "n", "9223372036854775808"]),
      (64, ["counter", "add", "n", "x", "n", "1", "2"]),
      (64, ["counter", "add", "n", "x", "n", "--by", "2"]),
      (65, ["set", "add", "n", "x", "s", "--by"]),
    ]
    for (status, arguments) in cases {
      let run = try Command.run(
        arguments + ["--format", "json"], environment: machine.environment)
      #expect(run.status == status, "\(arguments)")
      _ = try run.error()
      #expect(run.output == "")
    }
    #expect(try machine.feedsync("get", "n", "x").output == #"{"o":{},"t":"text"}"# + "\n")
  }

  @Test("leave alone what a newer version has written, and say so")
  func newer() throws {
    let machine = try Machine(initialised: false)
    try Self.placeNewer(in: machine.folder)
    try machine.feedsync("init", machine.folder.path)
    #expect(try machine.feedsync("import").status == 0)
    let get = try machine.feedsync("get", "notes", "shopping", "--verbose")
    #expect(get.output == "{}\n")
    #expect(get.errors.contains("/count"))
    #expect(try machine.feedsync("get", "notes", "shopping").errors == "")
    // put --base @FILE takes the last line for the token.
    let token = try machine.feedsync("get", "notes", "shopping", "--token").errors
    let both = try machine.feedsync("get", "notes", "shopping", "--token", "--verbose").errors
    #expect(both == get.errors + token)
    let status = try machine.feedsync("status", "--format", "json").json()
    #expect(status.object?["newer"] == ["documents": 1, "transactions": 1])
    #expect(try machine.feedsync("status").output.contains("newer feedsync"))
    let run = try machine.feedsync(
      "counter", "add", "notes", "shopping", "count", "--format", "json")
    #expect(run.status == 78)
    #expect(try run.error()["hint"]?.text?.contains("update feedsync") == true)
    #expect(try machine.feedsync("patch", "notes", "shopping", #"{"a":1}"#).status == 0)
    #expect(try machine.feedsync("delete", "notes", "shopping").status == 0)
    #expect(try machine.feedsync("get", "notes", "shopping").status == 1)
  }

  /// A container that has the golden file of what later versions may write.
  private static func placeNewer(in folder: URL) throws {
    let file = Command.package.appending(path: "fixtures/segments/unknown-kind.log")
    let dump = try Command.run(["segment", "dump", file.path], environment: [:]).json().object
    let container = try #require(dump?["container"]?.text)
    let stream = try #require(dump?["stream"]?.text)
    let digest = try #require(dump?["digest"]?.text)
    let other = try Machine()
    let marker = other.folder.appending(path: "feedsync.container")
    let text = try String(contentsOf: marker, encoding: .utf8)
    let own = try other.feedsync("status", "--format", "json").json().object
    let id = try #require(own?["container"]?.object?["id"]?.text)
    try Data(text.replacing(id, with: container).utf8).write(
      to: folder.appending(path: "feedsync.container"))
    let directory = folder.appending(path: "logs/\(stream)")
    try Machine.makeDirectory(directory)
    let one = String(repeating: "0", count: 15) + "1"
    try FileManager.default.copyItem(
      at: file, to: directory.appending(path: "\(one)-\(one)-\(digest).log"))
  }
}
