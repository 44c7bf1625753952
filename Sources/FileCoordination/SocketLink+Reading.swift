import Glibc
import SystemFiles

// Who reads what the arbiter says.
//
// Whoever waits for an answer reads it, as long as it is the only one that waits: to hand it over
// from one thread to another takes as long as all the rest. In any other case the link's own thread
// reads, for good: nobody may be waiting when something comes.
extension SocketLink {
  /// Not in Swift's Glibc: the other end was closed (poll(2)).
  private static let hungUp = Int16(0x2000)

  /// As a rule the answer is there by then; on a machine that is idle it takes longer to be woken.
  private static let attention = Duration.microseconds(60)

  /// Has the link's own thread read from now on.
  func readByThread() {
    let isNew = readers.withLock { readers in
      defer { readers.isThread = true }
      return !readers.isThread
    }
    if isNew { threadBell.ring() }
  }

  /// Reads until the arbiter ends, or says what is no message; while others read, waits for that.
  ///
  /// It sends what was kept, too.
  func serve() {
    let writable = Int16(POLLOUT)
    while true {
      let isReading = readers.withLock { $0.isThread }
      let events = (isReading ? Int16(POLLIN) : 0) | (hasUnsent ? writable : 0) | Self.hungUp
      var waits = [
        pollfd(fd: socket.descriptor.number, events: events, revents: 0),
        pollfd(fd: threadBell.number, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&waits, nfds_t(waits.count), -1)
      if waits[1].revents != 0 { threadBell.silence() }
      if waits[0].revents & writable != 0 { flush() }
      if waits[0].revents & ~writable != 0, !takeAll() { break }
    }
    close()
  }

  /// Reads until somebody has the result that `waiter` waits for, if nobody else reads.
  ///
  /// It may return without one: when the time is up, the arbiter has ended, or others read.
  func read<Value>(for waiter: Waiter<Value>, until deadline: Duration?) {
    let isAlone = readers.withLock { readers in
      guard !readers.isThread, !readers.isWaiter else { return false }
      readers.isWaiter = true
      return true
    }
    guard isAlone else { return readByThread() }
    defer { readers.withLock { $0.isWaiter = false } }
    // Closed, for the link's own thread to find, which may not be reading.
    guard takesSoon(for: waiter) else { return close() }
    while waiter.announce(by: waiterBell) {
      var waits = [socket.descriptor.number, waiterBell.number].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let found = poll(&waits, nfds_t(waits.count), Self.milliseconds(until: deadline))
      // Rung, perhaps, for somebody before.
      if waits[1].revents != 0 { waiterBell.silence() }
      // What this thread finds need not wake it.
      guard found != 0, waiter.announce(by: nil) else { return }
      if waits[0].revents != 0, !takeAll() { return close() }
    }
  }

  /// Asks again and again for a moment, letting others run; false if that was all there will be.
  private func takesSoon<Value>(for waiter: Waiter<Value>) -> Bool {
    let end = MonotonicTime.now + Self.attention
    while waiter.announce(by: nil), MonotonicTime.now < end {
      guard takeAll() else { return false }
      sched_yield()
    }
    return true
  }

  /// Rounded up, so that the time has come when the thread wakes; -1: without an end.
  private static func milliseconds(until deadline: Duration?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = max(.zero, deadline - MonotonicTime.now)
    return Int32(clamping: rest.wholeNanoseconds / 1_000_000 + 1)
  }

  /// Takes what has come; false if that was all there will be.
  private func takeAll() -> Bool {
    incoming.withLock { incoming in
      guard !incoming.hasEnded else { return false }
      do {
        guard let bytes = try socket.receive(into: &incoming.buffer) else {
          return true
        }
        incoming.frames.append(bytes)
        while let frame = try incoming.frames.next() { deliver(try ArbiterMessage(wire: frame)) }
        incoming.hasEnded = bytes.isEmpty
      } catch {
        incoming.hasEnded = true
      }
      return !incoming.hasEnded
    }
  }
}
