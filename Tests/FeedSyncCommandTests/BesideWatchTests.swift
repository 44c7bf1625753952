import CanonicalJSON
import Foundation
import Testing

@Suite("import --once beside a running watch", .timeLimit(.minutes(5))) struct BesideWatchTests {
  private static let rounds = 20
  private static let transactions = 10

  /// HOME and PATH, and nothing else.
  private func bare(_ machine: Machine, _ name: String) throws -> [String: String] {
    let home = machine.root.appending(path: name)
    try Machine.makeDirectory(home)
    let environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"]
    let run = try machine.feedsync(
      "init", machine.folder.path, "--device-name", name, environment: environment)
    try #require(run.status == 0, "\(run.errors)")
    return environment
  }

  /// Lines for `load`, a transaction each, some of which write the same documents again.
  private func lines(_ round: Int) -> String {
    (0..<Self.transactions).map { number in
      let id = number == 0 ? "shared" : "\(round)-\(number)"
      return #"{"body":{"round":\#(round)},"collection":"n","id":"\#(id)"}"#
    }.joined(separator: "\n")
  }

  private func count(_ value: JSON?) -> Int {
    if case .integer(let number) = value { Int(number) } else { 0 }
  }

  @Test("with nothing but HOME and PATH brings 200 transactions in once, whoever imports them")
  func once() throws {
    let machine = try Machine(initialised: false)
    let (ann, bob) = (try bare(machine, "ann"), try bare(machine, "bob"))
    let watch = try RunningWatch(environment: bob)
    _ = try watch.next("watching")
    var byImport = 0
    for round in 0..<Self.rounds {
      let writer = Command.process(["load", "--transaction-size", "1"], environment: ann)
      let input = Pipe()
      writer.standardInput = input
      try writer.run()
      try input.fileHandleForWriting.write(contentsOf: Data(lines(round).utf8))
      try input.fileHandleForWriting.close()
      // While ann writes and bob's watch imports, bob imports and writes, too.
      let run = try machine.feedsync("import", "--once", "--format", "json", environment: bob)
      #expect(run.status == 0 && run.errors == "")
      byImport += count(try run.json().object?["transactions"])
      let put = try machine.feedsync("put", "mine", "\(round)", "{}", environment: bob)
      #expect(put.status == 0 && put.errors == "")
      writer.waitUntilExit()
      #expect(writer.terminationStatus == 0)
    }
    let last = try machine.feedsync("import", "--format", "json", environment: bob)
    byImport += count(try last.json().object?["transactions"])
    #expect(last.status == 0)
    #expect(watch.terminate() == 0)
    var byWatch = 0
    for line in try watch.rest() where line["event"]?.text == "import" {
      byWatch += count(line["transactions"])
    }
    // Each transaction is told of by exactly one of the two.
    #expect(byImport + byWatch == Self.rounds * Self.transactions)

    #expect(try machine.feedsync("import", environment: ann).status == 0)
    let dump = try machine.feedsync("dump", environment: bob)
    #expect(dump.lines.count == Self.rounds * (Self.transactions - 1) + 1 + Self.rounds)
    #expect(try machine.feedsync("dump", environment: ann).output == dump.output)
    #expect(
      try machine.feedsync("get", "n", "shared", environment: bob).output
        == "{\"round\":\(Self.rounds - 1)}\n")
    for environment in [ann, bob] {
      let status = try machine.feedsync("status", "--format", "json", environment: environment)
      let object = try status.json().object
      #expect(object?["set_aside"] == .array([]) && object?["unpublished"] == .integer(0))
    }
  }
}
