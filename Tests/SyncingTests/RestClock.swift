/// A clock on which one sleeps until a test says that it is time, and that tells for how long each
/// wants to.
final class RestClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  /// For how long each wants to sleep, as it begins to.
  let rests: AsyncStream<Duration>
  private let restsEnd: AsyncStream<Duration>.Continuation
  private let permits: AsyncStream<Void>
  private let permitsEnd: AsyncStream<Void>.Continuation

  init() {
    (rests, restsEnd) = AsyncStream.makeStream()
    (permits, permitsEnd) = AsyncStream.makeStream()
  }

  let now = Instant(offset: .zero)
  var minimumResolution: Duration { .nanoseconds(1) }

  /// Lets one sleeper wake.
  func wake() { permitsEnd.yield() }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    restsEnd.yield(deadline.offset)
    var permits = permits.makeAsyncIterator()
    _ = await permits.next()
    try Task.checkCancellation()
  }
}
