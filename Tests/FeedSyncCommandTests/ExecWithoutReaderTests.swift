import CanonicalJSON
import Foundation
import Testing

/// What a watch has committed is told to no later one, so that its commands have to get it.
@Suite("--exec of a watch whose lines cannot be written", .timeLimit(.minutes(3)))
struct ExecWithoutReaderTests {
  private let machine: Machine
  private let scratch: Scratch

  /// Two others have written, before ann's watch begins.
  init() throws {
    (machine, scratch) = (try Machine(), try Scratch())
    for name in ["bob", "cem"] {
      try machine.feedsync("put", "n", name, "{}", environment: try machine.joined(name))
    }
  }

  /// Runs a script to its end; it has the command's path in `$0`.
  private func run(_ script: String) throws {
    // A shell's pipes can be inherited by no other test's processes: there would be a reader still.
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Command.binary.path]
    process.environment = machine.environment
    process.currentDirectoryURL = scratch.url
    try process.run()
    process.waitUntilExit()
  }

  /// Runs a command whose output is a pipe that nobody reads.
  private func runWithoutReader(_ command: String, before: String = "") throws {
    try run(
      """
      { \(before) while [ ! -e gone ]; do sleep 0.1; done
        timeout 60 \(command); echo $? >status
      } | { exec <&-; : >gone; }
      """)
  }

  private func expectAllLines() throws {
    let lines = try scratch.text("lines").split(separator: "\n").map { line in
      try #require(try JSON(parsing: Array(line.utf8)).object)
    }
    #expect(lines.map { $0["event"]?.text } == ["watching", "import", "import"])
    let names = lines.compactMap { $0["device"]?.object?["name"]?.text }
    #expect(Set(names) == ["ann", "bob", "cem"])
  }

  @Test(
    "gets what was imported before it is found that nobody reads, SIGPIPE ignored or not",
    arguments: ["", "trap '' PIPE;"])
  func readerGone(before: String) throws {
    try runWithoutReader(#""$0" watch --exec 'cat >>lines' 2>errors"#, before: before)
    #expect(try scratch.text("status") == "\(128 + SIGPIPE)\n")
    #expect(try scratch.text("errors") == "")
    try expectAllLines()
  }

  @Test("gets it also where nobody reads the warnings, of which there is one for each line")
  func warningsUnread() throws {
    try runWithoutReader(#""$0" watch --exec 'cat >>lines; exit 1' 2>&1"#)
    #expect(try scratch.text("status") == "\(128 + SIGPIPE)\n")
    try expectAllLines()
  }

  @Test("gets it also where a full disk is under them, which is told once and ends it with 73")
  func fullDisk() throws {
    try run(
      #"timeout 60 "$0" watch --exec 'cat >>lines' >/dev/full 2>errors; echo $? >status"#)
    #expect(try scratch.text("status") == "73\n")
    let errors = try scratch.text("errors")
    #expect(errors.split(separator: "\n").count == 1)
    #expect(errors.contains("cannot write the results"))
    try expectAllLines()
  }
}
