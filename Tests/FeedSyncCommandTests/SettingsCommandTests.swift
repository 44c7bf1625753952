import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync settings") struct SettingsCommandTests {
  @Test("lists what holds, and tells what was said apart")
  func list() throws {
    let machine = try Machine()
    try machine.feedsync("settings", "set", "grace", "36h")
    let text = try machine.feedsync("settings")
    #expect(text.lines.contains("horizon 90d"))
    #expect(text.lines.contains("grace 36h (as it comes: 7d)"))
    let run = try machine.feedsync("settings", "list", "--format", "json")
    let lines = try run.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
    let names = lines.compactMap { $0["name"]?.text }
    let expected = [
      "horizon", "grace", "acknowledge-after", "interval", "budget", "fan-out", "file-size",
      "forget",
    ]
    #expect(names == expected)
    #expect(lines.allSatisfy { $0.keys == ["default", "name", "set", "text", "unit", "value"] })
    let grace = try #require(lines.first { $0["name"]?.text == "grace" })
    #expect(grace["value"] == .integer(129_600_000))
    #expect(grace["default"] == .integer(604_800_000))
    #expect(grace["set"] == .bool(true) && grace["unit"]?.text == "ms")
  }

  @Test("sets, gets and resets one, and prints nothing that was not asked for")
  func change() throws {
    let machine = try Machine()
    let set = try machine.feedsync("settings", "set", "interval", "never")
    #expect(set.status == 0 && set.output == "" && set.errors == "")
    #expect(try machine.feedsync("settings", "get", "interval").output == "never\n")
    #expect(try machine.feedsync("settings", "reset", "interval").output == "")
    let reset = try machine.feedsync("settings", "reset", "interval", "--format", "json")
    #expect(try reset.json().object?["name"]?.text == "interval")
    #expect(try machine.feedsync("settings", "get", "interval").output == "1h\n")
    try machine.feedsync("settings", "set", "fan-out", "8")
    #expect(try machine.feedsync("settings", "reset", "--all").status == 0)
    #expect(try machine.feedsync("settings", "get", "fan-out").output == "32\n")
  }

  @Test(
    "refuses with 64 what is no setting, no value, or out of range, and says what would do",
    arguments: [
      (["set", "horizont", "90d"], "there are horizon, grace"),
      (["set", "grace", "a week"], "write a span of time as 90s, 15m, 6h, 7d or 2w"),
      (["set", "grace", "-1s"], "write a span of time as 90s, 15m, 6h, 7d or 2w"),
      (["set", "grace", "1", "h"], "2 values were given for one setting"),
      (["set", "horizon", "5m"], "'horizon' is 1h to 3650d"),
      (["set", "horizon", "6h"], "longer than 'acknowledge-after' (6h)"),
      (["set", "fan-out", "1"], "'fan-out' is 2 to 1000"), (["get", "x"], "no setting 'x'"),
      (["reset"], "name one setting, or say --all"),
    ] as [([String], String)])
  func refused(arguments: [String], text: String) throws {
    let machine = try Machine()
    let run = try Command.run(["settings"] + arguments, environment: machine.environment)
    #expect(run.status == 64 && run.output == "")
    #expect(run.errors.contains(text), "\(run.errors)")
  }

  @Test("counts for compact, and is the device's own")
  func effect() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 0..<4 { try machine.feedsync("put", "n", "x", #"{"n":\#(number)}"#) }
    #expect(try machine.feedsync("compact").output.hasPrefix("joined 0 files"))
    try machine.feedsync("settings", "set", "fan-out", "4")
    try machine.feedsync("settings", "set", "grace", "0")
    let run = try machine.feedsync("compact")
    #expect(run.output.hasPrefix("joined 4 files into 1; removed 4 "), "\(run.output)")
    let other = try machine.feedsync("settings", "get", "fan-out", environment: bob)
    #expect(other.output == "32\n")
  }

  @Test("outlive a rebuild, and go with the state")
  func life() throws {
    let machine = try Machine()
    try machine.feedsync("settings", "set", "grace", "1d")
    #expect(try machine.feedsync("rebuild").status == 0)
    #expect(try machine.feedsync("settings", "get", "grace").output == "1d\n")
    let leave = try machine.feedsync("leave", "--delete-state")
    #expect(leave.status == 0, "\(leave.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: machine.state.path)
    #expect(left.allSatisfy { !$0.hasSuffix(".settings.json") }, "\(left)")
  }

  @Test("that somebody has broken end compact with 78 and the file, and status goes on")
  func broken() throws {
    let machine = try Machine()
    try machine.feedsync("settings", "set", "grace", "1d")
    let names = try FileManager.default.contentsOfDirectory(atPath: machine.state.path)
    let name = try #require(names.first { $0.hasSuffix(".settings.json") })
    try Data(#"{"grace":"soon"}"#.utf8).write(to: machine.state.appending(path: name))
    let run = try machine.feedsync("compact", "--format", "json")
    #expect(run.status == 78)
    #expect(try run.error()["file"]?.text?.hasSuffix(name) == true)
    let status = try machine.feedsync("status")
    #expect(status.status == 0)
    #expect(status.output.contains("'soon' is no value of 'grace'"))
    let imported = try machine.feedsync("import")
    #expect(imported.status == 0 && imported.errors.contains("settings cannot be read"))
  }
}
