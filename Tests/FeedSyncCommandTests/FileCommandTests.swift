import CanonicalJSON
import Foundation
import Testing

@Suite("file") struct FileCommandTests {
  private static let copy = "report.sync-conflict-20260131-101500-ABCDEFG.txt"
  let machine: Machine

  init() throws {
    machine = try Machine()
    #expect(try machine.feedsync("file", "list").output == "")
    try write("report.txt", "mine")
    try write(Self.copy, "theirs")
  }

  private var documents: URL { machine.folder.appending(path: "Documents") }

  private func write(_ name: String, _ text: String) throws {
    let url = documents.appending(path: name)
    try Machine.makeDirectory(url.deletingLastPathComponent())
    try Data(text.utf8).write(to: url)
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOf: documents.appending(path: name), encoding: .utf8)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: documents.path).sorted()
  }

  private func versions(_ name: String = "report.txt") throws -> [JSONObject] {
    let run = try machine.feedsync("file", "versions", name, "--format", "json")
    #expect(run.status == 0 && run.errors == "")
    return try run.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
  }

  @Test("lists files at any depth, and which of them have conflicts")
  func lists() throws {
    try write("letters/aunt.txt", "dear aunt")
    try write("gone (Ann's conflicted copy 2026-01-31).txt", "hers")
    let run = try machine.feedsync("file", "list")
    #expect(run.status == 0 && run.errors == "")
    #expect(
      run.lines == [
        "gone.txt: 1 version in conflict, the file itself is gone", "letters/aunt.txt",
        "report.txt: 1 version in conflict",
      ])
    let json = try machine.feedsync("file", "--conflicts", "--format", "json")
    let entries = try json.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
    #expect(entries.map { $0["path"]?.text } == ["gone.txt", "report.txt"])
    #expect(entries[0]["size"] == .null && entries[1]["size"] == .integer(4))
    #expect(
      entries[1].keys == [
        "arrived", "conflicts", "error", "expected", "kind", "modified", "path", "size", "status",
      ])
    #expect(entries.map { $0["status"]?.text } == ["missing", "current"])
  }

  @Test("lists versions by numbers and by identifiers that stay")
  func listsVersions() throws {
    let found = try versions()
    #expect(found.map { $0["version"]?.text } == ["current", Self.copy])
    #expect(found.map { $0["number"] } == [.integer(0), .integer(1)])
    #expect(found[1]["by"]?.text == "ABCDEFG" && found[1]["resolved"] == .bool(false))
    #expect(
      found[1].keys == [
        "by", "handle", "modified", "number", "origin", "path", "resolved", "size", "version",
      ])
    let lines = try machine.feedsync("file", "versions", "report.txt").lines
    #expect(lines.count == 2 && lines[0].hasPrefix("0: current, 4 bytes, "))
    #expect(lines[1].hasPrefix("1: in conflict, 6 bytes, ") && lines[1].hasSuffix("  \(Self.copy)"))
  }

  @Test("takes a path from the current directory, from Documents, or absolute")
  func paths() throws {
    let path = documents.appending(path: "report.txt").path
    for (typed, directory) in [
      ("report.txt", documents), ("Documents/report.txt", machine.folder),
      ("report.txt", machine.home), (path, machine.home), ("../Documents/report.txt", documents),
    ] {
      let run = try machine.feedsync(
        "file", "open", typed, "--print-path", directory: directory)
      #expect(run.output == path + "\n", "\(typed) in \(directory.path)")
    }
  }

  @Test("settles a conflict by a version, and keeps the other one outside of the folder")
  func resolves() throws {
    let run = try machine.feedsync("file", "resolve", "report.txt", "--keep", Self.copy)
    #expect(run.status == 0 && run.output == "" && run.errors == "")
    #expect(try read("report.txt") == "theirs" && names() == ["report.txt"])
    let kept = try #require(try versions().last)
    #expect(kept["origin"]?.text == "kept" && kept["resolved"] == .bool(true))
    let path = try #require(kept["path"]?.text)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(path.hasPrefix(machine.state.appending(path: "versions").path))
    // And back, by its number.
    let back = try machine.feedsync(
      "file", "resolve", "report.txt", "--keep", "1", "--format", "json")
    #expect(back.output == "{\"resolved\":0}\n")
    #expect(try read("report.txt") == "mine")
  }

  @Test("settles a conflict by what was merged, from a file or standard input")
  func merges() throws {
    let run = try machine.feedsync(
      "file", "resolve", "report.txt", "--merged", "-", "--format", "json", input: "both")
    #expect(run.status == 0 && run.output == "{\"resolved\":1}\n")
    #expect(try read("report.txt") == "both" && names() == ["report.txt"])
    #expect(try versions().count == 3)
    try write(Self.copy, "more")
    let file = machine.home.appending(path: "merged")
    try Data("all".utf8).write(to: file)
    #expect(
      try machine.feedsync(
        "file", "resolve", "report.txt", "--merged", file.path, "--seen", Self.copy, "--discard"
      ).status == 0)
    #expect(try read("report.txt") == "all")
    #expect(try versions().count == 4)
  }

  @Test("settles a conflict by what comes through a pipe")
  func mergesPipe() throws {
    let fifo = machine.home.appending(path: "fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", "printf one > \"$0\"", fifo]
    try writer.run()
    let run = try machine.feedsync("file", "resolve", "report.txt", "--merged", fifo)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try read("report.txt") == "one")
    if writer.isRunning { writer.terminate() }
  }

  @Test("deletes versions for good, and never the current one")
  func discards() throws {
    let current = try machine.feedsync("file", "discard", "report.txt", "current")
    #expect(current.status == 64 && current.errors.contains("current version"))
    let run = try machine.feedsync(
      "file", "discard", "report.txt", Self.copy, "7", "1", Self.copy, "--format", "json")
    #expect(run.status == 1 && run.output == "{\"discarded\":1,\"kept\":0}\n")
    #expect(try run.errors.contains("'7'") && names() == ["report.txt"])
    #expect(try versions().count == 1)
  }

  @Test("opens a file or a version in a program, and ends as that does")
  func opens() throws {
    let copy = documents.appending(path: Self.copy).path
    let run = try machine.feedsync(
      "file", "open", "report.txt", "--version", "1", "--with", "echo x")
    #expect(run.status == 0 && run.output == "x \(copy)\n")
    var environment = machine.environment
    environment["EDITOR"] = "sh -c 'cat \"$1\"; exit 3' editor"
    let edited = try machine.feedsync("file", "open", "report.txt", environment: environment)
    #expect(edited.status == 3 && edited.output == "mine")
    let nothing = try machine.feedsync("file", "open", "report.txt", "--format", "json")
    #expect(nothing.status == 78)
    #expect(try nothing.error()["hint"]?.text?.contains("--print-path") == true)
  }

  @Test("opens with xdg-open where there is a display")
  func opensWithDisplay() throws {
    let bin = machine.root.appending(path: "bin")
    try Machine.makeDirectory(bin)
    let program = bin.appending(path: "xdg-open")
    try Data("#!/bin/sh\necho opened \"$@\"\n".utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    var environment = machine.environment
    environment["PATH"] = "\(bin.path):/usr/bin:/bin"
    environment["WAYLAND_DISPLAY"] = "wayland-0"
    let run = try machine.feedsync("file", "open", "report.txt", environment: environment)
    #expect(run.output == "opened \(documents.appending(path: "report.txt").path)\n")
  }

  @Test("ends with 1 for a file or a version that is not there")
  func missing() throws {
    for arguments in [
      ["versions", "none.txt"], ["open", "none.txt", "--print-path"],
      ["resolve", "report.txt", "--keep", "9"], ["resolve", "none.txt", "--keep", "current"],
    ] {
      let run = try Command.run(
        ["file"] + arguments + ["--format", "json"], environment: machine.environment)
      #expect(run.status == 1 && run.output == "", "\(arguments)")
      #expect(try run.error()["hint"]?.text != nil)
    }
  }

  @Test("refuses to be called wrongly")
  func usage() throws {
    for arguments in [
      ["resolve", "report.txt"], ["resolve", "report.txt", "--keep", "1", "--merged", "x"],
      ["discard", "report.txt"], ["versions"],
    ] {
      let run = try Command.run(["file"] + arguments, environment: machine.environment)
      #expect(run.status == 64 && run.output == "", "\(arguments)")
    }
    #expect(try names() == [Self.copy, "report.txt"])
  }

  @Test("refuses links, FIFOs and paths that lead out of Documents with 65")
  func unsafe() throws {
    let files = FileManager.default
    try files.createSymbolicLink(
      at: documents.appending(path: "out"), withDestinationURL: machine.home)
    try files.createSymbolicLink(
      atPath: documents.appending(path: "link.txt").path, withDestinationPath: "report.txt")
    #expect(mkfifo(documents.appending(path: "fifo.txt").path, 0o600) == 0)
    for path in [
      "out/x.txt", "link.txt", "fifo.txt", "../feedsync.container", "/etc/passwd",
      documents.path, "a.nosync",
    ] {
      for arguments in [["versions", path], ["resolve", path, "--keep", "current"]] {
        let run = try Command.run(
          ["file"] + arguments + ["--format", "json"], environment: machine.environment)
        #expect(run.status == 65 && run.output == "", "\(arguments)")
        #expect(try run.error()["file"]?.text != nil)
      }
    }
    #expect(try machine.feedsync("file", "list").lines == ["report.txt: 1 version in conflict"])
  }

  @Test("ends with 66 where the folder is away or another one, and keeps nothing")
  func away() throws {
    try FileManager.default.moveItem(
      at: machine.folder, to: machine.root.appending(path: "elsewhere"))
    for arguments in [
      ["list"], ["versions", "report.txt"], ["resolve", "report.txt", "--keep", "1"],
    ] {
      let run = try Command.run(["file"] + arguments, environment: machine.environment)
      #expect(run.status == 66 && run.output == "", "\(arguments)")
    }
    #expect(!FileManager.default.fileExists(atPath: machine.folder.path))
    #expect(
      !FileManager.default.fileExists(atPath: machine.state.appending(path: "versions").path))
  }

  @Test("keeps what lost a conflict when the device leaves and its database goes")
  func leaving() throws {
    #expect(
      try machine.feedsync("file", "resolve", "report.txt", "--keep", "current").status == 0)
    let path = try #require(try versions().last?["path"]?.text)
    #expect(try machine.feedsync("leave", "--delete-state").status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "theirs")
    #expect(try machine.feedsync("init", machine.folder.path).status == 0)
    #expect(try versions().last?["path"]?.text == path)
  }
}
