import Foundation
import Testing

/// What the documentation shows of the library's use is compiled as well.
///
/// Each example stands in one of the files in `Tests/FeedSyncTests/Examples`, where layout makes no
/// difference, and in the place of an ellipsis is anything.
@Suite struct ExampleTests {
  private static let compiled = "Tests/FeedSyncTests/Examples"
  /// The modules whose symbols a program has that imports the library.
  private static let modules = ["FileCoordination", "DocumentFiles", "FeedSync"]
  private static let catalog = "Sources/FeedSync/FeedSync.docc"
  /// Its program is compared by tests of its own.
  private static let tutorial = "Tutorial.md"

  struct Example: CustomStringConvertible {
    let place: String
    let lines: [String]

    var description: String { "\(place): \(lines.first ?? "")" }

    /// What stands between the ellipses.
    var pieces: [String] {
      ExampleTests.plain(lines.joined(separator: "\n")).split(separator: "…").map { String($0) }
    }
  }

  @Test func eachExampleOfAPageIsCompiled() throws {
    let pages = try FileManager.default.contentsOfDirectory(
      atPath: SourceTree.root.appending(path: Self.catalog).path
    ).filter { $0.hasSuffix(".md") && $0 != Self.tutorial }.map { "\(Self.catalog)/\($0)" }
    let examples = try (pages + ["README.md"]).flatMap { page in
      try SourceTree.text(of: page).matches(of: /\n```swift\n((?s:.*?))```/).map {
        Example(place: page, lines: $0.output.1.components(separatedBy: "\n"))
      }
    }
    #expect(examples.count >= 10)
    try Self.check(examples)
  }

  @Test func eachExampleOfACommentIsCompiled() throws {
    let examples = try Self.modules.flatMap { module in
      try SourceTree.files(under: "Sources/\(module)").flatMap { Self.examples(in: $0) }
    }
    #expect(examples.count >= 80)
    try Self.check(examples)
  }

  @Test func theExamplesNeedTheLibraryAlone() throws {
    for file in try SourceTree.files(under: Self.compiled) {
      #expect(Set(file.imports) == ["FeedSync", "Foundation"], "\(file)")
    }
  }

  private static func check(_ examples: [Example]) throws {
    let texts = try SourceTree.files(under: compiled).map {
      plain($0.lines.joined(separator: "\n"))
    }
    for example in examples {
      #expect(texts.contains { holds($0, example.pieces) }, "\(example) is not compiled")
    }
  }

  private static func holds(_ text: String, _ pieces: [String]) -> Bool {
    var rest = text[...]
    for piece in pieces {
      guard let range = rest.range(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }

  private static func plain(_ text: String) -> String {
    text.filter { !$0.isWhitespace && $0 != ";" }
  }

  /// The examples in the comments on public symbols: what is indented behind an empty line.
  private static func examples(in file: SourceFile) -> [Example] {
    var examples: [Example] = []
    var ofSymbol: [Example] = []
    var isBehindEmptyLine = false
    var isInExample = false
    for (number, line) in file.lines.enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      guard text.hasPrefix("///") else {
        if text.hasPrefix("@"), !text.contains("public ") { continue }
        if text.contains("public ") { examples += ofSymbol }
        (ofSymbol, isBehindEmptyLine, isInExample) = ([], false, false)
        continue
      }
      let comment = text.dropFirst(3)
      let isCode = comment.hasPrefix("     ") && (isBehindEmptyLine || isInExample)
      if isCode, !isInExample {
        ofSymbol.append(Example(place: "\(file):\(number + 1)", lines: []))
      }
      if isCode, let last = ofSymbol.popLast() {
        ofSymbol.append(Example(place: last.place, lines: last.lines + [String(comment)]))
      }
      isBehindEmptyLine = comment.isEmpty
      isInExample = isCode || isInExample && comment.isEmpty
    }
    return examples
  }
}
