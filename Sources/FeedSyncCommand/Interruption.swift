import FeedSync
import Foundation
import Synchronization
import SystemFiles
import SystemPackage

/// The signal that asked the command to end; 0 if none has.
private let requestedSignal = Atomic<Int32>(0)
/// When it came, in milliseconds of a clock that nobody puts back; 0 if none has.
private let requestedAt = Atomic<Int64>(0)
/// What comes so soon after the first is no second one: `timeout`, and others that pass signals on,
/// send one to the process and one to its group.
private let sameMilliseconds: Int64 = 500
/// Whether a second signal ends the command at once.
private let endsAtSecond = Atomic<Bool>(true)
/// The end of a pipe that a signal's handler writes into; -1 before there is one.
private let wakingDescriptor = Atomic<Int32>(-1)

/// Lets a long command end in good order: the first SIGINT or SIGTERM asks, a second one, half a
/// second later or more, ends it.
///
///     let interruption = Interruption()
///     while !interruption.isRequested { … }
///     interruption.end(text, format: format)
///
/// One a process: signals belong to the process. A signal that was ignored when the command began,
/// as in a shell's background jobs, stays ignored.
package struct Interruption: Sendable {
  /// Becomes readable when a signal arrives, for waiting on it and on input at once.
  let descriptor: Int32

  /// - parameter endsAtSecond: whether a second signal ends the command at once.
  init(endsAtSecond isEnding: Bool = true) {
    var ends: [Int32] = [-1, -1]
    // Without a pipe, which nothing but a lack of descriptors denies, the flag still works.
    if pipe(&ends) == 0 {
      wakingDescriptor.store(ends[1], ordering: .relaxed)
    }
    descriptor = ends[0]
    requestedSignal.store(0, ordering: .relaxed)
    requestedAt.store(0, ordering: .relaxed)
    endsAtSecond.store(isEnding, ordering: .relaxed)
    for number in Self.numbers { Self.handle(number) }
    Self.keepFromThisThread { body throws(Errno) in try DetachedThread.run(body) }
  }

  private static let numbers = [SIGINT, SIGTERM]

  /// Lets all signals through to the thread that calls, whatever the parent kept from itself: a
  /// thread of Dispatch that starts this program would make it one that nothing but SIGKILL ends.
  static func letSignalsThrough() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    // Where a parent has it ignored, nobody learns how a program ended that is started here.
    signal(SIGCHLD, SIG_DFL)
  }

  var isRequested: Bool { requestedSignal.load(ordering: .relaxed) != 0 }

  /// Calls a handler when a signal arrives, or at once if one has, until the watch is let go.
  ///
  /// On a thread of its own: Dispatch's may all be in calls to a file system that does not answer.
  ///
  /// - throws: what ``ThreadTrial`` does, where there is none for that.
  func onRequest(_ handler: @escaping @Sendable () -> Void) throws -> SignalWatch {
    let watch = SignalWatch()
    let descriptor = descriptor
    do throws(Errno) {
      try DetachedThread.run {
        Self.waitForRequest(descriptor)
        watch.call(handler)
      }
    } catch {
      throw ThreadTrial.refusal(error)
    }
    return watch
  }

  /// Waits for the flag, which a handler sets before it writes into the pipe.
  private static func waitForRequest(_ descriptor: Int32) {
    while requestedSignal.load(ordering: .relaxed) == 0 {
      // The byte stays in the pipe, for whoever else waits for it. Where no descriptor was left
      // for a pipe, poll(2) passes over -1, and a look ten times a second finds the signal.
      var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&end, 1, descriptor < 0 ? 100 : -1)
    }
  }

  /// Says what was done, and ends the process by the signal that asked for it, so that whoever
  /// waits for it can tell; a shell shows 130 or 143.
  func end(_ text: InterruptionText, format: OutputFormat) {
    let number = requestedSignal.load(ordering: .relaxed)
    guard number != 0 else { return }
    Output.interruption(text, status: 128 + number, format: format)
    signal(number, SIG_DFL)
    // No thread that a command runs on lets it through.
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    pthread_sigmask(SIG_UNBLOCK, &only, nil)
    raise(number)
  }

  /// Has another thread take the signals, as Dispatch's have: a call to a file system that one
  /// interrupts may fail by it.
  ///
  /// Where the system gives no other thread, this one goes on taking them: else nothing but SIGKILL
  /// would end the command.
  package static func keepFromThisThread(_ startThread: ThreadTrial.Starter) {
    var requests = sigset_t()
    sigemptyset(&requests)
    for number in numbers { sigaddset(&requests, number) }
    var before = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &before)
    guard numbers.contains(where: { sigismember(&before, $0) == 0 }) else { return }
    do throws(Errno) {
      // It lets through what the thread does that makes it.
      try startThread { [before] in
        var same = before
        pthread_sigmask(SIG_SETMASK, &same, nil)
        while true { pause() }
      }
    } catch {
      return
    }
    pthread_sigmask(SIG_BLOCK, &requests, nil)
  }

  private static func handle(_ number: Int32) {
    var before = sigaction()
    sigaction(number, nil, &before)
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    guard unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) != ignored else {
      return
    }
    var action = sigaction()
    // Only what is allowed in a handler: atomics, signal(2), raise(3), write(2), clock_gettime(2).
    action.__sigaction_handler.sa_handler = { number in
      let error = errno
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      let now = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
      let (isFirst, first) = requestedAt.compareExchange(
        expected: 0, desired: max(now, 1), ordering: .relaxed)
      requestedSignal.store(number, ordering: .relaxed)
      let isSecond = !isFirst && now - first >= sameMilliseconds
      if isSecond, endsAtSecond.load(ordering: .relaxed) {
        signal(number, SIG_DFL)
        raise(number)
      }
      var byte: UInt8 = 0
      _ = write(wakingDescriptor.load(ordering: .relaxed), &byte, 1)
      errno = error
    }
    sigaction(number, &action, nil)
  }
}

/// A handler that waits for a signal.
final class SignalWatch: Sendable {
  private let isOver = Mutex(false)

  /// Lets it go: the handler is not called from now on.
  func cancel() { isOver.withLock { $0 = true } }

  // Not under the lock: whoever lets it go is not to wait for what the handler may wait for.
  fileprivate func call(_ handler: () -> Void) { if !isOver.withLock(\.self) { handler() } }
}

/// What an interrupted command says.
struct InterruptionText {
  let operation: String
  var file: String?
  let message: String
  let hint: String
}
