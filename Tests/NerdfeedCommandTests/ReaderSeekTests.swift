import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// Only what the user goes to is opened, and so marked as read.
@Suite struct ReaderSeekTests {
  private func opened(_ shelf: Shelf) -> Int {
    shelf.done.count { if case .open = $0 { true } else { false } }
  }

  @Test(arguments: [Key.character("n"), .character("p")])
  func whatComesAboveIsNotOpenedBecauseAnItemWasOnceGoneTo(_ key: Key) {
    var shelf = Shelf(400, rows: 24)
    shelf.press(.character("u"), .character("j"), .enter, key, .character("h"))
    #expect(shelf.state.view == .list)
    let before = opened(shelf)
    #expect(before == 2)
    for number in 401...800 { shelf.lines.insert(Shelf.line(number), at: 0) }
    shelf.send(.changed)
    #expect(shelf.state.view == .list)
    #expect(opened(shelf) == before)
  }

  @Test func whatIsSoughtIsNotOpenedOnceAnotherListIsAskedFor() {
    var shelf = Shelf(4_000, rows: 24) { $0 > 100 }
    shelf.press(.enter)
    let before = opened(shelf)
    shelf.isSlow = true
    // Far away, so that it has to be looked for.
    shelf.press(.character("n"), .character("h"), .character("u"))
    shelf.catchUp()
    #expect(shelf.state.view == .list)
    #expect(opened(shelf) == before)
  }
}
