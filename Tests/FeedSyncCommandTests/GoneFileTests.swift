import CanonicalJSON
import Foundation
import Testing

/// Documents that are gone, of which versions are kept on this machine.
@Suite("file, of what is gone,") struct GoneFileTests {
  private static let name = "letters/report.txt"
  private let machine: Machine

  init() throws {
    machine = try Machine()
    try machine.feedsync("file", "list")
    try Machine.makeDirectory(letters)
    try write("report.txt", "mine")
    try write("report.sync-conflict-20260131-101500-ABCDEFG.txt", "theirs")
    let run = try machine.feedsync("file", "resolve", Self.name, "--keep", "current")
    #expect(run.status == 0 && run.errors == "")
    try FileManager.default.removeItem(at: letters)
  }

  private var letters: URL { machine.folder.appending(path: "Documents/letters") }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: letters.appending(path: name))
  }

  private func objects(_ arguments: String...) throws -> [JSONObject] {
    let run = try Command.run(
      ["file"] + arguments + ["--format", "json"], environment: machine.environment)
    #expect(run.status == 0 && run.errors == "")
    return try run.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
  }

  @Test("lists it, marked, and with the number of its versions")
  func lists() throws {
    let line = "\(Self.name): 1 version kept here, the file itself is gone"
    #expect(try machine.feedsync("file", "list").lines == [line])
    #expect(try machine.feedsync("file", "list", "--status", "missing").lines == [line])
    #expect(try machine.feedsync("file", "list", "--conflicts").lines == [])
    let listed = try objects("list")
    #expect(listed.count == 1)
    let file = try #require(listed.first)
    #expect(file["path"]?.text == Self.name && file["status"]?.text == "missing")
    #expect(file["size"] == .null && file["kept"] == .integer(1))
    #expect(file["conflicts"] == .integer(0))
  }

  @Test("has doctor count its versions, as a note with what to do")
  func doctor() throws {
    let run = try machine.diagnose()
    #expect(run.found == ["note kept-versions"])
    let found = try #require(run.findings.first)
    #expect(found["message"]?.text?.hasPrefix("1 version of a document that is gone") == true)
    #expect(found["file"]?.text?.hasSuffix("/Documents/\(Self.name)") == true)
    #expect(found["hint"]?.text?.contains("feedsync file resolve FILE --keep 1") == true)
  }

  @Test("shows a version, and brings it back with its folder")
  func bringsBack() throws {
    let versions = try objects("versions", Self.name)
    #expect(versions.map { $0["origin"]?.text } == ["kept"])
    let shown = try machine.feedsync("file", "open", Self.name, "--version", "1", "--with", "cat")
    #expect(shown.status == 0 && shown.output == "theirs")
    let run = try machine.feedsync("file", "resolve", Self.name, "--keep", "1")
    #expect(run.status == 0 && run.output == "" && run.errors == "")
    #expect(
      try String(contentsOf: letters.appending(path: "report.txt"), encoding: .utf8) == "theirs")
    #expect(try machine.feedsync("file", "list").lines == [Self.name])
    #expect(try objects("list").first?["kept"] == nil)
    #expect(try machine.diagnose().found == [])
  }

  @Test("deletes a version for good, and makes no folder for that")
  func discards() throws {
    let handle = try #require(try objects("versions", Self.name).first?["handle"]?.text)
    #expect(try machine.feedsync("file", "discard", Self.name, handle).status == 0)
    #expect(try machine.feedsync("file", "list").lines == [])
    #expect(try machine.diagnose().found == [])
    #expect(!FileManager.default.fileExists(atPath: letters.path))
  }

  @Test(
    "shows and deletes a version, and brings none back, where a folder or link has its place",
    arguments: [true, false])
  func takenPlace(isFolder: Bool) throws {
    let place = letters.appending(path: "report.txt")
    if isFolder {
      try Machine.makeDirectory(place)
    } else {
      try Machine.makeDirectory(letters)
      try FileManager.default.createSymbolicLink(
        atPath: place.path, withDestinationPath: "elsewhere.txt")
    }
    let versions = try objects("versions", Self.name)
    #expect(versions.map { $0["origin"]?.text } == ["kept"])
    let handle = try #require(versions.first?["handle"]?.text)
    let shown = try machine.feedsync(
      "file", "open", Self.name, "--version", handle, "--with", "cat")
    #expect(shown.status == 0 && shown.output == "theirs")
    try write("merged.txt", "ours")
    let merged = letters.appending(path: "merged.txt").path
    for arguments in [
      ["open", Self.name, "--with", "cat"], ["resolve", Self.name, "--keep", "current"],
      ["resolve", Self.name, "--keep", handle], ["resolve", Self.name, "--merged", merged],
    ] {
      let run = try Command.run(["file"] + arguments, environment: machine.environment)
      #expect(run.status == 65 && run.errors.contains("no regular file"), "\(arguments)")
    }
    #expect(try objects("versions", Self.name).map { $0["handle"]?.text } == [handle])
    #expect(try machine.feedsync("file", "discard", Self.name, handle).status == 0)
    #expect(try machine.feedsync("file", "versions", Self.name).status == 65)
  }
}
