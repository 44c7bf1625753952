import CanonicalJSON
import Foundation
import Testing

@Suite("feedsync import") struct ImportCommandTests {
  private static let members = [
    "documents", "gaps", "operations", "published", "segments", "set_aside", "transactions",
  ]

  @Test("says in JSON what it did, with exactly the members of the contract")
  func members() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", #"{"a":1,"b":2}"#)
    let run = try machine.feedsync("import", "--once", "--format", "json", environment: bob)
    #expect(run.status == 0)
    #expect(run.errors == "")
    #expect(run.lines.count == 1)
    let report = try #require(try run.json().object)
    #expect(report.keys == Self.members)
    #expect(report["segments"] == .integer(1))
    #expect(report["transactions"] == .integer(1))
    #expect(report["operations"] == .integer(3))
    #expect(report["documents"] == .integer(1))
    #expect(report["published"] == .integer(0))
    #expect(report["gaps"] == .array([]))
    #expect(report["set_aside"] == .array([]))
    #expect(try machine.feedsync("get", "n", "x", environment: bob).status == 0)
  }

  // Lesson 21.
  @Test("names a file that is set aside, imports the rest, and exits with 65")
  func setAside() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    let junk = machine.folder.appending(path: "logs/junk")
    try Machine.makeDirectory(junk)
    try Data("nonsense".utf8).write(to: junk.appending(path: "a\nb.log"))
    let run = try machine.feedsync("import", "--format", "json", environment: bob)
    #expect(run.status == 65)
    let report = try #require(try run.json().object)
    #expect(report["segments"] == .integer(1))
    let file = try #require(report["set_aside"]?.array?.first?.object)
    #expect(file.keys == ["detail", "file", "reason"])
    #expect(file["file"]?.text == "logs/junk/a\nb.log")
    #expect(file["reason"]?.text == "damaged")
    #expect(try run.error()["message"]?.text == "a file is set aside")
    let text = try machine.feedsync("import", environment: bob)
    #expect(text.status == 65)
    #expect(text.output.contains("damaged"))
    #expect(!text.output.contains("a\nb"))
    // cron mails what stands there.
    #expect(text.errors.contains("a file is set aside") && text.errors.contains("feedsync status"))
    try Data().write(to: junk.appending(path: "empty.log"))
    let both = try machine.feedsync("import", environment: bob)
    #expect(both.errors.contains("a file is set aside, besides 1 incomplete one\n"))
    try FileManager.default.removeItem(at: junk)
    #expect(try machine.feedsync("import", environment: bob).status == 0)
  }

  @Test("says of what is incomplete, and so mostly on its way, nothing that cron would mail")
  func incomplete() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    try machine.feedsync("put", "n", "x", "{}")
    let file = try machine.logs()[0]
    try Data(contentsOf: file).prefix(20).write(to: file)
    let run = try machine.feedsync("import", environment: bob)
    #expect(run.status == 65)
    #expect(run.output.contains("incomplete"))
    #expect(run.errors == "")
  }

  @Test("tells a gap with device, range and time, and exits with 0")
  func gap() throws {
    let machine = try Machine()
    let bob = try machine.joined("bob")
    for number in 1...3 { try machine.feedsync("put", "n", "x", #"{"n":\#(number)}"#) }
    let files = try machine.logs()
    let kept = try Data(contentsOf: files[1])
    try FileManager.default.removeItem(at: files[1])
    let run = try machine.feedsync("import", "--format", "json", environment: bob)
    #expect(run.status == 0)
    let gap = try #require(try run.json().object?["gaps"]?.array?.first?.object)
    #expect(gap.keys == ["device", "first", "last", "since"])
    #expect(gap["device"]?.object?.keys == ["id", "name"])
    #expect(gap["device"]?.object?["name"]?.text == "ann")
    #expect(gap["first"] == .integer(2))
    #expect(gap["last"] == .integer(2))
    let since = try #require(gap["since"]?.text)
    #expect(since.hasSuffix("Z"))
    try kept.write(to: files[1])
    let filled = try machine.feedsync("import", "--format", "json", environment: bob)
    #expect(try filled.json().object?["gaps"] == .array([]))
    #expect(try machine.feedsync("get", "n", "x", environment: bob).output == "{\"n\":3}\n")
  }

  @Test("publishes what was written while the folder was away")
  func publishes() throws {
    let machine = try Machine()
    let marker = machine.folder.appending(path: "feedsync.container")
    let kept = try Data(contentsOf: marker)
    try FileManager.default.removeItem(at: marker)
    try machine.feedsync("put", "n", "x", "{}")
    #expect(try machine.logs().isEmpty)
    try kept.write(to: marker)
    let run = try machine.feedsync("import", "--format", "json")
    #expect(try run.json().object?["published"] == .integer(1))
    #expect(try machine.logs().count == 1)
  }
}
