import Foundation
import Testing

@Suite("feedsync load and dump") struct LoadAndDumpTests {
  private static func line(_ number: Int) -> String {
    #"{"body":{"n":\#(number)},"collection":"n","id":"\#(100 + number)"}"#
  }

  @Test("load reads what dump prints, sorted by collection and id")
  func roundTrip() throws {
    let machine = try Machine()
    for (collection, id) in [("b", "1"), ("a", "2"), ("a", "10")] {
      try machine.feedsync("put", collection, id, #"{"z":1,"a":"é"}"#)
    }
    let dump = try machine.feedsync("dump")
    let body = #"{"a":"é","z":1}"#
    #expect(
      dump.lines == [
        #"{"body":\#(body),"collection":"a","id":"10"}"#,
        #"{"body":\#(body),"collection":"a","id":"2"}"#,
        #"{"body":\#(body),"collection":"b","id":"1"}"#,
      ])
    let copy = try Machine()
    #expect(try copy.feedsync("load", input: dump.output).status == 0)
    #expect(try copy.feedsync("dump").output == dump.output)
    #expect(try copy.feedsync("dump", "--collection", "b").lines.count == 1)
    let again = try copy.feedsync("load", "-", "--format", "json", input: dump.output)
    #expect(again.output == #"{"changed":0,"transaction":null}"# + "\n")
  }

  @Test("load takes all that dump prints, also what is as deep as a document may be")
  func deep() throws {
    let machine = try Machine()
    func nested(_ depth: Int) -> String {
      String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }
    #expect(try machine.feedsync("put", "n", "deep", nested(64)).status == 0)
    #expect(try machine.feedsync("put", "n", "deeper", nested(65)).status == 65)
    let dump = try machine.feedsync("dump").output
    let copy = try Machine()
    #expect(try copy.feedsync("load", input: dump).status == 0)
    #expect(try copy.feedsync("dump").output == dump)
    let line = #"{"body":\#(nested(65)),"collection":"n","id":"x"}"#
    #expect(try copy.feedsync("load", input: line).status == 65)
  }

  @Test("dump names what devices made too large together, at which load stops")
  func tooLarge() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    try machine.feedsync("put", "n", "small", "{}")
    #expect(try machine.feedsync("import", environment: bob).status == 0)
    let away = machine.root.appending(path: "away")
    try FileManager.default.moveItem(at: machine.folder, to: away)
    let text = String(repeating: "é", count: 300_000)
    for (member, environment) in [("a", machine.environment), ("b", bob)] {
      let patch = #"{"\#(member)":"\#(text)"}"#
      let run = try machine.feedsync(
        "patch", "n", "x", "-", input: patch, environment: environment)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try machine.feedsync("dump").errors.contains("n/x has") == false)
    try FileManager.default.moveItem(at: away, to: machine.folder)
    #expect(try machine.feedsync("import", environment: bob).status == 0)
    #expect(try machine.feedsync("import").status == 0)
    let dump = try machine.feedsync("dump")
    #expect(dump.status == 0 && dump.lines.count == 2)
    #expect(dump.errors.contains("warning: n/x has 1200015 bytes"))
    #expect(!dump.errors.contains("small"))
    #expect(try machine.feedsync("load", input: dump.output).status == 65)
  }

  // Lesson 8.
  @Test("load writes transactions of the size that was asked for")
  func transactionSize() throws {
    let machine = try Machine()
    let input = (1...10).map { Self.line($0) }.joined(separator: "\n")
    let file = machine.root.appending(path: "input")
    try Data(input.utf8).write(to: file)
    let run = try machine.feedsync(
      "load", file.path, "--transaction-size", "3", "--format", "json")
    #expect(run.status == 0)
    #expect(run.output.hasSuffix(":4\"}\n"))
    #expect(run.output.hasPrefix(#"{"changed":10,"#))
    #expect(try machine.feedsync("load", "--transaction-size", "0").status == 64)
  }

  @Test("load stops at a bad line with its number, and earlier transactions stay and are published")
  func badLine() throws {
    for bad in [
      "{", "[]", #"{"body":{},"collection":"n"}"#, #"{"body":1,"collection":"n","id":"x"}"#,
      #"{"body":{},"collection":"N","id":"x"}"#, #"{"body":{},"collection":"n","id":""}"#,
    ] {
      let machine = try Machine()
      let input = [Self.line(1), Self.line(2), "", Self.line(3), bad, Self.line(5)]
      let run = try machine.feedsync(
        "load", "--transaction-size", "2", "--format", "json",
        input: input.joined(separator: "\n"))
      #expect(run.status == 65)
      #expect(run.output == "")
      #expect(try run.error()["message"]?.text?.contains("line 5") == true)
      #expect(try machine.feedsync("list", "n").output == "101\n102\n")
      #expect(try machine.logs().count == 1)
    }
  }

  @Test("load passes over blank lines, and counts them")
  func blankLines() throws {
    let machine = try Machine()
    let input = ["", " \t", Self.line(1), "\r", "   ", Self.line(2), "\t", "{", ""]
    let run = try machine.feedsync(
      "load", "--transaction-size", "1", "--format", "json", input: input.joined(separator: "\n"))
    #expect(run.status == 65)
    let error = try run.error()
    #expect(error["message"]?.text?.contains("line 8") == true)
    #expect(error["hint"]?.text?.contains("begins at the start again") == true)
    #expect(try machine.feedsync("list", "n").output == "101\n102\n")
    let last = try machine.feedsync("load", input: Self.line(3) + "\n \n\t")
    #expect(last.status == 0 && last.errors == "")
    #expect(try machine.feedsync("load", input: " \n").status == 0)
  }

  @Test("load names a byte order mark")
  func byteOrderMark() throws {
    let machine = try Machine()
    let run = try machine.feedsync("load", "--format", "json", input: "\u{feff}" + Self.line(1))
    #expect(run.status == 65)
    let message = try run.error()["message"]?.text
    #expect(message?.contains("line 1: it begins with a byte order mark") == true)
  }

  @Test("load exits with 74 for a file that cannot be read")
  func unreadable() throws {
    let machine = try Machine()
    for path in [machine.root.path + "/nothing", machine.root.path] {
      #expect(try machine.feedsync("load", path).status == 74, "\(path)")
    }
  }

  @Test("dump of nothing is nothing")
  func empty() throws {
    let machine = try Machine()
    let run = try machine.feedsync("dump")
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(run.errors == "")
  }
}
