import Replication
import Testing

@Suite struct HybridClockTests {
  @Test func theCounterCarriesIntoTheMilliseconds() {
    var clock = HybridClock(latest: HybridTime(milliseconds: 7, counter: .max))
    #expect(clock.tick(wallMilliseconds: 7) == HybridTime(milliseconds: 8))
  }

  @Test func everyMomentIsLaterThanAllThatWasGivenOutOrMerged() {
    var clock = HybridClock(latest: .zero)
    var last = HybridTime.zero
    for wall: Int64 in [5, 5, 4, -1, .min, 6, 0] {
      let next = clock.tick(wallMilliseconds: wall) ?? .zero
      #expect(next > last)
      last = next
    }
    let ahead = HybridTime(milliseconds: 1_000_000)
    clock.merge(ahead)
    clock.merge(last)
    let next = clock.tick(wallMilliseconds: 6) ?? .zero
    #expect(next > ahead)
  }

  @Test func theWallClockMovesItOn() {
    var clock = HybridClock(latest: HybridTime(milliseconds: 7, counter: 9))
    #expect(clock.tick(wallMilliseconds: 8) == HybridTime(milliseconds: 8))
  }

  @Test func noWallClockIsOutsideTheYearsOfTheFormat() {
    #expect(HybridTime(milliseconds: .max).milliseconds == HybridTime.latestMilliseconds)
    #expect(HybridTime(milliseconds: .min) == .zero)
    #expect(HybridTime(milliseconds: .max, counter: .max) == .latest)
  }

  @Test func aWallClockBehindTheYearsOfTheFormatIsNotFollowed() {
    var clock = HybridClock(latest: HybridTime(milliseconds: 7, counter: 9))
    #expect(clock.tick(wallMilliseconds: .max) == HybridTime(milliseconds: 7, counter: 10))
    #expect(clock.tick(wallMilliseconds: 8) == HybridTime(milliseconds: 8))
  }

  @Test func afterTheYear9999ThereIsNoMoment() {
    var clock = HybridClock(latest: HybridTime(rawValue: HybridTime.latest.rawValue - 1))
    #expect(clock.tick(wallMilliseconds: .max) == .latest)
    #expect(clock.tick(wallMilliseconds: .max) == nil)
    clock.merge(HybridTime(rawValue: .max))
    #expect(clock.tick(wallMilliseconds: 0) == nil)
  }
}
