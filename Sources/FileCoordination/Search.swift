/// When to look whether processes have ended of which nothing is heard.
///
/// One that has lost its connection has ended by the next moment, as a rule; one that is suspended
/// may be for days. So the pauses grow.
struct Search {
  private static let shortest = Duration.milliseconds(2)
  private static let longest = Duration.milliseconds(250)

  /// When to look next; nil: there is nobody to look for.
  private(set) var due: Duration?
  private var pause = Search.shortest

  /// There is somebody to look for, too.
  mutating func begin(now: Duration) {
    pause = Self.shortest
    due = now + pause
  }

  func isDue(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }

  /// It has been looked, and all were found to have ended, or not.
  mutating func end(now: Duration, isOver: Bool) {
    pause = min(pause * 2, Self.longest)
    due = isOver ? nil : now + pause
  }
}
