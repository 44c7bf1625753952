import Foundation
import Testing

/// A table of behaviours cannot name a test that is not there, nor leave one out.
@Suite struct BehaviourTableTests {
  /// The pages with a table, and the numbers that each has to have, in their order.
  private static let pages: [(name: String, numbers: [String])] = [
    ("Coordination", numbers("C", 33) + numbers("P", 11)),
    ("DocumentFiles", numbers("D", 10) + numbers("V", 6)),
    ("MetadataQueries", numbers("M", 6)),
    ("KeyValueStorage", numbers("K", 12)),
    ("Identity", numbers("U", 5) + numbers("S", 13)),
  ]
  /// What says that a behaviour has no meaning here; the row has the reason.
  private static let meaningless = "no meaning here"

  private static func numbers(_ letter: String, _ count: Int) -> [String] {
    (1...count).map { "\(letter)\($0)" }
  }

  @Test func eachBehaviourIsHeldByATestThatCitesItsNumber() throws {
    let files = try SourceTree.files(under: "Tests")
    for page in Self.pages {
      let text = try SourceTree.text(of: "Sources/FeedSync/FeedSync.docc/\(page.name).md")
      var found: [String] = []
      for line in text.split(separator: "\n") {
        guard let number = line.firstMatch(of: /^\| ([A-Z]\d+) \|/)?.output.1 else { continue }
        found.append(String(number))
        guard !line.contains("| \(Self.meaningless) |") else { continue }
        let suites = line.matches(of: /`(\w+Tests)`/).map { String($0.output.1) }
        #expect(!suites.isEmpty, "\(number) is held by nothing")
        for suite in suites {
          let file = try #require(
            files.first { $0.path.hasSuffix("/\(suite).swift") }, "\(suite) is not there")
          #expect(Self.cites(file, number), "\(suite) has no test of \(number)")
        }
      }
      #expect(found == page.numbers)
    }
  }

  @Test func eachSuiteThatCitesANumberIsNamedBesideIt() throws {
    var named: [String: Set<String>] = [:]
    for page in Self.pages {
      let text = try SourceTree.text(of: "Sources/FeedSync/FeedSync.docc/\(page.name).md")
      for line in text.split(separator: "\n") {
        guard let number = line.firstMatch(of: /^\| ([A-Z]\d+) \|/)?.output.1 else { continue }
        named[String(number)] = Set(
          line.matches(of: /`(\w+Tests)`/).map { String($0.output.1) })
      }
    }
    for file in try SourceTree.files(under: "Tests") {
      let suite = String((file.path.split(separator: "/").last ?? "").prefix { $0 != "." })
      for number in Set(file.lines.flatMap(Self.numbers(citedBy:))) {
        let suites = try #require(named[number], "\(suite) cites \(number), which is nowhere")
        #expect(suites.contains(suite), "\(suite) is missing beside \(number)")
      }
    }
  }

  /// Whether a test's name begins with the number, maybe among others.
  private static func cites(_ file: SourceFile, _ number: Substring) -> Bool {
    file.lines.contains { numbers(citedBy: $0).contains(String(number)) }
  }

  /// The numbers with which the name of a test begins.
  private static func numbers(citedBy line: String) -> [String] {
    guard let match = line.firstMatch(of: /func ((?:[a-z]\d+_)+)/) else { return [] }
    return match.output.1.split(separator: "_").map { $0.uppercased() }
  }
}
