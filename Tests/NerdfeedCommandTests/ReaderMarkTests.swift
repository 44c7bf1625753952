import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// Marks and articles of the full-screen reader.
@Suite struct ReaderMarkTests {
  private func reference(_ number: Int) -> ItemReference { Shelf.line(number).reference }

  @Test func aMarkIsShownBeforeItIsMade() {
    var shelf = Shelf(3)
    shelf.isSlow = true
    shelf.press(.character("m"), .character("s"))
    let line = shelf.state.window.current
    #expect(line?.isRead == true && line?.isStarred == true)
    #expect(shelf.state.unreadCount == 2)
    shelf.catchUp()
    #expect(
      shelf.done == [
        .mark([reference(3)], .read(true), ticket: 1),
        .mark([reference(3)], .starred(true), ticket: 2),
      ])
  }

  /// What is read from the cache meanwhile does not have it yet.
  @Test func aPageThatWasReadBeforeTheMarkDoesNotTakeItBack() {
    var shelf = Shelf(3)
    shelf.isSlow = true
    shelf.press(.character("m"))
    var query = ItemQuery()
    query.limit = 100
    let request = PageRequest(kind: .reload, query: query, generation: shelf.state.generation)
    shelf.send(.page(request, shelf.lines))
    #expect(shelf.state.window.current?.isRead == true)
    shelf.catchUp()
    #expect(shelf.lines[0].isRead)
  }

  @Test func openingAnItemMarksItAsRead() {
    var shelf = Shelf(3)
    shelf.press(.enter)
    #expect(shelf.state.view == .article)
    #expect(shelf.lines.map(\.isRead) == [true, false, false])
  }

  @Test("An item whose page was not shown is unread again, if it was, and was not marked since")
  func aPageThatWasNotShown() {
    var shelf = Shelf(3) { $0 == 2 }
    func fail(_ number: Int) { shelf.send(.notBrowsed(reference(number), "no browser")) }
    shelf.press(.character("o"))
    #expect(shelf.lines.map(\.isRead) == [true, true, false] && shelf.state.unreadCount == 1)
    fail(3)
    #expect(shelf.lines.map(\.isRead) == [false, true, false] && shelf.state.unreadCount == 2)
    #expect(shelf.state.message == "no browser")
    shelf.press(.character("j"), .character("o"))
    fail(2)
    shelf.press(.character("j"), .character("o"), .enter)
    fail(1)
    shelf.press(.character("h"), .character("g"), .character("o"), .character("m"))
    shelf.press(.character("m"))
    fail(3)
    #expect(shelf.lines.allSatisfy { $0.isRead })
  }

  @Test func anArticleIsScrolledAndLeft() {
    var shelf = Shelf(3)
    shelf.press(.enter, .character("j"), .character("j"))
    #expect(shelf.screen[0] == "line 1")
    shelf.press(.character("G"))
    #expect(shelf.screen.last == "line 40")
    shelf.press(.character("j"))
    #expect(shelf.screen.last == "line 40")
    shelf.press(.character("g"))
    #expect(shelf.screen[0] == "Item 3")
    shelf.press(.character("h"))
    #expect(shelf.state.view == .list)
  }

  @Test func nOpensTheNextUnreadItemHoweverFarAwayItIs() {
    var shelf = Shelf(9_000) { $0 != 9_000 && $0 != 12 }
    shelf.press(.enter, .character("n"))
    #expect(shelf.state.article?.lines.first == "Item 12")
    #expect(shelf.lines.allSatisfy { $0.isRead })
  }

  @Test func aPageIsHandedToTheBrowserAndItsItemIsRead() {
    var shelf = Shelf(3)
    shelf.press(.character("o"))
    #expect(shelf.done.first == .browse(reference(3), link: "https://e.org/3"))
    #expect(shelf.lines[0].isRead)
  }

  @Test func nothingButThePagesOfTheWebIsHandedToTheBrowser() {
    for link in ["javascript:alert(1)", "file:///etc/passwd", "", "https"] {
      #expect(!link.isOnTheWeb)
    }
    #expect("HTTPS://e.org".isOnTheWeb)
  }

  @Test func whatComesForAnItemThatIsNotSelectedAnyMoreIsNotShown() {
    var shelf = Shelf(3)
    shelf.isSlow = true
    shelf.press(.enter, .character("j"))
    shelf.catchUp()
    #expect(shelf.state.view == .list)
    #expect(!shelf.lines[0].isRead)
  }

  @Test func whoFetchesNeedNotDoSoTwice() {
    var shelf = Shelf(3)
    shelf.press(.character("r"), .character("r"))
    #expect(shelf.done == [.fetch])
    shelf.send(.fetching(nil))
    shelf.press(.character("r"))
    #expect(shelf.done == [.fetch, .fetch])
  }
}
