import Dispatch
import Synchronization
import SystemFiles
import SystemPackage

/// Runs what a file system may keep for as long as its server is gone, each call on a thread of its
/// own.
///
/// Not on those of the system's queues. They are few, tasks run on them, too, and where two of them
/// are kept on a machine with two processors nothing else goes on for a second; so it is for each
/// that is kept besides. A thread that has nothing more to do waits for the next call, for a
/// moment.
///
///     BlockingCalls.ofProcess.run { answer(Result { try look() }) }
package final class BlockingCalls: Sendable {
  private typealias Call = @Sendable () -> Void

  private struct State {
    /// How many threads wait for a call, without those that are to have one.
    var idle = 0
    /// What is handed to threads that wait.
    var calls: [Call] = []
  }

  /// All of this process.
  package static let ofProcess = BlockingCalls()

  /// How long a thread waits for another call, in seconds.
  private static let patience = 1.0

  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  package init() {}

  /// Runs `body` at once, without blocking the calling thread.
  package func run(_ body: @escaping @Sendable () -> Void) {
    let isTaken = state.withLock { state in
      guard state.idle > 0 else { return false }
      state.idle -= 1
      state.calls.append(body)
      return true
    }
    guard !isTaken else {
      arrived.signal()
      return
    }
    do throws(Errno) {
      try DetachedThread.run { [self] in
        body()
        serve()
      }
    } catch {
      // The system has no more: it waits for one of those that there are.
      DispatchQueue.global().async(execute: body)
    }
  }

  private func serve() {
    while let call = next() { call() }
  }

  /// The next call for a thread; nil if none comes.
  private func next() -> Call? {
    state.withLock { $0.idle += 1 }
    _ = arrived.wait(timeout: .now() + Self.patience)
    return state.withLock { state in
      if !state.calls.isEmpty { return state.calls.removeFirst() }
      // Somebody else was quicker, or the time is up.
      state.idle -= 1
      return nil
    }
  }
}
