import CanonicalJSON
import Synchronization

/// What a program wrote in one transaction of a key-value store.
package struct OwnWrite: Sendable {
  /// Counts the writes of a ``KeyValueStore`` object, in the order of their commits.
  package let number: Int
  /// What tells the values from others; nil for keys that were removed.
  package let values: [ByteString: Int?]

  package init(number: Int, values: [ByteString: Int?]) {
    self.number = number
    self.values = values
  }
}

/// What the followers of a key-value store have to know of its own writes.
final class KeyValueSignals: Sendable {
  private struct State {
    var own: [TransactionID: (write: OwnWrite, isCommitted: Bool)] = [:]
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
      state.own[id] = (OwnWrite(number: state.nextWrite, values: values), false)
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
      guard state.own[id]?.write.number == number else { return }
      state.own[id] = nil
      state.order.removeAll { $0 == id }
    }
  }

  /// What a transaction has written, if it is one of the program's; nil for others'.
  func write(_ id: TransactionID) async -> OwnWrite? {
    // Between a commit and its return stand microseconds.
    while let own = state.withLock({ $0.own[id] }) {
      if own.isCommitted { return own.write }
      await Task.yield()
    }
    return nil
  }

  /// The number of the last write that was noted.
  var lastWrite: Int { state.withLock { $0.nextWrite } }

  /// The writes behind one, committed or about to be, in their order.
  func writes(after number: Int) -> [OwnWrite] {
    state.withLock { state in
      var writes: [OwnWrite] = []
      // From the end: whoever follows has taken in all but the latest.
      for id in state.order.reversed() {
        guard let write = state.own[id]?.write else { continue }
        guard write.number > number else { break }
        writes.append(write)
      }
      return writes.reversed()
    }
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
