import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync devices") struct DevicesCommandTests {
  @Test("lists every device, with what has come of it and since when something is missing")
  func list() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 1...3 { try machine.feedsync("put", "n", "x\(number)", "{}") }
    let second = try #require(try machine.logs().dropFirst().first)
    try FileManager.default.moveItem(at: second, to: machine.root.appending(path: "kept"))
    try machine.feedsync("import", environment: bob)
    for arguments in [["devices"], ["devices", "list"]] {
      let run = try Command.run(arguments + ["--format", "json"], environment: bob)
      #expect(run.status == 0)
      let rows = try run.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
      #expect(rows.count == 2)
      let ann = try #require(rows.first { $0["name"]?.text == "ann" })
      #expect(
        ann.keys == [
          "branches", "former", "gap_since", "given_up", "id", "name", "own", "retired_at",
          "returned_at", "transactions", "unpublished", "written_at",
        ])
      #expect(ann["own"] == .bool(false))
      #expect(ann["transactions"] == .integer(1))
      #expect(ann["written_at"]?.text?.hasSuffix("Z") == true)
      #expect(ann["gap_since"]?.text?.hasSuffix("Z") == true)
      #expect(ann["unpublished"] == .null)
      let own = try #require(rows.first { $0["name"]?.text == "bob" })
      #expect(own["own"] == .bool(true))
      #expect(own["written_at"] == .null)
      #expect(own["gap_since"] == .null)
      #expect(own["unpublished"] == .integer(0))
    }
    let text = try machine.feedsync("devices", environment: bob)
    #expect(text.lines.count == 2)
    #expect(text.output.contains(" ann: 1 transaction, last written "))
    #expect(text.output.contains("something missing since"))
    #expect(text.output.contains(" bob: 0 transactions, this device\n"))
  }

  @Test("rename NAME reaches the others at once, and does nothing the second time")
  func rename() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    let renamed = try machine.feedsync("devices", "rename", "Änne's laptop")
    #expect(renamed.status == 0)
    #expect(renamed.output == "")
    #expect(try machine.logs().count == 1)
    let again = try machine.feedsync("devices", "rename", "Änne's laptop", "--format", "json")
    #expect(again.output == #"{"changed":0,"transaction":null}"# + "\n")
    #expect(try machine.logs().count == 1)
    try machine.feedsync("import", environment: bob)
    #expect(
      try machine.feedsync("devices", environment: bob).output.contains(" Änne's laptop: 1 "))
    let third = try machine.feedsync("devices", "rename", "c", "--format", "json").json().object
    #expect(third?["transaction"]?.text?.hasSuffix(":2") == true)
    // Initialising again keeps the name, unless another is asked for.
    try machine.feedsync("init", machine.folder.path)
    #expect(try machine.feedsync("devices").output.contains(" c: "))
    try machine.feedsync("init", machine.folder.path, "--device-name", "d")
    try machine.feedsync("import")
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("devices", environment: bob).output.contains(" d: 3 "))
  }

  @Test("rename refuses what init does")
  func badName() throws {
    let machine = try Machine()
    for name in ["", String(repeating: "x", count: 65), "a\nb", "\u{1B}[2J"] {
      let run = try machine.feedsync("devices", "rename", name, "--format", "json")
      #expect(run.status == 65)
      _ = try run.error()
    }
    #expect(try machine.feedsync("devices", "rename").status == 64)
    #expect(try machine.logs().isEmpty)
  }

  @Test("rename works while the folder is away, and is published later")
  func away() throws {
    let machine = try Machine()
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: machine.folder, to: kept)
    let run = try machine.feedsync("devices", "rename", "b")
    #expect(run.status == 0)
    #expect(run.errors.contains("warning"))
    #expect(run.errors.contains("feedsync init NEWPATH"))
    #expect(try machine.feedsync("devices").output.contains(" b: 1 transaction,"))
    #expect(try machine.feedsync("init", kept.path).status == 0)
    let report = try machine.feedsync("import", "--format", "json").json().object
    #expect(report?["published"] == .integer(1))
  }
}
