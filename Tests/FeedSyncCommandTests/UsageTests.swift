import CanonicalJSON
import Foundation
import Testing

@Suite("Usage") struct UsageTests {
  @Test("that is wrong exits with 64 and prints nothing on standard output")
  func wrong() throws {
    let machine = try Machine()
    for arguments in [
      ["nonsense"], ["put"], ["put", "n", "x"], ["get", "n", "x", "y"], ["--nonsense"],
      ["list", "--format", "xml"], ["import", "--twice"], ["delete", "n"],
    ] {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 64, "\(arguments)")
      #expect(run.output == "", "\(arguments)")
      #expect(run.errors != "", "\(arguments)")
    }
  }

  @Test("that is wrong is one object on standard error with --format json")
  func json() throws {
    let machine = try Machine()
    for arguments in [
      ["put", "n", "--format", "json"], ["put", "n", "--format=json"],
      ["--format", "json", "nonsense"],
    ] {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 64)
      #expect(run.output == "")
      _ = try run.error()
    }
  }

  @Test("of a command that there is not names it, whatever stands behind it")
  func unknownCommand() throws {
    let environment = try Machine(initialised: false).environment
    for (words, name, place) in [
      (["nosuch", "-x"], "nosuch", "feedsync"),
      (["kv", "nosuch", "k"], "kv nosuch", "feedsync kv"),
    ] {
      let said = "there is no command '\(name)'"
      let text = try Command.run(words, environment: environment)
      #expect(text.status == 64 && text.errors.contains(said), "\(text.errors)")
      let json = try Command.run(words + ["--format", "json"], environment: environment)
      #expect(json.status == 64 && json.output.isEmpty)
      let error = try json.error()
      #expect(error["message"]?.text == said)
      #expect(error["hint"]?.text == "see '\(place) --help'")
    }
    for words in [["nosuch", "--help"], ["help", "nosuch"], ["help", "kv", "nosuch"]] {
      let help = try Command.run(words, environment: environment)
      #expect(help.status == 64 && help.output.isEmpty, "\(words)")
      #expect(help.errors.contains("there is no command '"), "\(help.errors)")
    }
    for words in [["help"], ["help", "kv"], ["help", "kv", "get"], ["help", "devices"]] {
      let help = try Command.run(words, environment: environment)
      #expect(help.status == 0 && help.errors.isEmpty, "\(words): \(help.errors)")
    }
    // It begins to list, without a word of its own.
    let listing = try Command.run(["devices", "nosuch"], environment: environment)
    #expect(listing.errors.contains("Unexpected argument 'nosuch'"))
  }

  @Test("A failure names its command by all of its words, as 'add' may be of a counter or a set")
  func operation() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", #"{"a":1}"#)
    for (arguments, operation) in [
      (["counter", "add", "n", "x", "/a/b"], "counter add"),
      (["set", "add", "n", "x", "/a", "1"], "set add"),
      (["devices", "retire", "nobody"], "devices retire"), (["undo", "x:1"], "undo"),
      (["settings", "set", "nothing", "1"], "settings set"),
    ] {
      let run = try Command.run(
        arguments + ["--format", "json"], environment: machine.environment)
      #expect(try run.error()["operation"]?.text == operation)
    }
  }

  @Test("of options before the command is answered with where they belong")
  func misplaced() throws {
    let machine = try Machine()
    let cases: [([String], String?)] = [
      (["--format", "json", "put", "n", "x", "{}"], ": feedsync put --format json ..."),
      (
        ["--verbose", "--state=a b", "kv", "get", "k"],
        ": feedsync kv get --verbose '--state=a b' ..."
      ),
      (["--container", "it's", "list"], #": feedsync list --container 'it'\''s'"#),
      (["--verbose"], ""), (["--format", "json", "nonsense"], ""), (["nonsense"], nil),
      (["put"], nil),
    ]
    for (arguments, end) in cases {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 64 && run.output == "", "\(arguments)")
      let hint = "options stand behind the command"
      guard let end else {
        #expect(!run.errors.contains(hint))
        continue
      }
      let text =
        arguments.contains("json")
        ? try run.error()["hint"]?.text
        : run.errors.split(separator: "\n").last.map { String($0.trimmingPrefix("Hint: ")) }
      #expect(text == hint + end, "\(run.errors)")
    }
  }

  @Test("of words with a hyphen, and of options behind --, is answered with where they belong")
  func hyphens() throws {
    let machine = try Machine()
    let behind = "what stands behind -- is no option"
    let cases: [([String], String)] = [
      (["put", "n", "-x", "{}"], "such as -x, stands behind --"),
      (["put", "n", "--", "-x", "{}", "--format", "json"], behind),
      (["kv", "set", "k", "--", "-1", "--format", "json"], behind),
      (["counter", "add", "n", "x", "/c", "--", "-5", "--verbose"], behind),
      (["settings", "set", "grace", "--", "1h", "--format", "json"], behind),
    ]
    for (arguments, text) in cases {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 64 && run.output == "", "\(arguments)")
      #expect(run.errors.contains(text), "\(run.errors)")
    }
  }

  @Test("of text that is no JSON is answered with how text is written")
  func textAsJSON() throws {
    let machine = try Machine()
    for arguments in [
      ["kv", "set", "theme", "dark"], ["set", "add", "n", "x", "/s", "milk"],
      ["conflicts", "resolve", "n", "x", "/a", "--value", "milk"],
    ] {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 65 && run.errors.contains("in quotes of its own"), "\(run.errors)")
    }
  }

  @Test("of a negative number is answered by the command, and not with a missing value")
  func negative() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let cases: [([String], String)] = [
      (["get", "n", "x", "--at", "-1h"], "'-1h' is no time"),
      (["file", "list", "--after", "-1d"], "'-1d' is no time"),
      (["file", "list", "--before", "-1d"], "'-1d' is no time"),
      (["file", "list", "--interval", "-1"], "--interval is between 0 and 86400 seconds"),
      (["load", "--transaction-size", "-1"], "--transaction-size must be at least 1"),
      (["coordinate", "read", "x", "--timeout", "-1", "--", "true"], "--timeout takes a number"),
    ]
    for (arguments, text) in cases {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 64, "\(arguments)")
      #expect(run.errors.contains(text), "\(run.errors)")
    }
    let choice = try machine.feedsync("conflicts", "resolve", "n", "x", "--choose", "-1")
    #expect(choice.status != 0 && !choice.errors.contains("Missing value"))
    // More than less than nothing are all.
    let files = try machine.feedsync("file", "list", "--larger", "-1", "--smaller", "-1")
    #expect(files.status == 0 && files.output == "" && files.errors == "")
  }

  @Test("of --version, --help and completions is an output, and status 0")
  func help() throws {
    let machine = try Machine(initialised: false)
    for arguments in [
      ["--version"], ["--help"], ["put", "--help"], ["--generate-completion-script", "bash"],
    ] {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 0, "\(arguments)")
      #expect(run.output != "", "\(arguments)")
      #expect(run.errors == "", "\(arguments)")
    }
  }

  @Test("of an empty path, as of a variable that is not set, never means the working directory")
  func emptyPath() throws {
    let machine = try Machine(initialised: false)
    for option in ["--state", "--container"] {
      let run = try machine.feedsync(
        "init", machine.folder.path, option, "", "--format", "json", directory: machine.root)
      #expect(run.status == 64)
      #expect(try run.error()["message"]?.text?.contains(option) == true)
    }
    #expect(!FileManager.default.fileExists(atPath: machine.root.path + "/default.json"))
    let run = try machine.feedsync("init", "", directory: machine.folder)
    #expect(run.status == 66)
  }
}
