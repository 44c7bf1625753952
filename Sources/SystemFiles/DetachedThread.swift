import Glibc
import SystemPackage

/// A thread of its own, for what blocks.
///
/// It takes no signal, so that none interrupts what it waits for, and the process's handlers run on
/// the threads that expect them.
package enum DetachedThread {
  /// Runs `body` on a new thread, which nobody joins.
  ///
  ///     try DetachedThread.run { watcher.run() }
  package static func run(_ body: @escaping @Sendable () -> Void) throws(Errno) {
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
