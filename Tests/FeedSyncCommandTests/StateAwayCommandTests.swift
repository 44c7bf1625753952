import CanonicalJSON
import Foundation
import Testing

@Suite("A local state whose disk is away") struct StateAwayCommandTests {
  @Test(
    "ends commands of its container with 74, after which a service tries again",
    arguments: [[:], ["FEEDSYNC_STATE": ""]])
  func away(changes: [String: String]) throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let environment = machine.environment.merging(changes) { $1 }
    let option = changes.isEmpty ? [] : ["--state", machine.state.path]
    let arguments = ["--container", machine.folder.path] + option
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: machine.state, to: kept)
    for command in [["watch"], ["import"], ["list", "n"], ["put", "n", "y", "{}"]] {
      let run = try Command.run(
        command + arguments + ["--format", "json"], environment: environment)
      #expect(run.status == 74, "\(command)")
      #expect(run.output == "")
      #expect(try run.error()["file"]?.text == machine.state.path)
    }
    // Nothing was made there that the disk would hide.
    #expect(!FileManager.default.fileExists(atPath: machine.state.path))
    try FileManager.default.moveItem(at: kept, to: machine.state)
    let run = try Command.run(["list", "n"] + arguments, environment: environment)
    #expect(run.status == 0 && run.output == "x\n")
  }

  @Test("is taken for none where nothing names it: 78, as before the first init")
  func unnamed() throws {
    let machine = try Machine()
    let run = try machine.feedsync(
      "watch", "--container", machine.folder.path, "--format", "json",
      environment: machine.bareEnvironment)
    #expect(run.status == 78)
    _ = try run.error()
  }
}
