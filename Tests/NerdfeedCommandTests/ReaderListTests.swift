import FeedLibrary
import Testing

@testable import NerdfeedCommand

/// The list of the full-screen reader.
@Suite struct ReaderListTests {
  @Test func theLatestItemIsSelectedFirst() {
    let shelf = Shelf(3)
    #expect(shelf.selected == "Item 3")
    #expect(shelf.state.unreadCount == 3)
  }

  @Test func keysOfVimMoveTheSelectionAndStopAtTheEnds() {
    var shelf = Shelf(3)
    shelf.press(.character("j"), .down)
    #expect(shelf.selected == "Item 1")
    shelf.press(.character("j"))
    #expect(shelf.selected == "Item 1")
    shelf.press(.character("k"), .up, .up)
    #expect(shelf.selected == "Item 3")
  }

  @Test func longListsComeInPartsAsTheyAreNeeded() {
    var shelf = Shelf(5_000)
    #expect(shelf.state.window.lines.count < 200)
    for _ in 0..<400 { shelf.press(.pageDown) }
    #expect(shelf.selected == "Item 1000")
    #expect(shelf.state.window.lines.count <= ItemWindow.most + 200)
    for _ in 0..<400 { shelf.press(.pageUp) }
    #expect(shelf.selected == "Item 5000")
  }

  @Test func theEndsAreReachedAtOnceHoweverLongTheListIs() {
    var shelf = Shelf(100_000)
    shelf.press(.character("G"))
    #expect(shelf.selected == "Item 1")
    shelf.press(.pageUp)
    #expect(shelf.selected == "Item 11")
    shelf.press(.character("g"))
    #expect(shelf.selected == "Item 100000")
  }

  @Test func theNextUnreadItemIsFoundHoweverFarAwayItIs() {
    var shelf = Shelf(20_000) { $0 != 20_000 && $0 != 7 && $0 != 3 }
    shelf.press(.character("n"))
    #expect(shelf.selected == "Item 7")
    shelf.press(.character("n"))
    #expect(shelf.selected == "Item 3")
    shelf.press(.character("n"))
    #expect(shelf.selected == "Item 3")
    #expect(shelf.state.message == "no more unread items")
    shelf.press(.character("p"), .character("p"))
    #expect(shelf.selected == "Item 20000")
  }

  @Test func whoIsAheadOfAPageThatIsOnItsWayGetsThereWhenItComes() {
    var shelf = Shelf(1_000)
    shelf.isSlow = true
    for _ in 0..<8 { shelf.press(.pageDown) }
    #expect(shelf.selected == "Item 941")
    shelf.catchUp()
    #expect(shelf.selected == "Item 920")
    shelf.press(.character("j"))
    #expect(shelf.selected == "Item 919")
  }

  @Test func whatIsReadAgainOfWhereTheUserIsNoMoreIsLeftOut() {
    var shelf = Shelf(1_000)
    shelf.isSlow = true
    shelf.send(.changed)
    for _ in 0..<5 { shelf.press(.pageDown) }
    for number in 1_001...1_100 { shelf.lines.insert(Shelf.line(number), at: 0) }
    shelf.catchUp()
    #expect(shelf.selected == "Item 950")
  }

  @Test func whatIsSelectedStaysSoHoweverMuchComesInFrontOfIt() {
    var shelf = Shelf(1_000)
    for _ in 0..<30 { shelf.press(.pageDown) }
    #expect(shelf.selected == "Item 700")
    // Items of an older date than that of those above.
    let index = shelf.lines.firstIndex { $0.number == 700 } ?? 0
    let news = (0..<300).map {
      Shelf.line(5_000 - $0, title: "new \($0)", minute: 700)
    }
    shelf.lines.insert(contentsOf: news, at: index)
    shelf.send(.changed)
    #expect(shelf.selected == "Item 700")
    shelf.press(.character("k"))
    #expect(shelf.selected == "new 299")
  }

  @Test func anItemThatGoesWhileItIsTheFirstThatIsKnownIsLeft() {
    var shelf = Shelf(1_000) { $0 < 300 }
    shelf.press(.character("u"), .character("G"), .character("m"))
    for index in shelf.lines.indices where shelf.lines[index].number < 330 {
      shelf.lines[index].isRead = true
    }
    shelf.send(.changed)
    shelf.press(.character("j"))
    shelf.send(.changed)
    #expect(shelf.selected == "Item 300" || shelf.selected == "Item 330")
  }

  @Test func newItemsAppearOnTopAndTheSelectionStays() {
    var shelf = Shelf(30)
    shelf.lines.insert(Shelf.line(31), at: 0)
    shelf.send(.changed)
    #expect(shelf.selected == "Item 30")
    #expect(shelf.screen[0].contains("Item 31"))
    #expect(shelf.state.unreadCount == 31)
  }

  @Test func newItemsDoNotMoveWhatIsReadFurtherDown() {
    var shelf = Shelf(1_000)
    for _ in 0..<20 { shelf.press(.pageDown) }
    let before = shelf.screen
    for number in 1_001...1_050 { shelf.lines.insert(Shelf.line(number), at: 0) }
    shelf.send(.changed)
    #expect(shelf.screen == before)
  }

  @Test func marksOfOtherMachinesAppear() {
    var shelf = Shelf(5)
    shelf.lines[0].isRead = true
    shelf.lines[1].isStarred = true
    shelf.send(.changed)
    #expect(shelf.state.window.lines.map(\.isRead) == [true, false, false, false, false])
    #expect(shelf.state.window.lines[1].isStarred)
  }

  @Test func unreadItemsAloneAreShownOnDemand() {
    var shelf = Shelf(10) { $0 % 2 == 0 }
    shelf.press(.character("u"))
    #expect(shelf.state.window.lines.count == 5)
    shelf.press(.character("u"))
    #expect(shelf.state.window.lines.count == 10)
  }

  /// So that the next one is still the next.
  @Test func anItemThatIsReadStaysInTheListOfUnreadOnesWhileItIsSelected() {
    var shelf = Shelf(10)
    shelf.press(.character("u"), .character("j"), .enter)
    shelf.send(.changed)
    #expect(shelf.selected == "Item 9")
    shelf.press(.character("n"))
    #expect(shelf.state.article?.lines.first == "Item 8")
    shelf.send(.changed)
    #expect(shelf.state.window.lines.map(\.number) == [10, 8, 7, 6, 5, 4, 3, 2, 1])
  }

  @Test func aSearchShowsWhatItFindsAndEscapeShowsAllAgain() {
    var shelf = Shelf(100)
    shelf.press(.character("/"))
    shelf.type("Item 42x")
    shelf.press(.backspace, .enter)
    #expect(shelf.state.window.lines.map(\.number) == [42])
    shelf.press(.character("q"))
    #expect(shelf.state.window.lines.count == 60)
    #expect(!shelf.done.contains(.quit))
  }

  @Test func anAnswerForAFormerListComesTooLate() {
    var shelf = Shelf(10) { $0 % 2 == 0 }
    shelf.isSlow = true
    shelf.press(.character("u"), .character("u"))
    shelf.catchUp()
    #expect(shelf.state.window.lines.count == 10)
  }

  /// What is shown is read again only when it is known what that is.
  @Test func newsThatComeWhileTheEndIsOnItsWayDoNotTakeTheListBack() {
    var shelf = Shelf(5_000)
    shelf.isSlow = true
    shelf.press(.character("G"))
    shelf.lines[0].isRead = true
    shelf.send(.changed)
    shelf.press(.character("j"))
    shelf.catchUp()
    #expect(shelf.selected == "Item 1")
    shelf.press(.character("g"))
    #expect(shelf.state.window.current?.isRead == true)
  }

  @Test func whatCannotBeReadIsSaidAndAskedForAgain() {
    var shelf = Shelf(300)
    let request = PageRequest(
      kind: .behind, query: ItemQuery(), generation: shelf.state.generation)
    shelf.isSlow = true
    shelf.press(.character(" "), .character(" "), .character(" "), .character(" "))
    shelf.press(.character(" "), .character(" "), .character(" "), .character(" "))
    shelf.send(.failed(request, "the disk is full"))
    #expect(shelf.state.message == "the disk is full")
    shelf.isSlow = false
    for _ in 0..<40 { shelf.press(.character(" ")) }
    #expect(shelf.selected == "Item 1")
  }

  @Test func theFirstLineNamesTheListThatIsThereNotTheOneThatIsOnItsWay() {
    var shelf = Shelf(3) { $0 == 3 }
    shelf.isSlow = true
    shelf.press(.character("u"))
    #expect(shelf.title.contains("all items"))
    #expect(shelf.selected == "Item 3")
    shelf.catchUp()
    #expect(shelf.title.contains("unread items"))
    #expect(shelf.selected == "Item 2")
  }

  @Test func ofAListThatCannotBeReadNothingStandsAmongTheFormerOne() {
    var shelf = Shelf(300) { $0 % 2 == 0 }
    shelf.isSlow = true
    shelf.press(.character("u"))
    let request = PageRequest(
      kind: .replace, query: shelf.state.filter, generation: shelf.state.generation)
    shelf.send(.failed(request, "the disk is full"))
    #expect(shelf.title.contains("all items"))
    shelf.isSlow = false
    for _ in 0..<4 { shelf.press(.character(" ")) }
    #expect(shelf.title.contains("unread items"))
    #expect(shelf.state.window.lines.allSatisfy { !$0.isRead })
  }

  @Test func qEndsTheReader() {
    var shelf = Shelf(1)
    shelf.press(.character("q"))
    #expect(shelf.done == [.quit])
  }
}
