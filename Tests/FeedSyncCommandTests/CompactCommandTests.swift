import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync compact", .timeLimit(.minutes(3))) struct CompactCommandTests {
  private static let count = 33

  /// Ann has written so many small files.
  private static func machine() throws -> Machine {
    let machine = try Machine()
    // A disk may take as long for one file as the usual budget lets all of them.
    try machine.feedsync("settings", "set", "budget", "1h")
    for number in 0..<count { try machine.feedsync("put", "n", "x", #"{"n":\#(number)}"#) }
    return machine
  }

  private func files(of machine: Machine) throws -> Int {
    let logs = machine.folder.appending(path: "logs").path
    return try FileManager.default.subpathsOfDirectory(atPath: logs).count { $0.hasSuffix(".log") }
  }

  private func compact(
    _ machine: Machine, _ arguments: [String] = []
  ) throws -> JSONObject {
    let run = try Command.run(
      ["compact", "--format", "json"] + arguments, environment: machine.environment)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors == "")
    return try #require(try run.json().object)
  }

  @Test("joins this device's files, and removes them once another device has them")
  func compacts() throws {
    let machine = try Self.machine()
    let bob = try machine.joined("bob")
    let dump = try machine.feedsync("dump").output
    let first = try compact(machine)
    #expect(first["joined"] == .integer(Int64(Self.count)))
    #expect(first["written"] == .integer(1))
    #expect(first["transactions"] == .integer(Int64(Self.count)))
    #expect(first["removed"] == .integer(0))
    #expect(first["waiting"] == .integer(Int64(Self.count)))
    #expect(try files(of: machine) == Self.count + 1)

    try machine.feedsync("import", environment: bob)
    try machine.feedsync("put", "n", "y", "{}", environment: bob)
    // An import looks after the files, too, if nothing has for an hour.
    try machine.feedsync("import")
    #expect(try files(of: machine) == 2)
    let second = try compact(machine)
    #expect(second["joined"] == .integer(0))
    #expect(second["removed"] == .integer(0))
    #expect(second["waiting"] == .integer(0))

    let cem = try machine.joined("cem")
    try machine.feedsync("import", environment: cem)
    try machine.feedsync("delete", "n", "y", environment: cem)
    #expect(try machine.feedsync("dump", environment: cem).output == dump)
    #expect(try machine.feedsync("doctor").status == 0)
  }

  @Test("says with --dry-run what the folder holds and what would be done, and does nothing")
  func survey() throws {
    let machine = try Self.machine()
    let before = try compact(machine, ["--dry-run"])
    #expect(before["files"] == .integer(Int64(Self.count)))
    #expect(
      before["join"] == .object(["files": .integer(Int64(Self.count)), "into": .integer(1)]))
    #expect(before["wait"]?.object?["files"] == .integer(0))
    let device = try #require(before["devices"]?.elements?.first?.object)
    #expect(device["device"]?.object?["name"]?.text == "ann")
    #expect(device["bytes"] == before["bytes"])
    #expect(try files(of: machine) == Self.count)
    let dead = try #require(before["dead"]?.object)
    #expect(dead["operations"] == .integer(Int64(Self.count - 1)))
    #expect(dead["kept_by"]?.object?["small"] == dead["operations"])
    #expect(before["peers"] == .array([]))

    _ = try compact(machine)
    let after = try compact(machine, ["--dry-run"])
    #expect(after["join"]?.object?["files"] == .integer(0))
    #expect(after["wait"]?.object?["files"] == .integer(Int64(Self.count)))
    #expect(after["wait"]?.object?["until"]?.text != nil)
    let text = try machine.feedsync("compact", "--dry-run").output
    #expect(text.contains("the folder holds \(Self.count + 1) files"))
    #expect(text.contains("\(Self.count) files with"))
    #expect(text.contains("would stay until another device says"))
    #expect(text.contains("are dead: \(Self.count - 1) of \(Self.count + 1) edits"))
    #expect(text.contains(": the grace, in which one may see and undo"))
    try machine.feedsync("settings", "set", "forget", "no")
    let kept = try machine.feedsync("compact", "--dry-run").output
    #expect(kept.contains("stay: nothing is forgotten here, since you said"))
  }

  @Test("needs the folder")
  func away() throws {
    let machine = try Machine()
    try FileManager.default.moveItem(
      at: machine.folder, to: machine.root.appending(path: "kept"))
    for arguments in [["compact"], ["compact", "--dry-run"]] {
      let run = try Command.run(arguments, environment: machine.environment)
      #expect(run.status == 66)
      #expect(run.output == "")
    }
  }
}
