import CInotifyTools
import Glibc
import SystemPackage

/// A thread of its own, since libinotifytools blocks and is to be called from one thread alone.
enum WatcherThread {
  /// Its name, as `ps -T` shows it.
  static let name = "feedsync-watch"

  /// Runs `body` on a new thread, which nobody joins.
  ///
  /// It takes no signal, so that none interrupts the library and the process's handlers run on
  /// the threads they expect.
  static func run(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    let argument = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
      pthread_setname_np(pthread_self(), WatcherThread.name)
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
