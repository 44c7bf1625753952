import FolderWatching
import Synchronization

/// Events on their way from the watcher's thread to the loop that scans.
///
/// All that has come is taken at once: ten thousand events lead to a few scans, not to as many.
final class Mailbox: Sendable {
  private let events = Mutex<[FolderEvent]>([])
  private let continuation: AsyncStream<Void>.Continuation
  /// Has an element when there may be something to do: events, or a timer that fired.
  let wakeUps: AsyncStream<Void>

  init() {
    (wakeUps, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func put(_ event: FolderEvent) {
    events.withLock { $0.append(event) }
    continuation.yield()
  }

  func wake() { continuation.yield() }

  func takeAll() -> [FolderEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
