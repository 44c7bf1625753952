import CanonicalJSON
import Foundation
import Testing

@Suite("The manual") struct ManualTests {
  /// The pages by name.
  private func pages() throws -> [String: String] {
    let machine = try Machine(initialised: false)
    let run = try machine.feedsync("generate-manual", machine.folder.path)
    #expect(run.status == 0 && run.errors == "")
    var pages: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: machine.folder.path) {
      pages[name] = try String(
        contentsOf: machine.folder.appending(path: name), encoding: .utf8)
    }
    return pages
  }

  @Test("has a page for each command that is shown, and none for those that are not")
  func commands() throws {
    let machine = try Machine(initialised: false)
    let pages = try pages()
    let help = try machine.feedsync("--help").output
    let listed = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").last)
    let commands = listed.split(separator: "\n").filter {
      $0.hasPrefix("  ") && !$0.hasPrefix("   ")
    }
    .compactMap { $0.split(separator: " ").first }.filter { $0 != "See" }
    #expect(commands.contains("put") && commands.contains("service"))
    let expected = ["feedsync.1"] + commands.map { "feedsync-\($0).1" }
    #expect(pages.keys.sorted() == expected.sorted())
    #expect(pages["feedsync-service.1"]?.contains("\n.Ss feedsync service install\n") == true)
    #expect(pages["feedsync-init.1"]?.contains("\n.Op Fl -device-name Ar device-name\n") == true)
  }

  @Test("explains every exit status that there is")
  func exitStatuses() throws {
    let file = Command.package.appending(path: "Sources/FeedSync/FeedSyncError.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let codes = source.matches(of: /case \w+ = (\d+)/).map { String($0.1) }
    #expect(codes.count >= 10)
    let page = try #require(try pages()["feedsync.1"])
    let section = try #require(page.components(separatedBy: ".Sh EXIT STATUS\n").last)
    for code in codes { #expect(section.contains("\n.It \(code)\n"), "\(code)") }
  }

  @Test("gives each item of a list a line of its own")
  func lists() throws {
    let page = try #require(try pages()["feedsync-settings.1"])
    let list = try #require(page.components(separatedBy: "\n.Bl -dash\n").last)
    let items = try #require(list.components(separatedBy: "\n.El\n").first).split(separator: "\n")
    let names = ["horizon", "grace", "acknowledge\\-after", "interval", "budget"]
    for name in names { #expect(items.contains { $0.hasPrefix("\(name) (") }, "\(name)") }
    #expect(items.count { $0 == ".It" } == 8)
  }

  @Test("has nothing that roff would take for a macro or an escape")
  func escaped() throws {
    for (name, text) in try pages() {
      for line in text.split(separator: "\n") where !line.hasPrefix(".") {
        #expect(!line.hasPrefix("'"), "\(name): \(line)")
        #expect(!line.contains { !$0.isASCII }, "\(name): \(line)")
        #expect(line.matches(of: /\\[^e&\-(\[]/).isEmpty, "\(name): \(line)")
      }
    }
  }

  @Test("that cannot be written is an error that names the file")
  func unwritable() throws {
    let machine = try Machine(initialised: false)
    let run = try machine.feedsync("generate-manual", machine.root.path + "/missing")
    #expect(run.status == 73)
    #expect(run.errors.contains("missing/feedsync.1"))
  }
}
