import Glibc
import SystemPackage

/// Tells that somebody has opened a file since this was made.
package final class OpeningSignal: Sendable {
  private static let longest = Duration.seconds(60)
  private let descriptor: Int32

  package init(of path: FilePath) throws {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    let events = UInt32(IN_OPEN)
    guard path.withPlatformString({ inotify_add_watch(descriptor, $0, events) }) >= 0 else {
      let code = errno
      close(descriptor)
      throw Errno(rawValue: code)
    }
  }

  deinit { close(descriptor) }

  private var hasCome: Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wait, 1, 0) == 1
  }

  /// Waits for it while other tasks go on, on this thread as well; false if it does not come.
  package func arrives() async -> Bool {
    let end = ContinuousClock.now + Self.longest
    while !hasCome {
      guard ContinuousClock.now < end else { return false }
      await Task.yield()
    }
    return true
  }
}
