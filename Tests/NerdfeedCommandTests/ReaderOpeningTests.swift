import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// A mark is made of the item that is in front of the user, while another one is on its way.
@Suite struct ReaderOpeningTests {
  private func reference(_ number: Int) -> ItemReference { Shelf.line(number).reference }

  @Test(
    "What comes once the user wants something else is not shown, and not read thereby",
    arguments: [[Key.character("u")], [.character("/"), .character("2"), .enter]])
  func whatComesTooLateIsNotShown(_ keys: [Key]) {
    var shelf = Shelf(3)
    shelf.isSlow = true
    shelf.press(.enter)
    for key in keys { shelf.press(key) }
    shelf.catchUp()
    #expect(shelf.state.view == .list)
    #expect(shelf.lines.allSatisfy { !$0.isRead })
  }

  @Test("A search that is being typed stays in front of an item that comes meanwhile")
  func aSearchStaysInFront() {
    var shelf = Shelf(3)
    shelf.isSlow = true
    shelf.press(.enter, .character("/"), .character("2"))
    shelf.catchUp()
    #expect(shelf.state.view == .list && shelf.state.prompt == "2")
    shelf.press(.enter, .character("s"))
    #expect(shelf.lines.filter(\.isStarred).map(\.number) == [2])
  }

  @Test("An item that comes behind the keys is there behind them, being read")
  func anItemComesBehindTheKeys() {
    var shelf = Shelf(3)
    shelf.isSlow = true
    shelf.press(.enter, .character("?"))
    shelf.catchUp()
    #expect(shelf.state.view == .help && shelf.lines[0].isRead)
    shelf.press(.escape)
    #expect(shelf.state.view == .article)
  }

  @Test("Where the next item cannot be opened the one before is not in front any more")
  func whereTheNextCannotBeOpened() {
    var shelf = Shelf(3)
    shelf.lost = [reference(2)]
    shelf.press(.enter, .character("n"))
    #expect(shelf.state.view == .list && shelf.state.message == "it is gone")
    #expect(shelf.selected == "Item 2")
    #expect(shelf.lines.map(\.isRead) == [true, false, false])
    // One that nobody waits for any more changes nothing.
    shelf.press(.character("k"), .enter)
    shelf.send(.notOpened(reference(1), "gone"))
    #expect(shelf.state.view == .article)
  }
}
