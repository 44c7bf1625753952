import Foundation
import Synchronization
import Syncing

/// Publishes what has been written by then, beside whoever writes on.
///
///     let publication = BackgroundPublication(device)
///     publication.begin(after: .milliseconds(250))
///     …
///     if let outcome = publication.takeOutcome() { … }
final class BackgroundPublication: Sendable {
  private enum State {
    case idle
    case waiting
    case running
    case ended(Writing.Publication)
  }
  private let device: Device
  private let memory = Publisher.Memory()
  private let state = Mutex(State.idle)
  private let queue = DispatchQueue(label: "feedsync.publication")

  init(_ device: Device) { self.device = device }

  /// Publishes in a while, unless that waits or runs already, or its outcome was not taken.
  func begin(after delay: Duration) {
    let isIdle = state.withLock { state in
      guard case .idle = state else { return false }
      state = .waiting
      return true
    }
    guard isIdle else { return }
    let seconds = Double(delay.components.seconds) + Double(delay.components.attoseconds) / 1e18
    queue.asyncAfter(deadline: .now() + seconds) { self.publish() }
  }

  private func publish() {
    let isWanted = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .running
      return true
    }
    guard isWanted else { return }
    let outcome = Writing.publication(of: device, remembering: memory)
    state.withLock { $0 = .ended(outcome) }
  }

  /// What came of the last, told once; nil before it is over.
  func takeOutcome() -> Writing.Publication? {
    state.withLock { state in
      guard case .ended(let outcome) = state else { return nil }
      state = .idle
      return outcome
    }
  }

  /// Takes back what waits, or waits for the end of what runs.
  func end() {
    state.withLock { if case .waiting = $0 { $0 = .idle } }
    queue.sync {}
  }
}
