import CanonicalJSON
import Synchronization

/// What the followers of a key-value store have to know of its own writes.
final class KeyValueSignals: Sendable {
  private struct Write {
    let number: Int
    var isCommitted: Bool
    let values: [ByteString: Int?]
  }
  private struct State {
    var own: [TransactionID: Write] = [:]
    var nextWrite = 0
    /// The same in their order, to forget the oldest.
    var order: [TransactionID] = []
    var listeners: [Int: @Sendable ([String]) -> Void] = [:]
    var nextListener = 0
  }
  /// More than the store keeps commits for those who follow it.
  private static let keptWrites = 5000
  private let state = Mutex(State())

  /// Notes a write before it is committed: followers may see it before its caller goes on.
  ///
  /// - returns: Its number here, by which ``didNotCommit(_:_:)`` knows it.
  func willCommit(_ id: TransactionID, _ values: [ByteString: Int?]) -> Int {
    state.withLock { state in
      state.nextWrite += 1
      state.own[id] = Write(number: state.nextWrite, isCommitted: false, values: values)
      state.order.append(id)
      if state.order.count > Self.keptWrites { state.own[state.order.removeFirst()] = nil }
      return state.nextWrite
    }
  }

  func didCommit(_ id: TransactionID) {
    state.withLock { $0.own[id]?.isCommitted = true }
  }

  /// Another transaction may have the same name by now, of this process or of another.
  func didNotCommit(_ id: TransactionID, _ number: Int) {
    state.withLock { state in
      guard state.own[id]?.number == number else { return }
      state.own[id] = nil
      state.order.removeAll { $0 == id }
    }
  }

  /// What a transaction has written, if it is one of the program's; nil for others'.
  func values(writtenBy id: TransactionID) async -> [ByteString: Int?]? {
    // Between a commit and its return stand microseconds.
    while let write = state.withLock({ $0.own[id] }) {
      if write.isCommitted { return write.values }
      await Task.yield()
    }
    return nil
  }

  // MARK: - Violations

  /// Calls `listener` with the keys of each write that the limits forbid; ends with the handle.
  func listen(_ listener: @escaping @Sendable ([String]) -> Void) -> Int {
    state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = listener
      return state.nextListener
    }
  }

  func endListening(_ handle: Int) { state.withLock { $0.listeners[handle] = nil } }

  func violated(_ keys: [String]) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener(keys) }
  }
}
