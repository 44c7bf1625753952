import Testing

@testable import NerdfeedCommand

/// What terminals send, as keys.
@Suite struct KeyParserTests {
  private func keys(_ parts: String...) -> [Key] {
    var parser = KeyParser()
    return parts.flatMap { parser.keys(in: Array($0.utf8)) }
  }

  @Test func lettersAndControlKeysAreThemselves() {
    #expect(
      keys("jä日\u{3}\r\u{7F}") == [
        .character("j"), .character("ä"), .character("日"), .control("c"), .enter, .backspace,
      ])
  }

  @Test func arrowsAndPagesComeInEitherSpelling() {
    #expect(
      keys("\u{1B}[A\u{1B}OB\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~") == [
        .up, .down, .pageUp, .pageDown, .home, .end,
      ])
  }

  @Test func aSequenceMayComeInParts() {
    #expect(keys("\u{1B}[", "6", "~j") == [.pageDown, .character("j")])
  }

  @Test func theEscapeKeyAloneIsItself() {
    #expect(keys("\u{1B}") == [.escape])
    #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
  }

  @Test func whatIsNoKeyIsPassedOver() {
    var parser = KeyParser()
    #expect(parser.keys(in: [0xFF, 0x80, 0xC3]) == [])
    #expect(parser.keys(in: [0xA4, 0x6A]) == [.character("ä"), .character("j")])
    #expect(keys("\u{1B}[200~x\u{1B}[99;99R") == [.character("x")])
  }
}
