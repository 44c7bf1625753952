import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync conflicts") struct ConflictsCommandTests {
  let machine: Machine
  let bob: [String: String]

  init() throws {
    machine = try Machine()
    bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":0,"b":0}"#)
    try machine.feedsync("import", environment: bob)
  }

  /// Both write, and learn of one another.
  private func collide(_ ann: String, _ ben: String) throws {
    try machine.feedsync("patch", "n", "x", ann)
    try machine.feedsync("patch", "n", "x", ben, environment: bob)
    try machine.feedsync("import")
    try machine.feedsync("import", environment: bob)
  }

  // Lesson 21.
  @Test("lists and shows values, devices and times, in either form")
  func shows() throws {
    #expect(try machine.feedsync("conflicts").output == "")
    let none = try machine.feedsync("conflicts", "show", "n", "x")
    #expect(none.status == 0 && none.output == "")
    #expect(try machine.feedsync("conflicts", "show", "n", "y").status == 1)
    try collide(#"{"a":1}"#, #"{"a":2}"#)
    #expect(try machine.feedsync("conflicts").output == "n/x: /a\n")
    let list = try machine.feedsync("conflicts", "--format", "json").json().object
    #expect(list?.keys == ["collection", "conflicts", "id"])
    let show = try machine.feedsync("conflicts", "show", "n", "x", "--format", "json").json()
    #expect(list?["conflicts"] == .array([show]))
    let conflict = try #require(show.object)
    #expect(conflict["path"]?.text == "/a")
    #expect(conflict["kind"]?.text == "value")
    let values = try #require(conflict["values"]?.array).compactMap(\.object)
    #expect(values.map { $0["number"] } == [.integer(1), .integer(2)])
    #expect(values.map { $0["shown"] } == [.bool(true), .bool(false)])
    for value in values {
      let name = try #require(value["device"]?.object?["name"]?.text)
      #expect(value["value"] == (name == "ann" ? .integer(1) : .integer(2)))
      #expect(value["time"]?.text?.hasSuffix("Z") == true)
      #expect(value["transaction"]?.text?.contains(":") == true)
    }
    let text = try machine.feedsync("conflicts", "show", "n", "x").lines
    #expect(text.count == 3)
    #expect(text[0] == "/a (value)")
    #expect(text[1].hasPrefix("  1: ") && text[1].hasSuffix(" (shown)"))
  }

  @Test("resolves by the transaction that wrote a value, whatever number it has by then")
  func resolvesByTransaction() throws {
    try collide(#"{"a":1}"#, #"{"a":2}"#)
    let show = try machine.feedsync("conflicts", "show", "n", "x", "--format", "json").json()
    let values = try #require(show.object?["conflicts"] ?? show.object?["values"]).array ?? []
    let loser = try #require(values.last?.object)
    let transaction = try #require(loser["transaction"]?.text)
    let none = try machine.feedsync(
      "conflicts", "resolve", "n", "x", "/a", "--choose", "\(transaction)9", "--format", "json")
    #expect(none.status == 75)
    let done = try machine.feedsync("conflicts", "resolve", "n", "x", "/a", "--choose", transaction)
    #expect(done.status == 0)
    let body = try machine.feedsync("get", "n", "x").json().object
    #expect(body?["a"] == loser["value"])
    try collide(#"{"a":3,"b":3}"#, #"{"a":4,"b":4}"#)
    let several = try machine.feedsync(
      "conflicts", "resolve", "n", "x", "--choose", transaction, "--format", "json")
    #expect(several.status == 64)
    let wrong = try machine.feedsync("conflicts", "resolve", "n", "x", "--choose", "last")
    #expect(wrong.status == 64)
  }

  @Test("resolves by number, value or what shows, on all devices")
  func resolves() throws {
    try collide(#"{"a":1,"b":1}"#, #"{"a":2,"b":2}"#)
    let several = try machine.feedsync(
      "conflicts", "resolve", "n", "x", "--choose", "2", "--format", "json")
    #expect(several.status == 64)
    #expect(try several.error()["message"]?.text?.contains("/a, /b") == true)
    let one = try machine.feedsync(
      "conflicts", "resolve", "n", "x", "/a", "--value", #"{"both":[1,2]}"#, "--format", "json")
    #expect(one.status == 0)
    #expect(try one.json().object?["changed"] == .integer(1))
    try machine.feedsync("import", environment: bob)
    let rest = try machine.feedsync("conflicts", "resolve", "n", "x", "--shown", environment: bob)
    #expect(rest.status == 0 && rest.output == "")
    try machine.feedsync("import")
    #expect(try machine.feedsync("conflicts").output == "")
    let body = try machine.feedsync("get", "n", "x").output
    #expect(body.hasPrefix(#"{"a":{"both":[1,2]},"b":"#))
    #expect(try machine.feedsync("get", "n", "x", environment: bob).output == body)
  }

  @Test(
    "refuses what settles nothing",
    arguments: [
      [], ["--shown", "--choose", "1"], ["--choose", "9"], ["--choose", "\(Int.min)"],
    ])
  func refuses(arguments: [String]) throws {
    try collide(#"{"a":1}"#, #"{"a":2}"#)
    let run = try Command.run(
      ["conflicts", "resolve", "n", "x"] + arguments, environment: machine.environment)
    #expect(run.status == 64)
    let none = try machine.feedsync("conflicts", "resolve", "n", "x", "/b", "--shown")
    #expect(none.status == 1)
    #expect(try machine.feedsync("conflicts").output == "n/x: /a\n")
  }
}
