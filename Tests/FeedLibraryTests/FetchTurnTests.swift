import FeedReading
import Foundation
import Testing

@testable import FeedLibrary

/// Two processes of one device would fetch all feeds at once.
@Suite struct FetchTurnTests {
  @Test("One at a time fetches all feeds, and the next once it has ended")
  func oneAtATime() throws {
    let house = try Household()
    let (one, other) = (try house.library("ann"), try house.library("ann"))
    var turn = one.fetchTurn()
    #expect(turn != nil && other.fetchTurn() == nil && one.fetchTurn() == nil)
    #expect(try house.library("ben").fetchTurn() != nil)
    turn = nil
    turn = other.fetchTurn()
    #expect(turn != nil && one.fetchTurn() == nil)
    withExtendedLifetime(turn) {}
  }

  @Test("Who has been stopped for long while it fetches keeps nobody from it")
  func whoHasBeenStopped() throws {
    let house = try Household()
    let ann = try house.library("ann")
    let turn = try #require(ann.fetchTurn())
    let later = Household.start + FetchTurn.silentSeconds
    house.setClock(of: "ann", to: later)
    #expect(ann.fetchTurn() == nil)
    house.setClock(of: "ann", to: later + 1)
    let second = ann.fetchTurn()
    #expect(second != nil)
    // It has been continued: the other one ends, and this one counts again.
    turn.goOn()
    #expect(ann.fetchTurn() == nil)
    // A clock that has been set back tells nothing.
    house.setClock(of: "ann", to: Household.start - 86_400)
    #expect(ann.fetchTurn() != nil)
    withExtendedLifetime(turn) {}
  }

  @Test("Where the turn cannot be kept, feeds are fetched all the same")
  func whereItCannotBeKept() throws {
    let house = try Household()
    let ann = try house.library("ann")
    let file = ann.cache.directory + "/fetching.lock"
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(ann.fetchTurn() != nil && ann.fetchTurn() != nil)
  }
}
