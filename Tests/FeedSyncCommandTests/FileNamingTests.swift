import CanonicalJSON
import Foundation
import Testing

@Suite("file, naming versions") struct FileNamingTests {
  private static let copy = "report.sync-conflict-20260131-101500-ABCDEFG.txt"
  /// Comes before the other one in a list.
  private static let unseen = "report.sync-conflict-20260130-101500-HIJKLMN.txt"
  let machine: Machine

  init() throws {
    machine = try Machine()
    try Machine.makeDirectory(documents)
    try write("report.txt", "mine")
    try write(Self.copy, "theirs")
  }

  private var documents: URL { machine.folder.appending(path: "Documents") }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: documents.appending(path: name))
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: documents.path).sorted()
  }

  private func versions() throws -> [JSONObject] {
    let run = try machine.feedsync("file", "versions", "report.txt", "--format", "json")
    return try run.lines.map { try #require(try JSON(parsing: Array($0.utf8)).object) }
  }

  private func handle(of version: String) throws -> String {
    let found = try #require(try versions().first { $0["version"]?.text == version })
    return try #require(found["handle"]?.text)
  }

  /// What is kept on this machine.
  private func kept() throws -> Set<String> {
    let paths = try versions().filter { $0["origin"]?.text == "kept" }.map { version in
      try #require(version["path"]?.text)
    }
    return Set(try paths.map { try String(contentsOfFile: $0, encoding: .utf8) })
  }

  private func run(_ command: String, _ arguments: String...) throws -> CommandRun {
    try Command.run(
      ["file", command, "report.txt"] + arguments, environment: machine.environment)
  }

  @Test("shows a handle of each version, which stays while versions come and go")
  func handles() throws {
    let before = [try handle(of: "current"), try handle(of: Self.copy)]
    #expect(Set(before).count == 2)
    for handle in before { #expect(handle.utf8.count == 8 && handle.allSatisfy(\.isHexDigit)) }
    try write(Self.unseen, "unseen")
    #expect([try handle(of: "current"), try handle(of: Self.copy)] == before)
    let lines = try run("versions").lines
    #expect(lines[0].hasSuffix("  \(before[0])"))
    #expect(lines[2].hasSuffix("  \(before[1])  \(Self.copy)"))
    let path = try run("open", "--version", before[1], "--print-path").output
    #expect(path == documents.appending(path: Self.copy).path + "\n")
  }

  @Test("keeps what it discards by a number, which may mean what nobody has seen")
  func numberOfAConflict() throws {
    try write(Self.unseen, "unseen")
    let discarded = try run("discard", "1", "--format", "json")
    #expect(discarded.status == 0 && discarded.output == "{\"discarded\":0,\"kept\":1}\n")
    #expect(discarded.errors.contains("not deleted"))
    #expect(try names() == [Self.copy, "report.txt"] && kept() == ["unseen"])
  }

  @Test("deletes the version that a handle or an identifier names, whatever its number")
  func handleOfAConflict() throws {
    let handle = try handle(of: Self.copy)
    try write(Self.unseen, "unseen")
    for name in [handle, Self.unseen] {
      let discarded = try run("discard", name, "--format", "json")
      #expect(discarded.status == 0 && discarded.errors == "")
      #expect(discarded.output == "{\"discarded\":1,\"kept\":0}\n")
    }
    #expect(try names() == ["report.txt"] && kept().isEmpty)
  }

  @Test("knows no version by the handle of what has been written anew")
  func staleHandle() throws {
    let handle = try handle(of: Self.copy)
    try write(Self.copy, "theirs, and more")
    for arguments in [["discard", handle], ["resolve", "--keep", handle]] {
      let run = try Command.run(
        ["file", arguments[0], "report.txt"] + arguments.dropFirst(),
        environment: machine.environment)
      #expect(run.status == 1 && run.errors.contains(handle), "\(arguments)")
    }
    #expect(try names() == [Self.copy, "report.txt"])
  }

  @Test("refuses to delete what is kept here by a number")
  func numberOfAKeptOne() throws {
    #expect(try run("resolve", "--keep", "current").status == 0)
    let refused = try run("discard", "1")
    #expect(refused.status == 64 && refused.errors.contains("handle"))
    #expect(try kept() == ["theirs"])
    let id = try #require(try versions().last?["version"]?.text)
    #expect(try run("discard", handle(of: id)).status == 0)
    #expect(try kept().isEmpty)
  }

  @Test("settles and deletes only what --seen names")
  func seen() throws {
    let handle = try handle(of: Self.copy)
    try write(Self.unseen, "unseen")
    let resolved = try run(
      "resolve", "--keep", "current", "--seen", handle, "--discard", "--format", "json")
    #expect(resolved.status == 0 && resolved.errors == "")
    #expect(resolved.output == "{\"resolved\":1}\n")
    #expect(try names() == [Self.unseen, "report.txt"] && kept().isEmpty)
  }

  @Test("settles the chosen version though --seen does not name it")
  func seenAndChosen() throws {
    try write(Self.unseen, "hers")
    let resolved = try run(
      "resolve", "--keep", Self.copy, "--seen", Self.unseen, "--discard")
    #expect(resolved.status == 0 && resolved.errors == "")
    #expect(try names() == ["report.txt"] && kept() == ["mine"])
  }

  @Test("keeps what is not chosen where nothing, or a number, says what was seen")
  func discardingUnseen() throws {
    for (arguments, expected) in [
      (["--keep", "current"], ["theirs"]),
      (["--keep", "1", "--seen", Self.copy, "--seen", Self.unseen], ["theirs", "mine", "later"]),
    ] as [([String], Set<String>)] {
      let resolved = try Command.run(
        ["file", "resolve", "report.txt", "--discard"] + arguments,
        environment: machine.environment)
      #expect(resolved.status == 0 && resolved.errors.contains("nothing is deleted"))
      #expect(try names() == ["report.txt"] && kept() == expected, "\(arguments)")
      try write(Self.unseen, "first")
      try write(Self.copy, "later")
    }
  }

  @Test("takes no number for what was seen")
  func seenByNumber() throws {
    let refused = try run("resolve", "--keep", "current", "--seen", "1")
    #expect(refused.status == 64 && refused.errors.contains("handle"))
    #expect(try names() == [Self.copy, "report.txt"])
  }
}
