import CanonicalJSON
import FeedSyncCommand
import Testing

@Suite("Many words of a command") struct ManyWordsTests {
  private static let many = (0..<500).map { "id\($0)" }

  @Test("are kept from the parser, but for some, and all options are left to it")
  func split() {
    let options = ["--format", "json", "--verbose", "--state=x"]
    for arguments in [
      ["delete", "n"] + Self.many + options, ["delete"] + options + ["n"] + Self.many,
      ["delete", "n"] + Self.many.prefix(250) + options + Self.many.dropFirst(250),
    ] {
      let (parsed, rest) = ManyWords.split(arguments)
      #expect(parsed.count < 100)
      #expect(parsed.prefix(2) == arguments.prefix(2))
      #expect(parsed.filter(options.contains) == options)
      #expect(Set(parsed + rest) == Set(arguments))
      #expect(parsed.count + rest.count == arguments.count)
      #expect(rest == Self.many.filter(rest.contains))
    }
  }

  @Test("may look like options behind --, which is left to the parser")
  func dashes() {
    let arguments = ["kv", "remove", "--"] + Self.many.map { "-\($0)" } + ["--format", "json"]
    let (parsed, rest) = ManyWords.split(arguments)
    #expect(parsed + rest == arguments)
    #expect(parsed.prefix(3) == arguments.prefix(3) && parsed.count < 100)
  }

  @Test("that are few, or of another command, are all for the parser")
  func others() {
    for arguments in [
      ["delete", "n"] + Self.many.prefix(20), ["set", "add", "n", "x", "/s"] + Self.many,
      ["kv", "--store", "x", "remove"] + Self.many, [],
    ] {
      let (parsed, rest) = ManyWords.split(arguments)
      #expect(parsed == arguments && rest.isEmpty)
    }
  }

  @Test("all reach the command, with what stands before, between and behind them")
  func deletes() throws {
    let machine = try Machine()
    let lines = (Self.many + ["-dash"]).map { #"{"body":{},"collection":"n","id":"\#($0)"}"# }
    try machine.feedsync("load", input: lines.joined(separator: "\n"))
    let arguments =
      ["delete", "--verbose", "n"] + Self.many.prefix(300) + ["--format", "json"]
      + Self.many.dropFirst(300) + ["nothing", "--", "-dash", "id1"]
    let run = try Command.run(arguments, environment: machine.environment)
    #expect(run.status == 1)
    #expect(try run.json().object?["changed"] == .integer(501))
    #expect(try run.error()["message"]?.text?.contains("'nothing'") == true)
    #expect(try machine.feedsync("list", "n").output == "")
  }
}
