import CanonicalJSON
import Foundation
import Testing

@Suite("file list", .timeLimit(.minutes(5))) struct FileListCommandTests {
  private let machine: Machine
  private var documents: URL { machine.folder.appending(path: "Documents") }

  init() throws {
    machine = try Machine()
    try machine.feedsync("file", "list")
    try write("a.txt", "four")
    try write("letters/aunt.md", "dear aunt")
    try write("letters/.syncthing.uncle.md.tmp", "dear un")
  }

  private func write(_ name: String, _ text: String) throws {
    let url = documents.appending(path: name)
    try Machine.makeDirectory(url.deletingLastPathComponent())
    try Data(text.utf8).write(to: url)
  }

  @Test("shows the files for which all conditions hold, in an order")
  func conditions() throws {
    let all = ["a.txt", "letters/aunt.md", "letters/uncle.md: arriving, 7 bytes"]
    #expect(try machine.feedsync("file", "list").lines == all)
    for (arguments, expected) in [
      (["--name", "*.txt"], ["a.txt"]), (["--in", "letters", "--status", "current"], [all[1]]),
      (["--name", "a*", "--order", "size:desc"], [all[1], "a.txt"]),
      (["--larger", "4"], [all[1]]), (["--smaller", "5"], ["a.txt"]), (["--arriving"], [all[2]]),
      (["--before", "1d"], []), (["--after", "1d", "--order", "name:asc"], [all[0], all[1]]),
      (["--conflicts"], []), (["--name", "*.txt", "--name", "letters/a*"], [all[0], all[1]]),
    ] {
      let run = try Command.run(["file", "list"] + arguments, environment: machine.environment)
      #expect(run.status == 0 && run.errors == "" && run.lines == expected, "\(arguments)")
    }
    for arguments in [["--order", "colour"], ["--status", "x"], ["--after", "soon"]] {
      let run = try Command.run(["file", "list"] + arguments, environment: machine.environment)
      #expect(run.status == 64, "\(arguments): \(run.errors)")
    }
  }

  @Test("escapes a hostile name, and shows conflict copies as files when asked to")
  func names() throws {
    try write("b\u{1B}[2J\n.txt", "x")
    let copy = "a.sync-conflict-20260131-101500-ABCDEFG.txt"
    try write(copy, "theirs")
    let run = try machine.feedsync("file", "list", "--name", "b*")
    #expect(run.lines == [#""b\u001b[2J\n.txt""#])
    let lines = try machine.feedsync("file", "list", "--copies", "--name", "a*.txt").lines
    #expect(lines == [copy, "a.txt: 1 version in conflict"])
  }

  @Test("goes on with --live: everything once, then a line for what changes")
  func live() throws {
    let list = try RunningWatch(
      command: ["file", "list", "--name", "*.md", "--live", "--interval", "0.05"],
      environment: machine.environment)
    let first = try list.next("gathered")
    #expect(first["files"]?.elements?.count == 2 && first["problems"] == [])
    let temporary = documents.appending(path: "letters/.syncthing.uncle.md.tmp")
    try FileManager.default.moveItem(
      at: temporary, to: documents.appending(path: "letters/uncle.md"))
    let second = try list.next("updated")
    let changed = try #require(second["changed"]?.elements?.first?.object)
    #expect(changed["path"]?.text == "letters/uncle.md" && changed["status"]?.text == "current")
    #expect(changed["position"] == .integer(1) && changed["arrived"] == .null)
    // It does not match, so it is no line.
    try write("b.txt", "x")
    try FileManager.default.removeItem(at: documents.appending(path: "letters/aunt.md"))
    #expect(try list.next("updated")["removed"] == ["letters/aunt.md"])
    #expect(list.terminate() == 0)
    #expect(try list.rest() == [])
  }

  @Test("tells with --live that the folder is away, and does not take its files for deleted")
  func away() throws {
    let list = try RunningWatch(
      command: ["file", "list", "--live", "--interval", "0"], environment: machine.environment)
    _ = try list.next("gathered")
    let elsewhere = machine.root.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: machine.folder, to: elsewhere)
    try FileManager.default.removeItem(at: elsewhere.appending(path: "Documents/a.txt"))
    let away = try list.next("updated")
    #expect(away["removed"] == [] && away["problems"]?.elements?.count == 1)
    try FileManager.default.moveItem(at: elsewhere, to: machine.folder)
    let back = try list.next("updated")
    #expect(back["problems"] == [] && back["removed"] == ["a.txt"])
    #expect(list.interrupt() == 0)
  }
}
