import Glibc
import SystemPackage
import Testing

/// Tells that somebody has opened a file since it was made.
final class OpeningSignal: Sendable {
  private let descriptor: Int32

  init(of path: FilePath) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    try #require(descriptor >= 0)
    try #require(inotify_add_watch(descriptor, path.string, UInt32(IN_OPEN)) >= 0)
  }

  deinit { close(descriptor) }

  /// Whether that has happened, without waiting for it.
  var hasCome: Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wait, 1, 0) == 1
  }

  /// Waits for it, for a minute at most.
  func wait() -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wait, 1, 60_000) == 1
  }
}
