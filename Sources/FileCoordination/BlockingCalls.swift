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
    var threads = 0
    /// How many of them wait for a call.
    var idle = 0
    /// Those that no thread has begun.
    var calls: [Call] = []

    mutating func takeCall() -> Call? { calls.isEmpty ? nil : calls.removeFirst() }
  }

  /// Who is to do a call.
  private enum Doer {
    /// Who waits for one.
    case idle
    case another
    /// Whoever is done first with what he does.
    case busy
  }

  /// All of this process that may wait for one another.
  package static let ofProcess = BlockingCalls()

  /// Four times what threads of Apple's queues have, and a fourth of what the system gives others:
  /// there may be hundreds.
  private static let stackBytes = 2 << 20

  private let most: Int
  private let patience: Double
  private let state = Mutex(State())
  private let arrived = DispatchSemaphore(value: 0)

  /// - parameters:
  ///   - most: How many threads there may be; what comes while all of them are at work
  ///     waits for one. Calls that wait for one another need as many as there are of them.
  ///   - patience: How long a thread waits for another call, in seconds.
  package init(most: Int = .max, patience: Double = 1) {
    self.most = most
    self.patience = patience
  }

  /// Runs `body` without blocking the calling thread; at once, unless there may be no more threads.
  package func run(_ body: @escaping @Sendable () -> Void) {
    let doer = state.withLock { state -> Doer in
      state.calls.append(body)
      if state.calls.count <= state.idle { return .idle }
      guard state.threads < most else { return .busy }
      state.threads += 1
      return .another
    }
    switch doer {
    case .idle: arrived.signal()
    case .another: addThread()
    case .busy: break
    }
  }

  private func addThread() {
    do throws(Errno) {
      try DetachedThread.run(stackBytes: Self.stackBytes) { [self] in
        while let call = next() { call() }
      }
    } catch {
      // The system has no more: it waits for one of those that there are.
      state.withLock { $0.threads -= 1 }
      DispatchQueue.global().async { [self] in
        while let call = state.withLock({ $0.takeCall() }) { call() }
      }
    }
  }

  /// The next call for a thread; nil if none comes, for which it ends.
  private func next() -> Call? {
    let ready = state.withLock { state in
      let call = state.takeCall()
      if call == nil { state.idle += 1 }
      return call
    }
    if let ready { return ready }
    _ = arrived.wait(timeout: .now() + patience)
    return state.withLock { state in
      state.idle -= 1
      // Somebody else may have been quicker.
      let call = state.takeCall()
      if call == nil { state.threads -= 1 }
      return call
    }
  }
}
