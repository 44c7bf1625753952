import Synchronization

/// A lock on a file, held until `release()` or until this object goes away.
package final class FileLock: Sendable {
  private let onRelease: Mutex<(@Sendable () -> Void)?>

  /// Wraps a lock already taken; `onRelease` is called once.
  package init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = Mutex(onRelease)
  }

  deinit { release() }

  /// Gives the lock up; the second call does nothing.
  package func release() {
    let action = onRelease.withLock { stored in
      defer { stored = nil }
      return stored
    }
    action?()
  }
}
