import Glibc

/// Who watches what by an inotify instance that several have in common.
///
/// The kernel has one watch for a folder, whoever asks for it, and for all that one of them wants.
package struct SharedWatches: Sendable {
  /// What one of those who watch is told.
  package enum News: Comparable, Sendable {
    case changed
    /// What is watched has its name no more, or may have lost it.
    case gone
  }

  /// What each wants to hear of a watch.
  private var watches: [Int32: [Int: Int32]] = [:]

  package init() {}

  /// Notes that somebody wants to hear of a watch.
  package mutating func add(_ watch: Int32, for subscriber: Int, events: Int32) {
    watches[watch, default: [:]][subscriber, default: 0] |= events
  }

  /// Forgets somebody.
  ///
  /// - returns: the watches that nobody has any more.
  package mutating func remove(_ subscriber: Int) -> [Int32] {
    let own = watches.filter { $0.value[subscriber] != nil }.keys
    for watch in own { watches[watch]?[subscriber] = nil }
    let left = own.filter { watches[$0]?.isEmpty == true }
    for watch in left { watches[watch] = nil }
    return Array(left)
  }

  /// What follows from what the kernel tells, for whom.
  package mutating func take(_ records: [InotifyRecord]) -> [Int: News] {
    var news: [Int: News] = [:]
    for record in records {
      guard !record.says(IN_Q_OVERFLOW) else {
        // What was lost may have been anything, of any of them.
        for subscriber in Set(watches.values.flatMap(\.keys)) { news[subscriber] = .gone }
        continue
      }
      // The kernel has ended the watch, or will see another name's folder.
      let isGone = record.says(IN_IGNORED | IN_MOVE_SELF)
      for (subscriber, events) in watches[record.watch] ?? [:]
      where isGone || record.says(events) {
        news[subscriber] = max(news[subscriber] ?? .changed, isGone ? .gone : .changed)
      }
      if record.says(IN_IGNORED) { watches[record.watch] = nil }
    }
    return news
  }
}
