import CanonicalJSON
import Foundation
import Testing

/// Silent success is the worst failure (lesson 21): what is wrong is said, and what to do.
@Suite("feedsync doctor") struct DoctorCommandTests {
  @Test("says that all is well, ends with 0, and leaves everything as it was")
  func well() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    try machine.feedsync("import", environment: bob)
    let before = try Self.everything(machine)
    for environment in [machine.environment, bob] {
      let text = try machine.feedsync("doctor", environment: environment)
      #expect(text.status == 0 && text.output == "all is well\n" && text.errors == "")
      let json = try machine.feedsync("doctor", "--format", "json", environment: environment)
      #expect(json.status == 0 && json.output == "" && json.errors == "")
    }
    #expect(try Self.everything(machine) == before)
  }

  // Lesson 21.
  @Test("works where there is no container, or nothing at all")
  func nothing() throws {
    let machine = try Machine(initialised: false)
    let unset = try machine.diagnose(environment: ["PATH": "/usr/bin:/bin"])
    #expect(unset.found == ["error state"])
    let run = try machine.diagnose()
    #expect(run.status == 1 && run.found == ["error device"])
    #expect(run.findings.first?["hint"]?.text?.contains("feedsync init") == true)
    // It has made nothing.
    #expect(!FileManager.default.fileExists(atPath: machine.state.path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: machine.folder.path) == [])
  }

  @Test("has a paragraph for each finding, with what to do")
  func text() throws {
    let machine = try Machine()
    try Data().write(to: machine.folder.appending(path: "logs"))
    try FileManager.default.removeItem(at: machine.folder.appending(path: "logs"))
    try FileManager.default.removeItem(at: machine.folder.appending(path: "feedsync.container"))
    let run = try machine.feedsync("doctor")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("error: \(machine.folder.path): the folder has no"))
    #expect(run.output.contains("\n  hint: let your syncer finish"))
  }

  @Test("tells of a database that is of a newer version, or is none", arguments: [true, false])
  func database(isNewer: Bool) throws {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    let file = try machine.deviceState().appending(path: "store.sqlite")
    var bytes = try Data(contentsOf: file)
    if isNewer { bytes[63] += 1 } else { bytes = Data("no database\n".utf8) }
    try bytes.write(to: file)
    let run = try machine.diagnose()
    #expect(run.status == 1 && run.found.first == "error device")
    #expect(run.findings.first?["file"]?.text == file.path)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test("tells of damage inside the database that no other command stumbles on")
  func damage() throws {
    let machine = try Machine()
    let lines = (0..<400).map { #"{"body":{"n":\#($0)},"collection":"n","id":"\#($0)"}"# }
    try machine.feedsync("load", input: lines.joined(separator: "\n") + "\n")
    #expect(try machine.diagnose().found == [])
    let file = try machine.deviceState().appending(path: "store.sqlite")
    var bytes = try Data(contentsOf: file)
    // A page in the middle, which holds documents.
    let page = Int(bytes[16]) << 8 | Int(bytes[17])
    let middle = bytes.count / page / 2 * page
    bytes.replaceSubrange(middle..<middle + page, with: Data(repeating: 0xA5, count: page))
    try bytes.write(to: file)
    let run = try machine.diagnose()
    #expect(run.status == 1 && run.found.contains { $0.hasPrefix("error d") }, "\(run.found)")
  }

  @Test("tells of a folder that is away, and what waits for it; and of another in its place")
  func away() throws {
    let machine = try Machine()
    let aside = machine.root.appending(path: "aside")
    try FileManager.default.moveItem(at: machine.folder, to: aside)
    try machine.feedsync("put", "n", "x", "{}")
    let away = try machine.diagnose()
    #expect(away.status == 1 && away.found == ["error folder"])
    #expect(
      away.findings.first?["message"]?.text?.contains("waiting for it: 1 transaction") == true)
    try Machine.makeDirectory(machine.folder)
    let other = machine.root.appending(path: "other-state").path
    try machine.feedsync("init", machine.folder.path, "--state", other)
    let replaced = try machine.diagnose()
    #expect(replaced.found == ["error folder"])
    #expect(
      replaced.findings.first?["message"]?.text?.contains("another container") == true)
  }

  @Test("tells of a device that has left")
  func left() throws {
    let machine = try Machine()
    try machine.feedsync("leave", "--container", machine.folder.path)
    let run = try machine.diagnose("--container", machine.folder.path)
    #expect(run.status == 1 && run.found == ["warning device"])
  }

  /// Every file of a machine with its bytes; of the database, which SQLite may tidy up, its name.
  private static func everything(_ machine: Machine) throws -> [String: Data] {
    var all: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: machine.root.path)
    where !path.contains("store.sqlite-") {
      let bytes = try? Data(contentsOf: machine.root.appending(path: path))
      all[path] = path.hasSuffix("store.sqlite") ? Data() : bytes ?? Data()
    }
    return all
  }
}

/// What `doctor --format json` found.
struct DiagnosisRun {
  let status: Int32
  let findings: [JSONObject]

  /// Each as `severity check`.
  var found: [String] {
    findings.map { "\($0["severity"]?.text ?? "") \($0["check"]?.text ?? "")" }
  }
}

extension Machine {
  /// Runs `doctor`, and sees that what it prints has the promised form.
  func diagnose(_ arguments: String..., environment: [String: String]? = nil) throws
    -> DiagnosisRun
  {
    let run = try Command.run(
      ["doctor", "--format", "json"] + arguments, environment: environment ?? self.environment)
    #expect(run.errors == "")
    let findings = try run.lines.map { line in
      try #require(try JSON(parsing: Array(line.utf8)).object)
    }
    for finding in findings {
      #expect(finding.keys == ["check", "device", "file", "hint", "message", "severity"])
      #expect(finding["hint"]?.text != nil, "\(finding)")
    }
    let isIll = findings.contains { $0["severity"]?.text != "note" }
    #expect(run.status == (isIll ? 1 : 0))
    return DiagnosisRun(status: run.status, findings: findings)
  }
}
