import Synchronization

/// Whose turn it is to use what a process has once.
///
///     guard turn.take() else { … }
///     defer { turn.giveBack() }
final class ProcessTurn: Sendable {
  private struct State {
    var isTaken = false
    var nextWaiter = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Those cancelled before they waited.
    var cancelled: Set<Int> = []
  }
  private let state = Mutex(State())

  /// Takes the turn; false if somebody has it.
  func take() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Ends the turn, and wakes all who wait: the first of them to take it has it.
  func giveBack() {
    let waiting = state.withLock { state in
      state.isTaken = false
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until nobody has the turn, or the task is cancelled.
  func waitUntilFree() async {
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if state.cancelled.remove(number) != nil || !state.isTaken { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      cancel(number)
    }
    // One who was not waiting any more when he was cancelled.
    _ = state.withLock { $0.cancelled.remove(number) }
  }

  private func cancel(_ number: Int) {
    let continuation = state.withLock { state in
      let continuation = state.waiting.removeValue(forKey: number)
      if continuation == nil { state.cancelled.insert(number) }
      return continuation
    }
    continuation?.resume()
  }
}
