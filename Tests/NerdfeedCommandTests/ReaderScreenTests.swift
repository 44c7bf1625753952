import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// What the full-screen reader draws.
@Suite struct ReaderScreenTests {
  @Test(arguments: [(24, 80), (3, 10), (2, 1), (1, 1), (60, 200)])
  func theScreenIsFilledExactlyAndNoLineIsTooWide(_ rows: Int, _ columns: Int) {
    var shelf = Shelf(100)
    shelf.lines[1] = Shelf.line(99, title: String(repeating: "日本", count: 200))
    shelf.send(.changed)
    shelf.send(.resized(rows: rows, columns: columns))
    for key in [Key.character("j"), .character("?"), .escape, .enter] {
      shelf.press(key)
      let lines = ReaderScreen.lines(of: shelf.state)
      #expect(lines.count == rows)
      #expect(lines.allSatisfy { CellText.width($0.text) <= columns })
    }
  }

  @Test func whatAFeedSaysCannotDriveTheTerminal() {
    var shelf = Shelf(1)
    shelf.lines[0] = Shelf.line(1, title: "\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}txt.exe")
    shelf.send(.changed)
    shelf.send(.message("\u{1B}[2J"))
    let text = ReaderScreen.lines(of: shelf.state).map(\.text).joined()
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F..<0xA0 ~= $0.value) })
    #expect(!text.contains("\u{202E}"))
  }

  @Test func aLineHasStateDayFeedAndTitle() {
    var line = Shelf.line(7)
    line.isStarred = true
    #expect(
      ReaderScreen.text(of: line, columns: 60) == " N* 1970-01-01  Feed          Item 7")
    #expect(ReaderScreen.text(of: line, columns: 20) == " N* Item 7")
  }

  @Test("The first line names the feed whose items alone are there, and counts those of all")
  func theFirstLineNamesTheFeed() throws {
    var filter = ItemQuery()
    filter.feeds = [FeedKey(address: "feed")]
    var state = ReaderState(rows: 5, columns: 80, filter: filter)
    let loads = state.begin().compactMap { if case .load(let page) = $0 { page } else { nil } }
    func title() -> String { ReaderScreen.lines(of: state).first?.text ?? "" }
    #expect(title().hasPrefix(" nerdfeed: all items of one feed "))
    _ = state.handle(.page(try #require(loads.first), [Shelf.line(1)]))
    _ = state.handle(.counted(unread: 12))
    #expect(title().hasPrefix(" nerdfeed: all items of Feed · 12 unread in all "))
    #expect(Shelf(3).title.contains("all items · 3 unread "))
  }

  @Test("That nothing arrives is said with its reason, and stands there until it does again")
  func nothingArrives() {
    func footer() -> String { ReaderScreen.lines(of: shelf.state).last?.text ?? "" }
    var shelf = Shelf(3)
    shelf.send(.notImporting("import: the folder is missing"))
    #expect(shelf.title.contains(" · nothing arrives "))
    #expect(footer().hasPrefix(" import: the folder is missing"))
    shelf.press(.character("j"))
    #expect(shelf.title.contains(" · nothing arrives ") && !footer().contains("missing"))
    shelf.send(.notImporting(nil))
    #expect(!shelf.title.contains("nothing arrives"))
    shelf.send(.notImporting("import: the folder is missing"))
    shelf.send(.notImporting(nil))
    #expect(!footer().contains("missing"))
  }

  @Test func whatIsSelectedStandsOut() {
    var shelf = Shelf(5) { $0 == 4 }
    shelf.press(.character("j"))
    let styles = ReaderScreen.lines(of: shelf.state).map(\.style)
    #expect(Array(styles.prefix(4)) == [.bar, .bold, .selected, .bold])
  }

  @Test func onlyWhatDiffersIsDrawn() {
    let former = ["a", "b", "c"].map { ScreenLine(text: $0) }
    var lines = former
    #expect(TerminalFrame.text(from: former, to: lines).isEmpty)
    lines[1] = ScreenLine(text: "x", style: .selected)
    #expect(
      TerminalFrame.text(from: former, to: lines) == "\u{1B}[2;1H\u{1B}[7mx\u{1B}[0m\u{1B}[K")
    #expect(TerminalFrame.text(from: nil, to: lines).hasPrefix("\u{1B}[0m\u{1B}[2J"))
  }

  @Test func aResizedArticleStaysAboutWhereItWas() {
    var shelf = Shelf(1)
    shelf.press(.enter, .character(" "))
    let place = shelf.screen[0]
    shelf.send(.resized(rows: 12, columns: 40))
    #expect(shelf.screen[0] == place)
    #expect(shelf.done.last == .redraw)
  }
}
