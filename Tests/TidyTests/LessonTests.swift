import Foundation
import Testing

/// The page of lessons cannot name a test that is not there.
@Suite struct LessonTests {
  private static let page = "Sources/FeedSync/FeedSync.docc/Lessons.md"
  private static let count = 31

  private struct Lesson {
    let number: Int
    /// The file, such as `SyncingTests/GapTests`, and the test's title or function.
    let tests: [(file: String, title: String)]
  }

  private static func lessons() throws -> [Lesson] {
    try SourceTree.text(of: page).split(separator: "\n").compactMap { line in
      guard let number = line.firstMatch(of: /^\| (\d+) \|/).flatMap({ Int($0.output.1) })
      else { return nil }
      return Lesson(
        number: number,
        tests: line.matches(of: /`(\w+\/\w+)` “([^”]+)”/).map {
          (String($0.output.1), String($0.output.2))
        })
    }
  }

  @Test func eachLessonIsHeldByATestThatNamesIt() throws {
    let lessons = try Self.lessons()
    #expect(lessons.map(\.number) == Array(1...Self.count))
    for lesson in lessons {
      #expect(!lesson.tests.isEmpty, "lesson \(lesson.number) is held by nothing")
      for test in lesson.tests {
        let lines = try SourceTree.text(of: "Tests/\(test.file).swift")
          .components(separatedBy: "\n")
        let place = lines.firstIndex {
          $0.contains("\"\(test.title)\"") || $0.contains("func \(test.title)(")
        }
        let line = try #require(place, "\(test.file) has no test '\(test.title)'")
        let near = lines[max(0, line - 6)...min(line + 2, lines.count - 1)].joined(separator: "\n")
        #expect(
          Self.names(lesson.number, in: near),
          "\(test.file): '\(test.title)' does not name lesson \(lesson.number)")
      }
    }
  }

  /// Whether a text has "lesson 9", or "lessons 1, 9 and 20".
  private static func names(_ number: Int, in text: String) -> Bool {
    text.matches(of: /[Ll]essons? ((?:\d+|, | and )+)/).contains { match in
      match.output.1.matches(of: /\d+/).contains { Int($0.output) == number }
    }
  }
}
