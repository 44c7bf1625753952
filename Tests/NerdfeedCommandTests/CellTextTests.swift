import Testing

@testable import NerdfeedCommand

/// Text takes the columns that a terminal gives it.
@Suite struct CellTextTests {
  @Test(arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("é", 1), ("🎉", 2), ("", 0)])
  func widthsAreThoseOfATerminal(_ text: String, _ columns: Int) {
    #expect(CellText.width(text) == columns)
  }

  @Test func whatDoesNotFitIsCutWithAMark() {
    #expect(CellText.fitted("abcdef", columns: 6) == "abcdef")
    #expect(CellText.fitted("abcdefg", columns: 6) == "abcde…")
    #expect(CellText.fitted("日本語", columns: 5) == "日本…")
    #expect(CellText.fitted("abc", columns: 0) == "")
  }

  @Test func aLineIsFilledUpExactly() {
    for text in ["", "a", "日本語", "abcdefgh"] {
      #expect(CellText.width(CellText.padded(text, columns: 5)) == 5)
    }
  }

  @Test func marksThatPileUpAreLeftOut() {
    let pile = "a" + String(repeating: "\u{301}", count: 1_000)
    #expect(CellText.fitted(pile, columns: 5).unicodeScalars.count == 5)
  }
}
