import FolderWatching
import Glibc
import Synchronization
import Testing

/// Keeps what a watcher delivers.
final class Recorder: Sendable {
  private let noted = Mutex<[FolderEvent]>([])
  var events: [FolderEvent] { noted.withLock { $0 } }
  func note(_ event: FolderEvent) { noted.withLock { $0.append(event) } }
  func clear() { noted.withLock { $0 = [] } }
}

/// Waits until `condition` holds, and fails if it does not within a minute.
///
/// For what another thread is about to do; it never stands for time that passes.
func eventually(
  _ condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async {
  let start = ContinuousClock.now
  while !condition() {
    if start.duration(to: .now) > .seconds(60) {
      Issue.record("it did not come to be", sourceLocation: sourceLocation)
      return
    }
    usleep(200)
    await Task.yield()
  }
}
