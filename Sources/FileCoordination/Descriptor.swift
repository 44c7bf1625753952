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

/// A thread of its own, for what blocks.
enum CoordinationThread {
  /// Runs `body` on a new thread, which nobody joins and which takes no signal.
  static func run(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let argument = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    var (all, previous) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
      if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }
    let failure = pthread_create(&thread, nil, main, argument.toOpaque())
    guard failure == 0 else {
      argument.release()
      throw Errno(rawValue: failure)
    }
    pthread_detach(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
