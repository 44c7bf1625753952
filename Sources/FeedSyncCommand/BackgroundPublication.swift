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
  private enum State {
    case idle
    case waiting
    /// Whether something was written since it began.
    case running(isBehind: Bool)
    case ended(Writing.Publication)
  }
  private let device: Device
  private let isStopping: @Sendable () -> Bool
  private let memory = Publisher.Memory()
  private let state = Mutex(State.idle)
  private let queue = DispatchQueue(label: "feedsync.publication")

  /// - parameter isStopping: asked before each file whether to end early.
  init(_ device: Device, unless isStopping: @escaping @Sendable () -> Bool) {
    (self.device, self.isStopping) = (device, isStopping)
  }

  /// Publishes in a while, unless that waits already, or the last outcome was not taken; where it
  /// runs, once more after it.
  ///
  /// - returns: whether it runs at this moment.
  @discardableResult
  func begin(after delay: Duration) -> Bool {
    let (isNew, isRunning) = state.withLock { state in
      switch state {
      case .idle:
        state = .waiting
        return (true, false)
      case .running:
        state = .running(isBehind: true)
        return (false, true)
      case .waiting, .ended: return (false, false)
      }
    }
    if isNew { schedule(after: delay) }
    return isRunning
  }

  private func schedule(after delay: Duration) {
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
    queue.asyncAfter(deadline: .now() + seconds) { self.publish() }
  }

  private func publish() {
    let isWanted = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .running(isBehind: false)
      return true
    }
    guard isWanted else { return }
    let outcome = Writing.publication(of: device, remembering: memory, unless: isStopping)
    let isBehind = state.withLock { state in
      // Nobody may write again for long; what fails waits for who does, or for the end.
      guard case .running(true) = state, outcome.isDone else {
        state = .ended(outcome)
        return false
      }
      state = .waiting
      return true
    }
    if isBehind { schedule(after: PublishPace.shortest) }
  }

  /// What came of the last, told once; nil before it is over.
  func takeOutcome() -> Writing.Publication? {
    state.withLock { state in
      guard case .ended(let outcome) = state else { return nil }
      state = .idle
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

  private func cancel() { state.withLock { if case .waiting = $0 { $0 = .idle } } }
}
