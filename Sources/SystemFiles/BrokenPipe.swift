import Glibc

/// Writing to what nobody may read any more.
package enum BrokenPipe {
  /// Runs `body` while no SIGPIPE ends the process: a write says EPIPE instead.
  ///
  ///     let count = BrokenPipe.heldBack { write(descriptor, bytes, bytes.count) }
  ///
  /// The signal is held back on this thread and taken away again; ignoring it in the whole process
  /// would be inherited by the programs that it starts.
  package static func heldBack<Value>(_ body: () -> Value) -> Value {
    var (signals, before, pending) = (sigset_t(), sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    // One that somebody else had sent is not this body's to take.
    sigpending(&pending)
    let wasPending = sigismember(&pending, SIGPIPE) == 1
    pthread_sigmask(SIG_BLOCK, &signals, &before)
    let value = body()
    if !wasPending {
      var now = timespec()
      while sigtimedwait(&signals, nil, &now) < 0, Glibc.errno == EINTR { continue }
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    return value
  }
}
