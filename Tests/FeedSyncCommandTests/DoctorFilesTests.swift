import CanonicalJSON
import Foundation
import Testing

/// What `doctor` finds in the folder.
@Suite("feedsync doctor, of the folder's files,") struct DoctorFilesTests {
  private static let conflict = "sync-conflict-20260131-101500-ABCDEFG"

  @Test("names gaps with their device (lesson 12), and what is set aside")
  func gap() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 1...3 { try machine.feedsync("put", "n", "x", "{\"n\":\(number)}") }
    let logs = try machine.logs()
    let aside = machine.root.appending(path: "aside.log")
    try FileManager.default.moveItem(at: logs[1], to: aside)
    try Data("cut".utf8).write(to: logs[0].deletingLastPathComponent().appending(path: "cut.log"))
    try machine.feedsync("import", environment: bob)
    let run = try machine.diagnose(environment: bob)
    #expect(run.status == 1 && run.found == ["warning gap", "error set-aside"])
    let gap = try #require(run.findings.first)
    #expect(gap["device"]?.object?["name"]?.text == "ann")
    #expect(gap["message"]?.text?.hasPrefix("missing from ann: transaction 2,") == true)
    #expect(run.findings.last?["file"]?.text?.hasSuffix("/cut.log") == true)
    // The author itself misses what it has published.
    let own = try machine.diagnose()
    #expect(own.found.contains("error published"))
    #expect(
      own.findings.contains { $0["message"]?.text?.contains("transaction 2 of this") == true })
    try FileManager.default.moveItem(at: aside, to: logs[1])
    try FileManager.default.removeItem(
      at: logs[0].deletingLastPathComponent().appending(path: "cut.log"))
    try machine.feedsync("import", environment: bob)
    #expect(try machine.diagnose(environment: bob).found == [])
    #expect(try machine.diagnose().found == [])
  }

  @Test("never calls the whole file dispensable that stands beside a damaged one's name")
  func wholeBesideDamaged() throws {
    let machine = try Machine()
    for id in ["a", "b", "c"] { try machine.feedsync("put", "n", id, "{}") }
    let damaged = try machine.logs()[1]
    var bytes = try Data(contentsOf: damaged)
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: damaged)
    #expect(try machine.diagnose().found.contains("error published"))
    #expect(try machine.feedsync("import").status == 65)
    let logs = try machine.logs()
    #expect(logs.count == 4)
    #expect(try machine.diagnose().found == ["error set-aside"])
    // The damaged one can go, and then nothing is left to say.
    try FileManager.default.removeItem(at: damaged)
    #expect(try machine.feedsync("import").status == 0)
    #expect(try machine.diagnose().found == [])
    let bob = try machine.joined("bob")
    #expect(try machine.feedsync("import", environment: bob).status == 0)
    #expect(try machine.feedsync("list", "n", environment: bob).output == "a\nb\nc\n")
    // A copy of one that is there can go.
    try FileManager.default.copyItem(
      at: logs[0], to: logs[0].deletingLastPathComponent().appending(path: "copy.log"))
    try machine.feedsync("import")
    #expect(try machine.diagnose().found == ["note foreign"])
  }

  // Lesson 22.
  @Test("names what is missing of a folder that was put back to an older state")
  func rolledBack() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 1...2 { try machine.feedsync("put", "n", "x", "{\"n\":\(number)}") }
    let before = Set(try machine.logs().map(\.path))
    try machine.feedsync("put", "n", "x", #"{"n":3}"#)
    try machine.feedsync("import", environment: bob)
    // Nothing in the folder tells of the last one any more.
    let lost = Set(try machine.logs().map(\.path)).subtracting(before)
    #expect(lost.count == 1)
    for path in lost { try FileManager.default.removeItem(atPath: path) }
    let run = try machine.diagnose()
    #expect(run.status == 1 && run.found == ["error published"])
    #expect(
      run.findings.first?["message"]?.text?.contains("transaction 3 of this device") == true)
    // Who has it loses nothing by that, and its author puts it back.
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("get", "n", "x", environment: bob).output == "{\"n\":3}\n")
    try machine.feedsync("import")
    #expect(try Set(machine.logs().map(\.path)) == lost.union(before))
    #expect(try machine.diagnose().found == [])
  }

  // Lesson 9.
  @Test("names conflict copies with the syncer that made them, and foreign files")
  func conflicts() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let original = try #require(try machine.logs().first)
    let directory = original.deletingLastPathComponent()
    let stem = original.deletingPathExtension().lastPathComponent
    try FileManager.default.copyItem(
      at: original, to: directory.appending(path: "\(stem).\(Self.conflict).log"))
    try Data().write(to: directory.appending(path: "a (conflicted copy 2026-01-31 101500)"))
    try Data().write(to: directory.appending(path: "photo.jpg"))
    #expect(try machine.feedsync("import").status == 0)
    let run = try machine.diagnose()
    #expect(run.status == 1)
    #expect(run.found == ["warning conflict-copy", "note foreign", "warning conflict-copy"])
    let messages = run.findings.compactMap { $0["message"]?.text }
    #expect(messages.first?.hasPrefix("Nextcloud or ownCloud has kept") == true)
    #expect(messages.last?.hasPrefix("Syncthing has kept a second version of \(stem).log") == true)
  }

  /// To remove what Nextcloud has in its place removes the file on all machines.
  @Test("never calls dispensable what stands for a file that the syncer keeps online only")
  func onlineOnly() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    let file = try #require(try machine.logs().first)
    for number in 0..<30 {
      try Data().write(to: file.deletingLastPathComponent().appending(path: "\(number).txt"))
    }
    let stub = file.appendingPathExtension("nextcloud")
    try FileManager.default.moveItem(at: file, to: stub)
    let run = try machine.diagnose(environment: bob)
    #expect(run.status == 1 && run.found.first == "warning unarrived")
    let finding = try #require(run.findings.first)
    #expect(finding["file"]?.text?.hasSuffix(stub.lastPathComponent) == true)
    #expect(finding["hint"]?.text?.contains("do not remove") == true)
    let marker = machine.folder.appending(path: "feedsync.container")
    try FileManager.default.moveItem(at: marker, to: marker.appendingPathExtension("nextcloud"))
    #expect(try machine.feedsync("put", "n", "y", "{}", environment: bob).status == 0)
    let refused = try machine.feedsync("import", "--format", "json", environment: bob)
    #expect(refused.status == 66)
    #expect(try refused.error()["hint"]?.text?.contains("do not remove") == true)
  }

  @Test("names a link in the place of a device's files, of which none are imported")
  func linkedStream() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    let stream = try #require(try machine.logs().first).deletingLastPathComponent()
    let elsewhere = machine.root.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: stream, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: stream, withDestinationURL: elsewhere)
    let run = try machine.diagnose(environment: bob)
    #expect(run.status == 1 && run.found == ["warning in-the-way"])
    #expect(run.findings.first?["file"]?.text == "logs/\(stream.lastPathComponent)")
    let told = try machine.feedsync("import", environment: bob)
    #expect(told.status == 0)
    #expect(told.errors.contains("has the place of a device's files"))
    try FileManager.default.removeItem(at: stream)
    try FileManager.default.moveItem(at: elsewhere, to: stream)
    let silent = try machine.feedsync("import", environment: bob)
    #expect(silent.status == 0 && silent.errors == "")
    #expect(try machine.diagnose(environment: bob).found == [])
  }

  @Test("tells a second marker that is another container's from one that is a copy")
  func markers() throws {
    let machine = try Machine()
    let marker = machine.folder.appending(path: "feedsync.container")
    let copy = machine.folder.appending(path: "feedsync.\(Self.conflict).container")
    try FileManager.default.copyItem(at: marker, to: copy)
    #expect(try machine.diagnose().found == ["warning marker-copy"])
    let text = try String(contentsOf: marker, encoding: .utf8)
    let id = try #require(text.firstMatch(of: /[0-9a-f]{32}/)).output
    try Data(text.replacingOccurrences(of: id, with: String(id.reversed())).utf8).write(to: copy)
    let run = try machine.diagnose()
    #expect(run.found == ["error marker-copy"])
    #expect(run.findings.first?["hint"]?.text?.contains("--adopt") == true)
  }

  @Test("has a second version of logs kept: nothing is imported from it")
  func secondLogs() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let logs = machine.folder.appending(path: "logs")
    try FileManager.default.copyItem(
      at: logs, to: machine.folder.appending(path: "logs (conflicted copy 2026-01-31 101500)"))
    let run = try machine.diagnose()
    #expect(run.found == ["error marker-copy"])
    #expect(run.findings.first?["hint"]?.text?.contains("into logs/") == true)
  }

  @Test("says nothing of a file as it was that has changed since")
  func changedSince() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    let log = try #require(try machine.logs().first)
    let whole = try Data(contentsOf: log)
    try whole.prefix(40).write(to: log)
    try machine.feedsync("import", environment: bob)
    #expect(try machine.diagnose(environment: bob).found == ["warning set-aside"])
    try whole.write(to: log)
    #expect(try !machine.diagnose(environment: bob).found.contains("warning set-aside"))
    try machine.feedsync("import", environment: bob)
    #expect(try machine.diagnose(environment: bob).found == [])
  }

  @Test("says nothing of a file that is gone since, but where the folder is away with it")
  func goneSince() throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let log = try #require(try machine.logs().first)
    let cut = log.deletingLastPathComponent().appending(path: "cut.log")
    try Data("cut".utf8).write(to: cut)
    #expect(try machine.feedsync("import").status == 65)
    #expect(try machine.diagnose().found == ["error set-aside"])
    let elsewhere = machine.root.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: machine.folder, to: elsewhere)
    #expect(try machine.diagnose().found.contains("error set-aside"))
    try FileManager.default.moveItem(at: elsewhere, to: machine.folder)
    try FileManager.default.removeItem(at: cut)
    #expect(try machine.diagnose().found == [])
  }

  @Test("tells what Syncthing's ignore file lacks, and what in it keeps segments back")
  func ignoreFile() throws {
    let machine = try Machine()
    try Machine.makeDirectory(machine.folder.appending(path: ".stfolder"))
    #expect(try machine.diagnose().found == [])
    let file = machine.folder.appending(path: ".stignore")
    try Data("// mine\n(?i)*.LOG2\n*.nosync\n".utf8).write(to: file)
    let run = try machine.diagnose()
    #expect(run.status == 1 && run.found == ["warning ignore-patterns"])
    let message = run.findings.first?["message"]?.text ?? ""
    #expect(message.hasSuffix("*.nosync*, .feedsync-*"), "\(message)")
    // What the hint advises.
    try machine.feedsync("init", machine.folder.path)
    #expect(try machine.diagnose().found == [])
    let good = try String(contentsOf: file, encoding: .utf8)
    try Data((good + "(?d)*.log\n").utf8).write(to: file)
    #expect(try machine.diagnose().found == ["error ignore-patterns"])
    try Data((good + "!*.log\n// *.log\n*.logs\n").utf8).write(to: file)
    #expect(try machine.diagnose().found == [])
    // The first line that matches decides, as the hint has it.
    try Data((good + "!logs/**/*.log\n*.log\n").utf8).write(to: file)
    #expect(try machine.diagnose().found == [])
    try Data((good + "*.log\n!logs/**/*.log\n").utf8).write(to: file)
    #expect(try machine.diagnose().found == ["error ignore-patterns"])
  }
}
