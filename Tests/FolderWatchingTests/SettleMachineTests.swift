import FolderWatching
import SystemPackage
import Testing

@Suite struct SettleMachineTests {
  private enum Step {
    case event(FolderEvent, at: Int)
    case started
    case finished(at: Int)
    case timer(at: Int)
  }

  /// Feeds the steps, times in milliseconds, to a new machine; returns the actions.
  private func actions(_ steps: [Step]) -> [SettleMachine.Action] {
    var machine = SettleMachine()
    return steps.map { step in
      switch step {
      case .event(let event, let at): return machine.event(event, now: .milliseconds(at))
      case .finished(let at): return machine.scanFinished(now: .milliseconds(at))
      case .timer(let at): return machine.timerFired(now: .milliseconds(at))
      case .started:
        machine.scanStarted()
        return .nothing
      }
    }
  }

  /// One event each millisecond, from `first` to `last`.
  private func burst(_ first: Int, _ last: Int) -> [Step] {
    (first...last).map { .event(.changed("b"), at: $0) }
  }

  @Test func theFirstEventAfterQuietIsScannedForAtOnce() {
    #expect(actions([.event(.changed("a"), at: 0)]) == [.scan(["a"])])
  }

  @Test func eventsDuringAScanWaitForItsEnd() {
    let result = actions([
      .event(.changed("a"), at: 0), .event(.changed("b"), at: 1), .event(.appeared("c"), at: 2),
      .finished(at: 3),
    ])
    #expect(result == [.scan(["a"]), .nothing, .nothing, .scan(["b", "c"])])
  }

  @Test func aScanThatEndsWithNothingGatheredIsFollowedByQuiet() {
    let result = actions([
      .event(.changed("a"), at: 0), .finished(at: 3), .event(.changed("a"), at: 4),
    ])
    #expect(result == [.scan(["a"]), .nothing, .scan(["a"])])
  }

  @Test func aWriterThatAwaitsEachScanIsNeverLeftToSettle() {
    var steps: [Step] = [.event(.changed("a"), at: 0)]
    for at in 1..<300 { steps += [.event(.changed("a"), at: at), .finished(at: at)] }
    let scans = actions(steps).filter { $0 == .scan(["a"]) }
    #expect(scans.count == 300)
  }

  @Test func aBurstSettlesForTwentyMilliseconds() {
    let steps = [.event(.changed("a"), at: 0)] + burst(1, 10) + [.finished(at: 10)]
    #expect(actions(steps).last == .wake(at: .milliseconds(30)))
    #expect(actions(steps + [.timer(at: 30)]).last == .scan(["b"]))
  }

  @Test func eventsWhileSettlingMoveTheTimeOnlyWhenTheTimerFires() {
    let steps = [.event(.changed("a"), at: 0)] + burst(1, 10) + [.finished(at: 10)] + burst(11, 25)
    #expect(actions(steps).last == .nothing)
    #expect(actions(steps + [.timer(at: 30)]).last == .wake(at: .milliseconds(45)))
  }

  @Test func aBurstWaitsForAQuarterOfASecondAtMost() {
    let steps = [.event(.changed("a"), at: 0)] + burst(1, 10) + [.finished(at: 10)] + burst(11, 249)
    #expect(actions(steps + [.timer(at: 249)]).last == .wake(at: .milliseconds(251)))
    #expect(actions(steps + burst(250, 251) + [.timer(at: 251)]).last == .scan(["b"]))
  }

  @Test func aBurstThatEndedLongBeforeTheScanDidIsScannedForAtOnce() {
    let steps = [.event(.changed("a"), at: 0)] + burst(1, 10) + [.finished(at: 100)]
    #expect(actions(steps).last == .scan(["b"]))
  }

  @Test(arguments: [
    FolderEvent.overflow, .rootGone, .failed(.ioError), .rescan,
  ])
  func lossOfAnyKindHasAllRescanned(event: FolderEvent) {
    #expect(actions([.event(event, at: 0)]) == [.rescanAll])
    let later = actions([.event(.changed("a"), at: 0), .event(event, at: 1), .finished(at: 2)])
    #expect(later.last == .rescanAll)
  }

  @Test func aRescanCoversTheDirectoriesGatheredBefore() {
    let result = actions([
      .event(.changed("a"), at: 0), .event(.changed("b"), at: 1), .event(.overflow, at: 2),
      .finished(at: 3), .finished(at: 4), .event(.changed("c"), at: 5),
    ])
    #expect(result.suffix(3) == [.rescanAll, .nothing, .scan(["c"])])
  }

  @Test func aChangeOfModeIsNotScannedFor() {
    #expect(actions([.event(.mode(.inotify), at: 0)]) == [.nothing])
  }

  @Test func aScanOfTheCallersOwnHoldsEventsBack() {
    let result = actions([.started, .event(.changed("a"), at: 1), .finished(at: 2)])
    #expect(result == [.nothing, .nothing, .scan(["a"])])
  }

  @Test func aTimerThatNobodyAwaitsAnyMoreDoesNothing() {
    #expect(actions([.timer(at: 1)]) == [.nothing])
    #expect(actions([.event(.changed("a"), at: 0), .timer(at: 1)]).last == .nothing)
  }

  @Test func namesThatAreCanonicallyEquivalentAreTwoDirectories() {
    let result = actions([
      .started, .event(.changed("\u{e9}"), at: 1), .event(.changed("e\u{301}"), at: 1),
      .finished(at: 2),
    ])
    #expect(result.last == .scan(["\u{e9}", "e\u{301}"]))
    guard case .scan(let names) = result.last else { return }
    #expect(names.count == 2)
  }
}
