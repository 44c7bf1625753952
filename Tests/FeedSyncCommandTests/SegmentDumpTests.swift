import CanonicalJSON
import Foundation
import Testing

/// The expected text is written anew with `FEEDSYNC_REGENERATE_GOLDEN=1`.
@Suite("feedsync segment dump") struct SegmentDumpTests {
  private static let fixtures = Command.package.appending(path: "fixtures/segments")
  private static let isRegenerating =
    ProcessInfo.processInfo.environment["FEEDSYNC_REGENERATE_GOLDEN"] == "1"

  @Test("prints the golden files as it always has")
  func golden() throws {
    let machine = try Machine(initialised: false)
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path)
      .filter { $0.hasSuffix(".log") }
    #expect(names.count >= 6)
    for name in names {
      let file = Self.fixtures.appending(path: name)
      let run = try machine.feedsync("segment", "dump", file.path)
      #expect(run.status == 0)
      #expect(run.errors == "")
      #expect(try run.json().canonical + "\n" == run.output)
      let expected = file.deletingPathExtension().appendingPathExtension("json")
      if Self.isRegenerating { try Data(run.output.utf8).write(to: expected) }
      #expect(try String(contentsOf: expected, encoding: .utf8) == run.output, "\(name)")
    }
  }

  @Test("exits with 65 for what is no segment, and 74 for what cannot be read")
  func bad() throws {
    let machine = try Machine(initialised: false)
    let file = machine.root.appending(path: "bad.log")
    try Data("nonsense".utf8).write(to: file)
    let run = try machine.feedsync("segment", "dump", file.path, "--format", "json")
    #expect(run.status == 65)
    #expect(try run.error()["file"]?.text == file.path)
    #expect(try machine.feedsync("segment", "dump", file.path + ".not").status == 74)
    #expect(try machine.feedsync("segment", "dump", machine.root.path).status == 74)
  }

  @Test("join writes what imports as the same transactions")
  func join() throws {
    let machine = try Machine()
    for number in 1...3 { try machine.feedsync("put", "n", "x", #"{"n":\#(number)}"#) }
    let files = try machine.logs()
    let directory = files[0].deletingLastPathComponent()
    let run = try Command.run(
      ["segment", "join", "--output", directory.path] + files.reversed().map(\.path),
      environment: machine.environment)
    #expect(run.status == 0)
    for file in files { try FileManager.default.removeItem(at: file) }
    #expect(try machine.logs().map(\.path) == run.lines)
    let bob = try machine.joined("bob")
    let report = try machine.feedsync("import", "--format", "json", environment: bob)
    #expect(try report.json().object?["transactions"] == .integer(3))
    #expect(try machine.feedsync("get", "n", "x", environment: bob).output == "{\"n\":3}\n")
  }
}
