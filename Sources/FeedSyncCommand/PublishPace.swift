/// When a load publishes what it has written by then.
///
/// A folder that is away, or cannot be written, may be so for long, and to ask costs seconds where
/// it is a network's that does not answer; so it is asked less and less often, and never for good.
package struct PublishPace {
  /// How long local transactions wait for one another before they are published together.
  package static let shortest = Duration.milliseconds(250)
  package static let longest = Duration.seconds(60)
  /// So much makes files enough by itself.
  private static let fullBytes = 4 << 20

  private var pause = PublishPace.shortest
  private var last: Duration

  /// - parameter now: by a clock that nobody puts back.
  package init(now: Duration) { last = now }

  /// How long it still waits.
  package func delay(at now: Duration) -> Duration { max(last + pause - now, .zero) }

  /// Whether nothing need be waited for, since so much is written; unless the folder refused it:
  /// that is asked no sooner for it.
  package func isDue(waiting bytes: Int) -> Bool {
    bytes >= Self.fullBytes && pause == Self.shortest
  }

  /// - parameter isDone: whether it was published.
  package mutating func note(isDone: Bool, at now: Duration) {
    pause = isDone ? Self.shortest : min(pause * 4, Self.longest)
    last = now
  }
}
