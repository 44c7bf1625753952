import Foundation
import Synchronization
import Syncing

/// Publishes what has been written by then, beside whoever writes on.
///
///     let publication = BackgroundPublication(device) { interruption.isRequested }
///     publication.begin(after: .milliseconds(250))
///     …
///     if let outcome = publication.takeOutcome() { … }
final class BackgroundPublication: Sendable {
  private enum Phase {
    case idle
    /// For a moment, as one of the calls for it that were made.
    case waiting(call: Int)
    /// Whether something was written since it began.
    case running(isBehind: Bool)
    case ended(Writing.Publication)
  }

  private struct State {
    var phase = Phase.idle
    /// How often it was called for, and how often it began.
    var calls = 0
    var runs = 0

    mutating func call() -> Int {
      calls += 1
      phase = .waiting(call: calls)
      return calls
    }
  }

  private let device: Device
  private let isStopping: @Sendable () -> Bool
  private let memory = Publisher.Memory()
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "feedsync.publication")

  /// - parameter isStopping: asked before each file whether to end early.
  init(_ device: Device, unless isStopping: @escaping @Sendable () -> Bool) {
    (self.device, self.isStopping) = (device, isStopping)
  }

  /// Publishes in a while, unless that waits already, or the last outcome was not taken; where it
  /// runs, once more after it.
  ///
  /// - returns: whether it runs at this moment, and how often it has begun.
  @discardableResult
  func begin(after delay: Duration) -> (isRunning: Bool, runs: Int) {
    let (call, isRunning, runs) = state.withLock { state -> (Int?, Bool, Int) in
      switch state.phase {
      case .idle: return (state.call(), false, state.runs)
      case .running:
        state.phase = .running(isBehind: true)
        return (nil, true, state.runs)
      case .waiting, .ended: return (nil, false, state.runs)
      }
    }
    if let call { schedule(call, after: delay) }
    return (isRunning, runs)
  }

  /// Does at once what waits for its moment.
  func hasten() {
    let call = state.withLock { state -> Int? in
      guard case .waiting = state.phase else { return nil }
      return state.call()
    }
    if let call { schedule(call, after: .zero) }
  }

  private func schedule(_ call: Int, after delay: Duration) {
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
    queue.asyncAfter(deadline: .now() + seconds) { self.publish(call) }
  }

  private func publish(_ call: Int) {
    let isWanted = state.withLock { state in
      // Another call may have been sooner.
      guard case .waiting(call) = state.phase else { return false }
      state.phase = .running(isBehind: false)
      state.runs += 1
      return true
    }
    guard isWanted else { return }
    let outcome = Writing.publication(of: device, remembering: memory, unless: isStopping)
    let next = state.withLock { state -> Int? in
      // Nobody may write again for long; what fails waits for who does, or for the end.
      guard case .running(true) = state.phase, outcome.isDone else {
        state.phase = .ended(outcome)
        return nil
      }
      return state.call()
    }
    if let next { schedule(next, after: PublishPace.shortest) }
  }

  /// What came of the last, told once; nil before it is over.
  func takeOutcome() -> Writing.Publication? {
    state.withLock { state in
      guard case .ended(let outcome) = state.phase else { return nil }
      state.phase = .idle
      return outcome
    }
  }

  /// Waits for the end of what runs.
  func wait() { queue.sync {} }

  /// Takes back what waits, or waits for the end of what runs.
  func end() {
    cancel()
    wait()
    // What ran may have asked for another.
    cancel()
  }

  private func cancel() {
    state.withLock { if case .waiting = $0.phase { $0.phase = .idle } }
  }
}
