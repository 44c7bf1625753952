import CanonicalJSON
import Foundation
import Testing

@Suite("The commands on key-value stores") struct KeyValueCommandTests {
  @Test("set, get, list and remove, here and on another machine")
  func story() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    #expect(try machine.feedsync("kv", "set", "theme", #""dark""#).output == "")
    let set = try machine.feedsync("kv", "set", "size", "-12", "--format", "json")
    #expect(try set.json().object?["changed"] == .integer(1))
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("kv", "get", "theme", environment: bob).output == "\"dark\"\n")
    #expect(
      try machine.feedsync("kv", "list", environment: bob).output
        == "size\t-12\ntheme\t\"dark\"\n")
    #expect(
      try machine.feedsync("kv", "list", "--format", "json", environment: bob).output
        == #"{"key":"size","value":-12}"# + "\n" + #"{"key":"theme","value":"dark"}"# + "\n")
    #expect(try machine.feedsync("kv", "remove", "size", "theme").status == 0)
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("kv", "list", environment: bob).output == "")
  }

  @Test("a key that is missing exits with 1, as a document does")
  func missing() throws {
    let machine = try Machine()
    try machine.feedsync("kv", "set", "a", "1")
    let get = try machine.feedsync("kv", "get", "b", "--format", "json")
    #expect(get.status == 1 && get.output == "")
    #expect(try get.error()["message"]?.text == "there is no key 'b'")
    let remove = try machine.feedsync("kv", "remove", "b", "a")
    #expect(remove.status == 1)
    #expect(remove.errors.contains("'b'") && !remove.errors.contains("'a'"))
    #expect(try machine.feedsync("kv", "get", "a").status == 1)
    #expect(try machine.feedsync("kv", "get", "a", "--store", "other").status == 1)
  }

  @Test("dates, bytes and plain text go in and come out")
  func types() throws {
    let machine = try Machine()
    let steps: [([String], String, String, String)] = [
      (["--type", "string", "-x"], "", #""-x""#, "-x\n"),
      (["--type", "string", "-"], "two\nlines", #""two\nlines""#, "two\nlines\n"),
      (
        ["--type", "date", "2001-01-01T00:00:01.5Z"], "", #"{"$date":1.5}"#,
        "2001-01-01T00:00:01.500Z\n"
      ),
      (["--type", "data", "aGk="], "", #"{"$data":"aGk="}"#, "hi"),
      (["--type", "data", "-"], "hi\n", #"{"$data":"aGkK"}"#, "hi\n"),
      ([#"{"$date":1e300}"#], "", #"{"$date":1e+300}"#, #"{"$date":1e+300}"# + "\n"),
      ([#"{ "a": [1, 1.0], "$$b": true }"#], "", #"{"$$b":true,"a":[1,1.0]}"#, ""),
      (["--", "-1"], "", "-1", "-1\n"), (["-"], "[]", "[]", "[]\n"),
      (["-0.0"], "", "-0.0", "-0.0\n"),
    ]
    for (arguments, input, json, raw) in steps {
      let set = try Command.run(
        ["kv", "set", "k"] + arguments, environment: machine.environment, input: Array(input.utf8))
      #expect(set.status == 0, "\(arguments): \(set.errors)")
      #expect(try machine.feedsync("kv", "get", "k").output == json + "\n", "\(arguments)")
      let printed = try machine.feedsync("kv", "get", "k", "--raw").output
      #expect(printed == (raw.isEmpty ? json + "\n" : raw), "\(arguments)")
      // What is printed can be set again, and is the same then.
      let again = try machine.feedsync("kv", "set", "k", json, "--format", "json")
      #expect(again.output == #"{"changed":0,"transaction":null}"# + "\n", "\(json)")
    }
  }

  @Test("what is no value, no key, no name or over a limit is refused, and changes nothing")
  func refused() throws {
    let machine = try Machine()
    let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
    let cases: [(Int32, [String])] = [
      (65, ["set", "a", "nonsense"]), (65, ["set", "a", "null"]), (65, ["set", "a", "[null]"]),
      (65, ["set", "a", "9223372036854775808"]), (65, ["set", "a", #"{"$date":"x"}"#]),
      (65, ["set", "a", #"{"$x":1}"#]), (65, ["set", "a", deep]), (65, ["set", "", "1"]),
      (65, ["set", String(repeating: "x", count: 65), "1"]), (65, ["set", "a\nb", "1"]),
      (65, ["set", "a", "--type", "data", "?"]), (64, ["set", "a", "--type", "date", "soon"]),
      (64, ["set", "a", "--type", "other", "1"]), (64, ["set", "a", "1", "2"]), (64, ["set", "a"]),
      (65, ["set", "a", "1", "--store", "A"]), (65, ["list", "--store", ""]),
      (65, ["get", "a", "--store", String(repeating: "x", count: 53)]), (64, ["remove"]),
      (65, ["remove", ""]), (64, ["get"]), (65, ["watch", "--store", "a/b"]),
    ]
    for (status, arguments) in cases {
      let run = try Command.run(
        ["kv"] + arguments + ["--format", "json"], environment: machine.environment)
      #expect(run.status == status, "\(arguments)")
      _ = try run.error()
      #expect(run.output == "")
    }
    let large = "\"" + String(repeating: "x", count: 1_000_000) + "\""
    let run = try machine.feedsync("kv", "set", "a", "-", "--format", "json", input: large)
    #expect(run.status == 65)
    #expect(try run.error()["message"]?.text?.contains("1000000 bytes") == true)
    #expect(try machine.feedsync("list").output == "")
  }

  @Test("values that no key-value store wrote are named, and the others listed")
  func unreadable() throws {
    let machine = try Machine()
    try machine.feedsync("kv", "set", "b", "1")
    try machine.feedsync("put", "feedsync.kv.default", "a", #"{"value":[null]}"#)
    let list = try machine.feedsync("kv", "list", "--format", "json")
    #expect(list.status == 65)
    #expect(list.output == #"{"key":"b","value":1}"# + "\n")
    #expect(try list.error()["message"]?.text?.contains("'a'") == true)
    #expect(try machine.feedsync("kv", "get", "a").status == 65)
    #expect(try machine.feedsync("kv", "remove", "a").status == 0)
    #expect(try machine.feedsync("kv", "list").status == 0)
  }

  @Test("they work while the folder is away, and not with another container there")
  func away() throws {
    let machine = try Machine()
    try machine.feedsync("kv", "set", "a", "1")
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: machine.folder, to: kept)
    let commands: [[String]] = [["set", "a", "2"], ["get", "a"], ["list"], ["remove", "a"]]
    for arguments in commands {
      let run = try Command.run(["kv"] + arguments, environment: machine.environment)
      #expect(run.status == 0, "\(arguments)")
      #expect(run.errors.contains("warning"), "\(arguments)")
    }
    try Machine.makeDirectory(machine.folder)
    let other = machine.bareEnvironment.merging(["FEEDSYNC_STATE": kept.path + "-state"]) { $1 }
    try machine.feedsync("init", machine.folder.path, environment: other)
    for arguments in commands + [["watch"]] {
      let run = try Command.run(["kv"] + arguments, environment: machine.environment)
      #expect(run.status == 66, "\(arguments)")
      #expect(run.output == "")
    }
  }

  @Test("shells are offered the keys and stores that there are")
  func completion() throws {
    let machine = try Machine()
    try machine.feedsync("kv", "set", "theme", "1")
    try machine.feedsync("kv", "set", "size", "1", "--store", "reader")
    // What the scripts call, with the words of the line.
    func offered(_ argument: String, _ words: [String]) throws -> [String] {
      let line = ["feedsync", "kv", "get"] + words
      return try Command.run(
        ["---completion", "kv", "get", "--", argument, "\(line.count - 1)", "0"] + line,
        environment: machine.environment
      ).lines
    }
    #expect(try offered("positional@0", [""]) == ["theme"])
    #expect(try offered("positional@0", ["--store", "reader", ""]) == ["size"])
    #expect(try offered("positional@0", ["--store", "none", ""]) == [])
    #expect(try offered("--store", ["--store", ""]) == ["default", "reader"])
  }
}
