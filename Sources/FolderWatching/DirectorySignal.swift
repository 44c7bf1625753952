import Dispatch
import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// Tells that something in one directory may have changed: a file came, went, or was written.
///
/// This is inotify without libinotifytools, which is global to the process and belongs to the
/// container's watcher; all of a process have one instance. Where inotify does not see all (NFS,
/// SMB, FUSE), or is not to be had, it signals every few seconds instead.
///
///     let signal = DirectorySignal("/home/ann/Sync/notes/Documents")
///     for await _ in signal.changes { look() }
package final class DirectorySignal: Sendable {
  /// Has an element when something may have changed; any number of changes make one element.
  ///
  /// It ends, after an element, when the directory is gone, or it or one that leads to it has
  /// another name: what has this path then is another directory, which is not watched. One that
  /// leads to it is heard of as far as it can be read. It also ends where so much happened that the
  /// kernel could not tell all, since that may have been lost.
  package let changes: AsyncStream<Void>
  private let end: @Sendable () -> Void
  private let continuation: AsyncStream<Void>.Continuation
  private static let pollingInterval = DispatchTimeInterval.seconds(5)

  /// Begins to watch; what changes after this call is told.
  package convenience init(_ directory: FilePath) {
    self.init(directory, by: .ofProcess)
  }

  package init(_ directory: FilePath, by inotify: SharedInotify) {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    self.continuation = continuation
    if let subscriber = Self.watch(directory, by: inotify, continuation) {
      end = { inotify.end(subscriber) }
    } else {
      let timer = Mutex(pollingTimer(every: Self.pollingInterval, continuation))
      end = { timer.withLock { $0.cancel() } }
    }
  }

  deinit {
    continuation.finish()
    end()
  }

  private static func watch(
    _ directory: FilePath, by inotify: SharedInotify,
    _ continuation: AsyncStream<Void>.Continuation
  ) -> Int? {
    guard LinuxFileSystem.isLocal(directory) else { return nil }
    let events =
      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_ATTRIB
    let moves = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    return inotify.watch(directory, for: events, above: moves) { news in
      continuation.yield()
      if news == .gone { continuation.finish() }
    }
  }
}
