import Foundation
import Synchronization

/// Where the handler of signals writes to; -1 while nobody wants to know.
private let signalPipe = Atomic<Int32>(-1)

/// What the reader waits for: keys, signals, and events from other threads.
final class ReaderInput: Sendable {
  /// What came, and whether the keyboard is still there.
  struct Arrival {
    var bytes: [UInt8] = []
    var signals: [Int32] = []
    var events: [ReaderEvent] = []
    var isOver = false
  }

  private let ends: (reading: Int32, writing: Int32)
  private let events = Mutex<[ReaderEvent]>([])

  /// - throws: `POSIXError` if the system gives no pipe.
  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
    for end in ends {
      // A full pipe wakes as well as one byte more would.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    self.ends = (ends[0], ends[1])
  }

  deinit {
    _ = signalPipe.compareExchange(
      expected: ends.writing, desired: -1, ordering: .sequentiallyConsistent)
    close(ends.reading)
    close(ends.writing)
  }

  /// Hands an event over, from any thread.
  func post(_ event: ReaderEvent) {
    events.withLock { $0.append(event) }
    var byte: UInt8 = 0
    _ = write(ends.writing, &byte, 1)
  }

  /// What was handed over and not waited for.
  func undelivered() -> [ReaderEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Has these signals handed over in place of what they do, and lets them through to this thread.
  func takeSignals(_ numbers: [Int32]) {
    // Dispatch's threads let no signal through, nor do threads that were begun on them.
    var taken = sigset_t()
    sigemptyset(&taken)
    for number in numbers { sigaddset(&taken, number) }
    pthread_sigmask(SIG_UNBLOCK, &taken, nil)
    signalPipe.store(ends.writing, ordering: .sequentiallyConsistent)
    for number in numbers {
      var action = sigaction()
      action.sa_flags = SA_RESTART
      // Only what is allowed in a handler: atomics and write(2).
      action.__sigaction_handler.sa_handler = { number in
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = error
      }
      sigaction(number, &action, nil)
    }
  }

  /// Lets signals do again what they do.
  static func leaveSignals(_ numbers: [Int32]) {
    for number in numbers { signal(number, SIG_DFL) }
  }

  /// Waits until something comes.
  func wait() -> Arrival {
    var arrival = Arrival()
    var polled = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ends.reading, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&polled, 2, -1) < 0 { if errno != EINTR { return Arrival(isOver: true) } }
    if polled[1].revents != 0 {
      arrival.signals = (Self.read(ends.reading) ?? []).filter { $0 != 0 }.map { Int32($0) }
    }
    arrival.events = undelivered()
    if polled[0].revents != 0, let bytes = Self.read(STDIN_FILENO) {
      arrival.bytes = bytes
      arrival.isOver = bytes.isEmpty
    }
    return arrival
  }

  /// What is there; nothing at the end, and nil where nothing is there yet: another program may
  /// have taken it, and made what both have in common one that does not block.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      return Array(buffer.prefix(max(0, count)))
    }
  }
}
