import CanonicalJSON
import Foundation
import Testing

/// Ann writes one document over and over, and deletes others; Bob has what she has.
@Suite("The command forgets what is dead", .timeLimit(.minutes(3)))
struct ForgettingCommandTests {
  private let machine: Machine
  private let bob: [String: String]

  init() throws {
    machine = try Machine()
    bob = try machine.joined("bob")
    for (name, value) in [("fan-out", "4"), ("grace", "0"), ("interval", "never")] {
      try machine.feedsync("settings", "set", name, value)
    }
    for number in 0..<8 {
      try machine.feedsync("put", "n", "x", #"{"n":\#(number),"text":"\#(Self.text())"}"#)
      try machine.feedsync("put", "n", "y\(number)", #"{"text":"\#(Self.text())"}"#)
    }
    try machine.feedsync("delete", "n", "y1", "y2", "y3")
    try machine.feedsync("compact")
    try machine.feedsync("import", environment: bob)
    try machine.feedsync("put", "n", "bob", "{}", environment: bob)
    try machine.feedsync("import")
  }

  /// What does not compress, so that the file becomes smaller without it.
  private static func text() -> String {
    (0..<80).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
  }

  private func compact() throws -> JSONObject {
    try #require(try machine.feedsync("compact", "--format", "json").json().object)
  }

  private func bytes() throws -> Int {
    let logs = machine.folder.appending(path: "logs").path
    return try FileManager.default.subpathsOfDirectory(atPath: logs)
      .filter { $0.hasSuffix(".log") }
      .reduce(0) { sum, path in
        let file = logs + "/" + path
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        return sum + (attributes[.size] as? Int ?? 0)
      }
  }

  @Test("and shows the same on each device, and on a new one")
  func forgets() throws {
    let (dump, before) = try (machine.feedsync("dump").output, bytes())
    let dropped = try (0..<3).map { _ in try compact()["dropped"] }
    #expect(dropped.contains { $0 != .integer(0) }, "\(dropped)")
    #expect(try bytes() < before)
    #expect(try machine.feedsync("dump").output == dump)
    let cem = try machine.joined("cem")
    for environment in [bob, cem] {
      try machine.feedsync("import", environment: environment)
      #expect(try machine.feedsync("dump", environment: environment).output == dump)
      #expect(try machine.feedsync("doctor", environment: environment).status == 0)
    }
    let history = try machine.feedsync("history", "n", "x")
    #expect(history.errors.contains("may have been dropped"), "\(history.errors)")
  }

  @Test("but not where its user has said no")
  func keeps() throws {
    try machine.feedsync("settings", "set", "forget", "no")
    let before = try bytes()
    for _ in 0..<3 { #expect(try compact()["dropped"] == .integer(0)) }
    #expect(try bytes() == before)
    let dead = try machine.feedsync("compact", "--dry-run", "--format", "json").json()
      .object?["dead"]?.object
    #expect(dead?["kept_by"]?.object?["setting"] == dead?["operations"])
    let held = dead?["held_streams"]
    let none = JSON.integer(0)
    #expect(held == .object(["branching": none, "skipped": none, "waiting": none]))
    #expect(dead?["operations"] != .integer(0))
  }

  @Test("and the doctor tells where that waits for what was given up")
  func givenUp() throws {
    for _ in 0..<3 { _ = try compact() }
    let dump = try machine.feedsync("dump").output
    let logs = machine.folder.appending(path: "logs")
    let status = try machine.feedsync("status", "--format", "json", environment: bob).json()
    let lost = try #require(status.object?["device"]?.object?["id"]?.text)
    let directory = logs.appending(path: lost)
    let aside = machine.root.appending(path: "aside")
    try FileManager.default.moveItem(at: directory, to: aside)

    let cem = try machine.joined("cem")
    try machine.feedsync("import", environment: cem)
    let waiting = try machine.diagnose(environment: cem)
    #expect(waiting.found == ["warning gap"])
    let message = waiting.findings.first?["message"]?.text
    #expect(message?.contains("what ann dropped since then may show here") == true)
    try machine.feedsync("devices", "skip", lost, "--force", environment: cem)
    let skipped = try machine.diagnose(environment: cem)
    #expect(skipped.found == ["warning gap"])
    let finding = try #require(skipped.findings.first)
    #expect(finding["message"]?.text?.contains("what ann dropped after having seen it") == true)
    #expect(finding["device"]?.object?["id"]?.text == lost)

    try FileManager.default.moveItem(at: aside, to: directory)
    try machine.feedsync("import", environment: cem)
    #expect(try machine.diagnose(environment: cem).found == [])
    #expect(try machine.feedsync("dump", environment: cem).output == dump)
  }
}
