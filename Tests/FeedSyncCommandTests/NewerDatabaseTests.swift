import CanonicalJSON
import Foundation
import GRDB
import Testing

@Suite("A database that this program cannot use") struct NewerDatabaseTests {
  private static let commands: [[String]] = [
    ["put", "n", "y", "{}"], ["patch", "n", "y", "{}"], ["get", "n", "x"], ["delete", "n", "x"],
    ["list"], ["dump"], ["load"], ["import"], ["watch"], ["status"], ["devices"],
    ["devices", "rename", "b"], ["leave"], ["leave", "--force"], ["leave", "--delete-state"],
  ]

  /// A machine with a document, and its database's file.
  private static func scene() throws -> (Machine, URL) {
    let machine = try Machine()
    try machine.feedsync("put", "n", "x", "{}")
    return (machine, try machine.deviceState().appending(path: "store.sqlite"))
  }

  @Test("since a newer one made it: 78 with both versions, and nothing is written")
  func newer() throws {
    let (machine, file) = try Self.scene()
    var bytes = try Data(contentsOf: file)
    // The version that the header of an SQLite file holds, its highest byte first.
    let version = bytes[60..<64].reduce(0) { $0 << 8 | Int($1) }
    try #require((1...100).contains(version))
    bytes[63] = UInt8(version + 1)
    try bytes.write(to: file)
    let logs = try machine.logs()
    for arguments in Self.commands + [["init", machine.folder.path]] {
      let text = try Command.run(arguments, environment: machine.environment)
      let json = try Command.run(
        arguments + ["--format", "json"], environment: machine.environment)
      for run in [text, json] {
        #expect(run.status == 78, "\(arguments)")
        #expect(run.output == "")
        #expect(run.errors.contains("version \(version + 1)"), "\(arguments)")
        #expect(run.errors.contains("version \(version)"), "\(arguments)")
      }
      #expect(try json.error()["file"]?.text == file.path)
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try Self.databaseFiles(machine) == ["store.sqlite"])
    #expect(try machine.logs() == logs)
  }

  @Test("since a newer one upgraded it beside a watch: 75, for the newer watch to begin")
  func upgradedMeanwhile() throws {
    let (machine, file) = try Self.scene()
    let bob = try machine.joined("bob")
    let watch = try RunningWatch(
      environment: machine.environment, errors: try machine.scratch.newFile("errors"))
    _ = try watch.next("watching")
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    try DatabaseQueue(path: file.path, configuration: configuration).inDatabase { db in
      try db.execute(sql: "PRAGMA user_version = 99")
    }
    try machine.feedsync("put", "n", "theirs", "{}", environment: bob)
    watch.process.waitUntilExit()
    #expect(watch.process.terminationReason == .exit)
    #expect(watch.process.terminationStatus == 75)
    // The upkeep may have found it out before, and have warned of it.
    let errors = try machine.scratch.text("errors")
    #expect(errors.contains("newer feedsync has brought the database up to date"), "\(errors)")
    #expect(errors.hasSuffix("hint: start it again with the newer program\n"), "\(errors)")
    // Who begins with this version finds what only a newer program mends.
    #expect(try machine.feedsync("watch").status == 78)
  }

  @Test("since it is none: 74, a hint, and nothing is written")
  func garbage() throws {
    let (machine, file) = try Self.scene()
    let bytes = Data("no database\n".utf8)
    try bytes.write(to: file)
    for arguments in Self.commands + [["init", machine.folder.path]] {
      let run = try Command.run(
        arguments + ["--format", "json"], environment: machine.environment)
      #expect(run.status == 74, "\(arguments)")
      let error = try run.error()
      #expect(error["file"]?.text == file.path)
      #expect(error["message"]?.text?.contains("damaged") == true)
      #expect(error["hint"]?.text?.contains("feedsync rebuild") == true)
    }
    #expect(try Data(contentsOf: file) == bytes)
    // What the hint advises.
    #expect(try machine.feedsync("rebuild", "--container", machine.folder.path).status == 0)
    #expect(try machine.feedsync("list", "n").output == "x\n")
  }

  private static func databaseFiles(_ machine: Machine) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: try machine.deviceState().path)
      .filter { $0.hasPrefix("store") }
  }
}
