import FeedSync
import Testing

@testable import NerdfeedCommand

/// What feeds and other machines say cannot drive the terminal.
@Suite struct TerminalTextTests {
  private static let hostile = [
    "\u{1B}]0;owned\u{7}", "\u{9B}31m", "\u{202E}gnp.exe", "\u{2066}x", "a\u{8}b", "\u{7F}",
    "\u{200B}", "\u{2028}", "\u{E0041}", "\u{FEFF}", "\u{85}",
  ]

  @Test(arguments: hostile) func nothingThatDrivesATerminalIsLeft(_ text: String) {
    for shown in [TerminalText.line(text), TerminalText.lines(text)] {
      #expect(shown != text)
      #expect(shown.contains("\\u{"))
      #expect(TerminalText.line(shown) == shown)
    }
  }

  @Test func linesStayLinesOnlyWhereLinesAreMeant() {
    #expect(TerminalText.line("a\r\nb\tc") == "a  b c")
    #expect(TerminalText.lines("a\nb\tc\r") == "a\nb\tc\\u{d}")
  }

  @Test func allOtherTextStaysAsItIs() {
    for text in ["Étoiles — 天文 👩‍👩‍👧", "عربي", "\"\\u{1b}\"", ""] {
      #expect(TerminalText.line(text) == text)
    }
  }

  @Test(arguments: hostile) func JSONSaysTheSameInEscapes(_ text: String) throws {
    let value: JSON = ["title": .text(text), "array": [.text(text)]]
    let shown = TerminalText.json(value)
    #expect(shown.unicodeScalars.allSatisfy { TerminalText.line(String($0)) == String($0) })
    #expect(try JSON(parsing: Array(shown.utf8)) == value)
  }

  @Test(arguments: [("7d", 604_800), ("90m", 5_400), ("0s", 0), ("4w", 2_419_200)])
  func anAgeIsRead(_ text: String, _ seconds: Int64) {
    #expect(Age(argument: text)?.seconds == seconds)
  }

  @Test(arguments: ["", "7", "d", "-1d", "1.5h", "999999999999d", "7 d", "٣d"])
  func whatIsNoAgeIsRefused(_ text: String) {
    #expect(Age(argument: text) == nil)
  }
}
