import DocumentFiles
import FolderWatching
import Testing

/// When a query reads what: M1 to M4, M6, without a clock.
@Suite struct MetadataPaceTests {
  private static let one = FolderHint.folders(["/a"])
  private static let other = FolderHint.folders(["/b"])

  private func gathered(
    isWatched: Bool = true, interval: Duration = .seconds(1)
  ) -> MetadataPace {
    var pace = MetadataPace(interval: interval)
    #expect(pace.next(now: .zero) == .gather)
    pace.finished(.everything, isWatched: isWatched, now: .zero)
    return pace
  }

  @Test func m1_gatheringComesOnceAndThenWaiting() {
    var pace = gathered()
    #expect(pace.next(now: .zero) == .wait(until: .seconds(300)))
    #expect(pace.next(now: .seconds(1)) == .wait(until: .seconds(300)))
  }

  @Test func m2_whatIsHintedAtInAnIntervalIsReadTogetherAtItsEnd() {
    var pace = gathered()
    pace.hint(Self.one, now: .seconds(5))
    #expect(pace.next(now: .seconds(5)) == .wait(until: .seconds(6)))
    pace.hint(Self.other, now: .milliseconds(5900))
    #expect(pace.next(now: .milliseconds(5999)) == .wait(until: .seconds(6)))
    #expect(pace.next(now: .seconds(6)) == .read(.folders(["/a", "/b"])))
    pace.finished(.folders(["/a", "/b"]), isWatched: true, now: .seconds(6))
    #expect(pace.next(now: .seconds(6)) == .wait(until: .seconds(300)))
  }

  @Test func m2_aHintDoesNotPutOffTheEndOfTheInterval() {
    var pace = gathered(interval: .seconds(2))
    for second in 5...7 { pace.hint(Self.one, now: .seconds(second)) }
    #expect(pace.next(now: .seconds(7)) == .read(Self.one))
    pace.interval = .zero
    pace.hint(Self.one, now: .seconds(8))
    #expect(pace.next(now: .seconds(8)) == .read(Self.one))
  }

  @Test func m2_aLongIntervalHasOneUpdateAlsoWhereHintsDoNotTellOfAll() {
    var pace = gathered(isWatched: false, interval: .seconds(60))
    #expect(pace.next(now: .seconds(5)) == .wait(until: .seconds(60)))
    #expect(pace.next(now: .seconds(60)) == .read(.everything))
    pace.finished(.everything, isWatched: false, now: .seconds(61))
    #expect(pace.next(now: .seconds(66)) == .wait(until: .seconds(121)))
    // Set to less, it counts at once.
    pace.interval = .seconds(1)
    #expect(pace.next(now: .seconds(66)) == .read(.everything))
    // So it is with the safety net.
    pace = gathered(interval: .seconds(600))
    pace.hint(Self.one, now: .seconds(290))
    #expect(pace.next(now: .seconds(300)) == .wait(until: .seconds(600)))
  }

  @Test func m2_anIntervalThatNoClockCountsToIsLongAndNoMore() {
    var pace = gathered(interval: .seconds(Int64.max))
    pace.hint(Self.one, now: .seconds(5))
    let end = Duration.seconds(5 + (1 << 32))
    #expect(pace.next(now: .seconds(5)) == .wait(until: end - .seconds(5)))
    pace.interval = .seconds(Int64.max) * 2
    pace.finished(Self.one, isWatched: true, now: .seconds(5))
    #expect(pace.next(now: .seconds(5)) == .wait(until: end))
    #expect(pace.next(now: end) == .read(.everything))
  }

  @Test func m3_nothingIsReadWhileFrozenAndAllOfItAfterwards() {
    var pace = gathered()
    pace.isFrozen = true
    pace.hint(Self.one, now: .seconds(5))
    pace.hint(Self.other, now: .seconds(50))
    #expect(pace.next(now: .seconds(299)) == .wait(until: nil))
    pace.isFrozen = false
    #expect(pace.next(now: .seconds(299)) == .read(.folders(["/a", "/b"])))
  }

  @Test func m3_whatCouldNotBeToldIsReadAgainAtOnce() {
    var pace = gathered()
    pace.isFrozen = true
    pace.postpone(.read(Self.one), now: .seconds(9))
    pace.isFrozen = false
    #expect(pace.next(now: .seconds(9)) == .read(Self.one))
    pace.postpone(.gather, now: .seconds(9))
    #expect(pace.next(now: .seconds(9)) == .gather)
  }

  @Test func m4_aRestartGathersAnewAndNeedsNoHintsFromBefore() {
    var pace = gathered()
    pace.hint(Self.one, now: .seconds(5))
    pace.restart()
    #expect(pace.next(now: .seconds(5)) == .gather)
    pace.finished(.everything, isWatched: true, now: .seconds(5))
    #expect(pace.next(now: .seconds(7)) == .wait(until: .seconds(305)))
  }

  @Test func m6_everythingIsReadAgainWhereHintsWereLost() {
    var pace = gathered()
    pace.hint(Self.one, now: .seconds(1))
    pace.hint(.everything, now: .seconds(1))
    #expect(pace.next(now: .seconds(2)) == .read(.everything))
  }

  @Test func m6_everythingIsReadFromTimeToTimeOftenWhereHintsDoNotTellOfAll() {
    var pace = gathered()
    #expect(pace.next(now: .seconds(300)) == .read(.everything))
    pace.finished(.everything, isWatched: false, now: .seconds(300))
    #expect(pace.next(now: .seconds(300)) == .wait(until: .seconds(305)))
    // Reading a folder on a hint does not put off the reading of everything.
    pace.hint(Self.one, now: .seconds(302))
    #expect(pace.next(now: .seconds(303)) == .read(Self.one))
    pace.finished(Self.one, isWatched: false, now: .seconds(303))
    #expect(pace.next(now: .seconds(305)) == .read(.everything))
  }
}
