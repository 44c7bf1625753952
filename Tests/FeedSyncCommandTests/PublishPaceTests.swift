import FeedSyncCommand
import Testing

@Suite("A load that publishes from time to time") struct PublishPaceTests {
  @Test("does so at once again after it could, and less and less often while it cannot")
  func pauses() {
    var pace = PublishPace(now: .zero)
    var now = Duration.zero
    func pause() -> Duration {
      let delay = pace.delay(at: now)
      now += delay - .milliseconds(10)
      #expect(pace.delay(at: now) == .milliseconds(10))
      now += .milliseconds(20)
      #expect(pace.delay(at: now) == .zero)
      return delay
    }
    #expect(pause() == .milliseconds(250))
    pace.note(isDone: true, at: now)
    #expect(pause() == .milliseconds(250))
    for seconds in [1, 4, 16, 60, 60] {
      pace.note(isDone: false, at: now)
      #expect(pause() == .seconds(seconds))
    }
    pace.note(isDone: true, at: now)
    #expect(pause() == .milliseconds(250))
  }

  @Test("waits for nothing once much is written, unless the folder refused it")
  func much() {
    var pace = PublishPace(now: .zero)
    #expect(!pace.isDue(waiting: 1 << 20))
    #expect(pace.isDue(waiting: 4 << 20))
    pace.note(isDone: false, at: .seconds(1))
    #expect(!pace.isDue(waiting: 64 << 20))
    pace.note(isDone: true, at: .seconds(3))
    #expect(pace.isDue(waiting: 4 << 20))
  }
}
