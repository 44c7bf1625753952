import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// Whatever is pressed while whatever changes, the list shows what there is.
@Suite struct ReaderWalkTests {
  /// Numbers that are the same in each run.
  private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % sides
    }
  }

  private static let keys: [Key] = [
    .character("j"), .character("k"), .pageDown, .pageDown, .pageUp, .character("g"),
    .character("G"), .character("n"), .character("p"), .character("m"), .character("s"),
    .character("u"), .enter, .character("h"), .escape, .control("d"), .character("?"),
  ]

  private func step(_ shelf: inout Shelf, _ dice: inout Dice, fresh: inout Int) {
    switch dice.roll(12) {
    case 0:
      let minute = dice.roll(1_200)
      fresh += 1
      let line = Shelf.line(fresh, minute: minute)
      let place = shelf.lines.firstIndex {
        ($0.date, $0.number) < (line.date, line.number)
      }
      shelf.lines.insert(line, at: place ?? shelf.lines.count)
      shelf.send(.changed)
    case 1:
      let index = dice.roll(shelf.lines.count)
      shelf.lines[index].isRead.toggle()
      shelf.send(.changed)
    case 2: shelf.isSlow = true
    case 3: shelf.catchUp()
    case 4: shelf.send(.resized(rows: 3 + dice.roll(40), columns: 20 + dice.roll(100)))
    default: shelf.press(Self.keys[dice.roll(Self.keys.count)])
    }
  }

  /// What is in memory has to be a part of the list without a gap, but for what is selected.
  private func check(_ shelf: Shelf, _ seed: Int) throws {
    let state = shelf.state
    let selected = state.window.current?.number
    let wanted = shelf.lines.filter { state.filter.isRead == nil || $0.isRead == false }
      .map(\.number).filter { $0 != selected }
    let shown = state.window.lines.map(\.number).filter { $0 != selected }
    if let first = shown.first {
      let start = try #require(wanted.firstIndex(of: first), "seed \(seed)")
      #expect(Array(wanted[start...].prefix(shown.count)) == shown, "seed \(seed)")
      if state.window.hasStart { #expect(start == 0, "seed \(seed)") }
      if state.window.hasEnd { #expect(shown.last == wanted.last, "seed \(seed)") }
    }
    let lines = ReaderScreen.lines(of: state)
    #expect(lines.count == state.rows, "seed \(seed)")
    #expect(lines.allSatisfy { CellText.width($0.text) <= state.columns }, "seed \(seed)")
  }

  @Test(arguments: 1...60) func theListShowsWhatThereIs(_ seed: Int) throws {
    var dice = Dice(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
    var shelf = Shelf(1_000) { $0 % 7 > 1 }
    var fresh = 1_000
    for _ in 0..<250 { step(&shelf, &dice, fresh: &fresh) }
    shelf.catchUp()
    // An item that was read stays among the unread ones until something changes.
    shelf.send(.changed)
    try check(shelf, seed)
  }
}
