import Glibc
import Synchronization

/// Holds a thread up until a test opens it.
final class Gate: Sendable {
  private let isOpen = Mutex(false)
  private let count = Mutex(0)
  var arrivals: Int { count.withLock { $0 } }
  func open() { isOpen.withLock { $0 = true } }
  func pass() {
    count.withLock { $0 += 1 }
    while !isOpen.withLock({ $0 }) { usleep(500) }
  }
}
