import Dispatch
import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// Tells that something in one directory may have changed: a file came, went, or was written.
///
/// This is inotify without libinotifytools, which is global to the process and belongs to the
/// container's watcher. Where inotify does not see all (NFS, SMB, FUSE), or is not to be had, it
/// signals every few seconds instead.
///
///     let signal = DirectorySignal("/home/ann/Sync/notes/Documents")
///     for await _ in signal.changes { look() }
package final class DirectorySignal: Sendable {
  /// Has an element when something may have changed; any number of changes make one element.
  ///
  /// It ends, after an element, when the directory is gone, or it or one that leads to it has
  /// another name: what has this path then is another directory, which is not watched. One that
  /// leads to it is heard of as far as it can be read.
  package let changes: AsyncStream<Void>
  private let source: Mutex<any DispatchSourceProtocol>
  private let continuation: AsyncStream<Void>.Continuation
  private static let pollingInterval = DispatchTimeInterval.seconds(5)

  /// Begins to watch; what changes after this call is told.
  package init(_ directory: FilePath) {
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    self.continuation = continuation
    source = Mutex(
      Self.watch(directory, continuation)
        ?? pollingTimer(every: Self.pollingInterval, continuation))
  }

  deinit {
    continuation.finish()
    source.withLock { $0.cancel() }
  }

  private static func watch(
    _ directory: FilePath, _ continuation: AsyncStream<Void>.Continuation
  ) -> sending (any DispatchSourceProtocol)? {
    guard LinuxFileSystem.isLocal(directory), let descriptor = try? InotifyInstance.make() else {
      return nil
    }
    let events =
      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF
      | IN_MOVE_SELF | IN_ATTRIB
    // First, so that what the path leads to is watched, or the move is heard of.
    var (above, path): ([FilePath], FilePath) = ([], directory)
    while path.removeLastComponent(), !path.isEmpty { above.append(path) }
    for folder in above.reversed() { _ = add(folder, moves, descriptor) }
    let watch = add(directory, events, descriptor)
    guard watch >= 0 else {
      InotifyInstance.end(descriptor)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler {
      let isGone = readsEnd(descriptor)
      continuation.yield()
      if isGone { continuation.finish() }
    }
    source.setCancelHandler { InotifyInstance.end(descriptor) }
    source.resume()
    return source
  }

  /// What is heard of the folders that lead to the directory.
  private static let moves = IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR

  private static func add(_ folder: FilePath, _ events: Int32, _ descriptor: Int32) -> Int32 {
    folder.withPlatformString { inotify_add_watch(descriptor, $0, UInt32(events)) }
  }

  /// Reads all events; returns whether they say that the directory is watched no more by its name.
  private static func readsEnd(_ descriptor: Int32) -> Bool {
    var isGone = false
    InotifyRecord.take(from: descriptor) { records in
      // The kernel has ended the watch, or will see another name's directory.
      if records.contains(where: { $0.says(IN_IGNORED | IN_MOVE_SELF) }) { isGone = true }
    }
    return isGone
  }
}
