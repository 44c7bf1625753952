import Testing

@testable import NerdfeedCommand

/// Articles in lines.
@Suite struct ArticleTextTests {
  @Test func linesBreakBetweenWords() {
    #expect(ArticleText.wrapped("one two three", columns: 8) == ["one two", "three"])
    #expect(ArticleText.wrapped("a\n\nb", columns: 8) == ["a", "", "b"])
  }

  @Test func aWordThatIsTooLongIsCut() {
    #expect(ArticleText.wrapped("abcdefghij xy", columns: 4) == ["abcd", "efgh", "ij", "xy"])
    #expect(ArticleText.wrapped("日本語日本語", columns: 4) == ["日本", "語日", "本語"])
  }

  @Test func aWordOfAWholeArticlesLengthIsLookedAtOnce() {
    let word = String(repeating: "слово", count: 50_000)
    let lines = ArticleText.wrapped("so \(word) it", columns: 80)
    #expect(lines.count == 1 + 250_000 / 80 + 1)
    #expect(lines.first == "so" && lines.last == "it")
    #expect(lines.dropFirst().dropLast().allSatisfy { $0.count == 80 })
  }

  @Test func indentationStays() {
    #expect(ArticleText.wrapped("  a b", columns: 9) == ["  a b"])
    #expect(ArticleText.wrapped("\tx", columns: 9) == ["    x"])
  }

  @Test func noLineIsWiderThanTheTerminal() {
    let text = String(repeating: "wörter und 日本語 ", count: 200)
    for columns in [1, 2, 7, 80, 300] {
      let lines = ArticleText.wrapped(text, columns: columns)
      let most = max(2, min(columns, ArticleText.mostColumns))
      #expect(lines.allSatisfy { CellText.width($0) <= most })
      let letters = lines.joined().filter { $0 != " " }
      #expect(letters == text.filter { $0 != " " })
    }
  }
}
