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
