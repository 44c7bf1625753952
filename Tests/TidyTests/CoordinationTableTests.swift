import Foundation
import Testing

/// The table of behaviours of coordinated access cannot name a test that is not there.
@Suite struct CoordinationTableTests {
  private static let page = "Sources/FeedSync/FeedSync.docc/Coordination.md"
  private static let numbers = (1...33).map { "C\($0)" } + (1...11).map { "P\($0)" }

  @Test func eachBehaviourIsHeldByATestThatCitesItsNumber() throws {
    var found: [String] = []
    for line in try SourceTree.text(of: Self.page).split(separator: "\n") {
      guard let number = line.firstMatch(of: /^\| ([CP]\d+) \|/)?.output.1 else { continue }
      found.append(String(number))
      let suites = line.matches(of: /`(\w+Tests)`/).map { String($0.output.1) }
      #expect(!suites.isEmpty, "\(number) is held by nothing")
      for suite in suites {
        let text = try SourceTree.text(of: "Tests/FileCoordinationTests/\(suite).swift")
        let cites = text.matches(of: /func ((?:[cp]\d+_)+)/).contains { match in
          match.output.1.split(separator: "_").contains(Substring(number.lowercased()))
        }
        #expect(cites, "\(suite) has no test of \(number)")
      }
    }
    #expect(found == Self.numbers)
  }
}
