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
  ///
  /// - parameter stackBytes: How large its stack is; as large as the system makes them if nil.
  package static func run(
    stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) throws(Errno) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
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
    let failure = pthread_create(&thread, &attributes, main, argument.toOpaque())
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
