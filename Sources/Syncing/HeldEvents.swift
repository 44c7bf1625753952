import FolderWatching
import Synchronization

/// What the first look of a watch has imported, held until it may be told.
///
/// It comes after the line that says that the look is done. Where that does not end, since a file
/// system does not answer, it is told by whoever has the process leave: what is committed is told
/// by no later watch.
package final class HeldEvents: Sendable {
  /// The line that says that it watches, and what was imported; nil once they are somebody's.
  private let events = Mutex<[WatchEvent]?>([])

  package init() {}

  func begin(_ mode: WatchMode) { events.withLock { $0 = [.watching(mode)] } }

  /// - returns: false if all others are told by now, so that this one is to be told as well.
  func hold(_ event: WatchEvent) -> Bool {
    events.withLock { events in
      events?.append(event)
      return events != nil
    }
  }

  /// Gives all, once; nothing where somebody else has it.
  func release() -> [WatchEvent] {
    events.withLock { events in
      defer { events = nil }
      return events ?? []
    }
  }

  /// Gives what was imported, after the line that says that it watches; nothing if nothing was, and
  /// then that line stays here.
  package func releaseImported() -> [WatchEvent] {
    events.withLock { events in
      guard let all = events, all.count > 1 else { return [] }
      events = nil
      return all
    }
  }
}
