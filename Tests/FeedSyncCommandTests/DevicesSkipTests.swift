import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync devices skip") struct DevicesSkipTests {
  @Test("says what would be given up, gives it up with --force, and takes it if it comes")
  func skip() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 1...3 { try machine.feedsync("put", "n", "x\(number)", "{}") }
    let second = try #require(try machine.logs().dropFirst().first)
    let kept = machine.root.appending(path: "kept")
    try FileManager.default.moveItem(at: second, to: kept)
    try machine.feedsync("import", environment: bob)
    let status = try machine.feedsync("status", environment: bob).output
    #expect(status.contains("if it never comes: 'feedsync devices skip "))
    let doctor = try machine.feedsync("doctor", environment: bob)
    #expect(doctor.output.contains("devices skip"))

    let asked = try machine.feedsync(
      "devices", "skip", "ann", "--format", "json", environment: bob)
    #expect(asked.status == 64)
    let plan = try #require(try JSON(parsing: Array(asked.output.utf8)).object)
    #expect(plan["skipped"] == .bool(false))
    // The third file says only what has changed since the second.
    #expect(plan["missing"] == [["first": 2, "last": 3]])
    #expect(plan["documents"] == [["collection": "n", "id": "x3"]])
    #expect(try machine.feedsync("devices", environment: bob).output.contains("missing since"))

    let done = try machine.feedsync("devices", "skip", "ann", "--force", environment: bob)
    #expect(done.status == 0)
    #expect(done.output.hasPrefix("missing from ann: transactions 2-3\n"))
    #expect(done.output.contains("given up; imported 0 segments"))
    let after = try machine.feedsync("devices", environment: bob).output
    #expect(after.contains("missing ones up to 3 given up"))
    #expect(!after.contains("missing since"))
    #expect(
      try machine.feedsync("devices", "skip", "ann", "--force", environment: bob).status == 1)

    try FileManager.default.moveItem(at: kept, to: second)
    try machine.feedsync("import", environment: bob)
    #expect(try machine.feedsync("list", "n", environment: bob).lines == ["x1", "x2", "x3"])
  }

  @Test("refuses this device and those that are not there")
  func refused() throws {
    let machine = try Machine()
    #expect(try machine.feedsync("devices", "skip", "ann").status == 64)
    #expect(try machine.feedsync("devices", "skip", "nobody").status == 1)
  }
}
