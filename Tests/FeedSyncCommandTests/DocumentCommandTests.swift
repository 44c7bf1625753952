import CanonicalJSON
import Foundation
import Testing

@Suite("The commands on documents") struct DocumentCommandTests {
  @Test("print canonical JSON and nothing else")
  func canonical() throws {
    let machine = try Machine()
    let body = #"{ "b" : [1, 1.0, 1e20, -0.0, 18446744073709551615], "a":"\u00e9\u0007\/" }"#
    let put = try machine.feedsync("put", "notes", "x", body)
    #expect(put.status == 0)
    #expect(put.output == "")
    #expect(put.errors == "")
    let expected = #"{"a":"é\u0007/","b":[1,1.0,1e+20,-0.0,18446744073709551615]}"# + "\n"
    for format in ["text", "json"] {
      let get = try machine.feedsync("get", "notes", "x", "--format", format)
      #expect(get.status == 0)
      #expect(get.output == expected)
      #expect(get.errors == "")
    }
  }

  @Test("say in JSON what was changed, under which transaction")
  func changed() throws {
    let machine = try Machine()
    let status = try machine.feedsync("status", "--format", "json").json()
    let stream = try #require(status.object?["device"]?.object?["id"]?.text)
    let steps: [([String], String)] = [
      (["put", "n", "x", #"{"a":1}"#], #"{"changed":1,"transaction":"\#(stream):1"}"#),
      (["put", "n", "x", #"{"a":1}"#], #"{"changed":0,"transaction":null}"#),
      (["patch", "n", "x", #"{"a":null,"b":2}"#], #"{"changed":1,"transaction":"\#(stream):2"}"#),
      (["delete", "n", "x"], #"{"changed":1,"transaction":"\#(stream):3"}"#),
    ]
    for (arguments, expected) in steps {
      let run = try Command.run(
        arguments + ["--format", "json"], environment: machine.environment)
      #expect(run.status == 0)
      #expect(run.output == expected + "\n")
      #expect(run.errors == "")
    }
  }

  @Test("read the body from standard input for -")
  func standardInput() throws {
    let machine = try Machine()
    #expect(try machine.feedsync("put", "n", "x", "-", input: "{\"a\":1}\n").status == 0)
    #expect(try machine.feedsync("patch", "n", "x", "-", input: #"{"b":2}"#).status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == "{\"a\":1,\"b\":2}\n")
  }

  @Test("get and delete exit with 1 for what is not there, and name it")
  func missing() throws {
    let machine = try Machine()
    let get = try machine.feedsync("get", "n", "nothing")
    #expect(get.status == 1)
    #expect(get.output == "")
    #expect(get.errors.contains("nothing"))
    let json = try machine.feedsync("get", "n", "nothing", "--format", "json")
    #expect(try json.error()["code"] == .integer(1))
  }

  @Test("delete takes the others along when one is missing")
  func deleteSeveral() throws {
    let machine = try Machine()
    for id in ["a", "b"] { try machine.feedsync("put", "n", id, "{}") }
    let files = try machine.logs().count
    let run = try machine.feedsync("delete", "n", "a", "nothing", "b")
    #expect(run.status == 1)
    #expect(run.output == "")
    #expect(run.errors.contains("nothing"))
    #expect(try machine.feedsync("list", "n").output == "")
    // One transaction.
    #expect(try machine.logs().count == files + 1)
  }

  @Test("delete takes an id that is given twice for one, and its bytes for what it is")
  func deleteTwice() throws {
    let machine = try Machine()
    // To Swift the same, to the store two ids.
    let ids = ["e\u{301}", "\u{e9}"]
    for id in ids { try machine.feedsync("put", "n", id, "{}") }
    let run = try machine.feedsync(
      "delete", "n", ids[0], ids[1], ids[0], "--format", "json")
    #expect(run.status == 0 && run.errors == "")
    #expect(try run.json().object?["changed"] == .integer(2))
    let missing = try machine.feedsync("delete", "n", "x", "x")
    #expect(missing.status == 1)
    #expect(missing.errors.split(separator: "\n").count(where: { $0.contains("'x'") }) == 1)
  }

  @Test("list prints collections, or ids, one a line")
  func list() throws {
    let machine = try Machine()
    for (collection, id) in [("b", "2"), ("a", "x\"y"), ("b", "10")] {
      try machine.feedsync("put", collection, id, "{}")
    }
    #expect(try machine.feedsync("list").output == "a\nb\n")
    #expect(try machine.feedsync("list", "b").output == "10\n2\n")
    let json = try machine.feedsync("list", "a", "--format", "json")
    #expect(json.output == #"{"collection":"a","id":"x\"y"}"# + "\n")
    #expect(try machine.feedsync("list", "none").output == "")
  }

  @Test("put with a token keeps what others have changed since")
  func token() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":1,"b":1}"#)
    let get = try machine.feedsync("get", "n", "x", "--token")
    #expect(get.output == #"{"a":1,"b":1}"# + "\n")
    let token = get.errors.trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(!token.isEmpty && !token.contains { $0.isWhitespace })
    try machine.feedsync("import", environment: bob)
    try machine.feedsync("patch", "n", "x", #"{"b":2}"#, environment: bob)
    try machine.feedsync("import")
    let put = try machine.feedsync("put", "n", "x", #"{"a":5,"b":1}"#, "--base", token)
    #expect(put.status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == #"{"a":5,"b":2}"# + "\n")
  }

  @Test("put with a token brings back of an object that is gone what it changes")
  func tokenOfAnObject() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", #"{"o":{"x":1,"z":1}}"#)
    let token = try machine.feedsync("get", "n", "x", "--token").errors
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try machine.feedsync("patch", "n", "x", #"{"o":null}"#)
    let put = try machine.feedsync("put", "n", "x", #"{"o":{"x":1,"z":2}}"#, "--base", token)
    #expect(put.status == 0, "\(put.errors)")
    #expect(try machine.feedsync("get", "n", "x").output == #"{"o":{"z":2}}"# + "\n")
  }

  @Test("put exits with 75 if its base was deleted and written anew since")
  func stale() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    let token = try machine.feedsync("get", "n", "x", "--token").errors
      .trimmingCharacters(in: .whitespacesAndNewlines)
    try machine.feedsync("import", environment: bob)
    try machine.feedsync("delete", "n", "x", environment: bob)
    try machine.feedsync("put", "n", "x", #"{"new":1}"#, environment: bob)
    try machine.feedsync("import")
    let put = try machine.feedsync(
      "put", "n", "x", #"{"a":2}"#, "--base", token, "--format", "json")
    #expect(put.status == 75)
    #expect(put.output == "")
    _ = try put.error()
    #expect(try machine.feedsync("get", "n", "x").output == "{\"new\":1}\n")
  }

  @Test("put reads a token from a file, where it may be longer than any argument")
  func tokenInAFile() throws {
    let machine = try Machine()
    let members = (0..<7_000).map { #""m\#($0)":\#($0)"# }
    let body = "{\(members.joined(separator: ","))}"
    let file = machine.root.appending(path: "token")
    let other = machine.root.appending(path: "body")
    try machine.feedsync("put", "n", "x", body)
    // It warns that the folder is away, before the token.
    let away = machine.root.appending(path: "away")
    try FileManager.default.moveItem(at: machine.folder, to: away)
    let get = try machine.feedsync("get", "n", "x", "--token")
    try FileManager.default.moveItem(at: away, to: machine.folder)
    #expect(get.errors.contains("warning") && get.errors.utf8.count > 128 << 10)
    try Data(get.errors.utf8).write(to: file)
    try machine.feedsync("patch", "n", "x", #"{"m1":"theirs"}"#)
    let mine = body.replacing(#""m2":2,"#, with: #""m2":"mine","#)
    let put = try machine.feedsync("put", "n", "x", mine, "--base", "@\(file.path)")
    #expect(put.status == 0, "\(put.errors)")
    let now = try machine.feedsync("get", "n", "x").json().object
    #expect(now?["m1"] == .string("theirs") && now?["m2"] == .string("mine"))
    try Data("{}".utf8).write(to: other)
    let none = try machine.feedsync(
      "put", "n", "x", mine, "--base", "@\(other.path)", "--format", "json")
    #expect(none.status == 65)
    #expect(try none.error()["file"]?.text == other.path)
    #expect(try machine.feedsync("put", "n", "x", mine, "--base", "@/none").status == 74)
  }

  @Test("put refuses what is no token")
  func noToken() throws {
    let machine = try Machine()
    for text in ["", "x", "AAAA", "!!!"] {
      #expect(try machine.feedsync("put", "n", "x", "{}", "--base", text).status == 65)
    }
  }
}
