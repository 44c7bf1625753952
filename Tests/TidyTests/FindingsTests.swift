import Foundation
import Testing

/// The page of findings cannot name a history or a test that is not there.
@Suite struct FindingsTests {
  private static let page = "Sources/FeedSync/FeedSync.docc/Findings.md"
  private static let histories = "fixtures/histories"

  @Test func eachStoredHistoryIsOnThePageAndNoOther() throws {
    let named = try SourceTree.text(of: Self.page).matches(of: /`([\w-]+\.txt)`/)
      .map { String($0.output.1) }
    let stored = try FileManager.default.contentsOfDirectory(
      atPath: SourceTree.root.appending(path: Self.histories).path)
    #expect(Set(named) == Set(stored))
  }

  @Test func eachTestIsThere() throws {
    let tests = try SourceTree.text(of: Self.page).matches(
      of: /`(\w+Tests\/[\w\/]+)`(?: “([^”]+)”)?/)
    #expect(tests.count > 100)
    for test in tests {
      let text = try SourceTree.text(of: "Tests/\(test.output.1).swift")
      guard let title = test.output.2 else { continue }
      #expect(
        text.contains("\"\(title)\"") || text.contains("func \(title)("),
        "\(test.output.1) has no test '\(title)'")
    }
  }

  @Test func noFaultIsToldTwice() throws {
    let rows = try SourceTree.text(of: Self.page).split(separator: "\n")
      .filter { $0.hasPrefix("| ") && $0.contains(".") }
    #expect(rows.count > 400)
    var told: Set<[Substring]> = []
    for row in rows {
      // What was seen, and what it came from; another row may name another test for the same.
      let fault = Array(row.split(separator: "|").prefix(2))
      #expect(told.insert(fault).inserted, "\(fault)")
    }
  }
}
