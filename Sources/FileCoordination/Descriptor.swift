import Glibc
import SystemPackage

/// An open file, closed with its last user; no child process inherits it.
final class Descriptor: Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  /// Takes what a system call returned.
  init(returned number: Int32) throws(Errno) {
    guard number >= 0 else { throw Errno.last }
    self.number = number
  }

  deinit { close(number) }

  /// A path that names the open file itself, whatever happens to its name.
  var path: FilePath { FilePath("/proc/self/fd/\(number)") }

  func status() throws(Errno) -> stat {
    var result = stat()
    guard fstat(number, &result) == 0 else { throw Errno.last }
    return result
  }
}

extension Errno {
  /// The error of the last call on this thread.
  static var last: Errno { Errno(rawValue: Glibc.errno) }
}

enum MonotonicTime {
  /// The time since the machine started, which is the same in all its processes.
  static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
