import Dispatch
import Synchronization

/// Where another thread works ahead: on one thing at a time, so that several kinds of work that
/// share it take the memory of one thread.
package struct WorkHelper: Sendable {
  fileprivate let queue: DispatchQueue

  /// - parameter queue: A serial one.
  package init(
    _ queue: DispatchQueue = DispatchQueue(label: "feedsync.ahead", qos: .userInitiated)
  ) {
    self.queue = queue
  }
}

/// Work on one item after another, done on another thread ahead of whoever takes what it came to.
///
///     let squares = WorkAhead<Int, Int>(most: 1 << 20, on: WorkHelper()) { ($0 * $0, bytes: 8) }
///     let numbers = (1...9).map { squares.add($0) }
///     squares.take(numbers[0])  // 1
///
/// Whoever comes to an item that nobody has begun does it himself, and does others while he waits
/// for one that somebody has: with no other thread, he does all.
package final class WorkAhead<Item: Sendable, Value: Sendable>: Sendable {
  /// Those that are behind take as little as can be: there may be a hundred thousand.
  private enum State: Sendable {
    indirect case untouched(Item)
    case begun
    indirect case ready(Value)
    case taken
  }

  /// An item, and what it takes of the memory that may be taken ahead.
  private struct Entry {
    var state: State
    var bytes: Int

    var isUntouched: Bool { if case .untouched = state { true } else { false } }
  }

  private struct Progress {
    var entries: [Entry] = []
    /// The first that may be untouched.
    var next = 0
    /// How much memory those take that are begun and not taken yet.
    var ahead = 0
    var isHelping = false
    /// The one that is waited for.
    var awaited: Int?
    /// What was given back, for the other thread to let go of.
    var spent: [Value] = []

    mutating func takeSpent() -> [Value] {
      defer { spent = [] }
      return spent
    }

    /// Goes on to the next that nobody has begun.
    mutating func findNext() -> Int? {
      while next < entries.count, !entries[next].isUntouched { next += 1 }
      return next < entries.count ? next : nil
    }
  }

  private let work: @Sendable (Item) -> (value: Value, bytes: Int)
  /// So much memory may be taken ahead.
  private let most: Int
  private let helper: WorkHelper?
  private let progress = Mutex(Progress())
  private let arrival = DispatchSemaphore(value: 0)

  /// - parameters:
  ///   - most: About so many bytes may be taken ahead; one item may always.
  ///   - helper: Where another thread works; nil if none may.
  ///   - work: Finds out what an item comes to, on any thread, and how many bytes that takes beside
  ///     those that were known before.
  package init(
    most: Int, on helper: WorkHelper?,
    work: @escaping @Sendable (Item) -> (value: Value, bytes: Int)
  ) {
    self.most = most
    self.helper = helper
    self.work = work
  }

  /// Adds an item behind the others.
  ///
  /// - parameter bytes: How much memory work on it takes, as far as that is known before.
  /// - returns: its number: how many were added before it.
  package func add(_ item: Item, bytes: Int = 0) -> Int {
    let (number, isBacklog) = progress.withLock { progress in
      progress.entries.append(Entry(state: .untouched(item), bytes: bytes))
      // One alone is done by whoever takes it: to wake another thread takes longer than many do.
      return (progress.entries.count - 1, progress.next < progress.entries.count - 1)
    }
    if isBacklog { help() }
    return number
  }

  /// What an item came to; asked of them in their order, and nil where it has been asked before.
  package func take(_ number: Int) -> Value? {
    while true {
      let state = claim(number)
      help()
      switch state {
      case .untouched(let item): return work(item).value
      case .ready(let value): return value
      case .taken: return nil
      case .begun:
        // Another one meanwhile, or nothing else is left to do than to wait.
        if let (next, item) = progress.withLock({ begin(&$0) }) {
          finish(next, with: work(item))
        } else if wait(for: number) {
          arrival.wait()
        }
      }
    }
  }

  /// What an item came to, where somebody has done it by now; nil else, and where it was taken.
  package func take(ifReady number: Int) -> Value? {
    let value = progress.withLock { progress -> Value? in
      guard case .ready(let value) = progress.entries[number].state else { return nil }
      progress.ahead -= progress.entries[number].bytes
      progress.entries[number].state = .taken
      return value
    }
    if value != nil { help() }
    return value
  }

  /// Lets go of an item that is not going to be taken.
  package func drop(_ number: Int) {
    // What it came to, if it is ready, is let go of outside of the lock.
    _ = progress.withLock { progress in
      let state = progress.entries[number].state
      if case .ready = state { progress.ahead -= progress.entries[number].bytes }
      progress.entries[number].state = .taken
      return state
    }
  }

  /// Gives back what an item came to, for the other thread to let go of while it is at work: that
  /// made it, mostly, and others would make it wait for its memory meanwhile.
  ///
  /// - parameter number: The item's; a large one is not kept for that.
  package func giveBack(_ value: Value, of number: Int) {
    progress.withLock { progress in
      guard progress.isHelping, progress.spent.count < Self.mostSpent,
        progress.entries[number].bytes <= Self.mostSpentBytes
      else { return }
      progress.spent.append(value)
    }
  }

  private static var mostSpent: Int { 4 }
  private static var mostSpentBytes: Int { 1 << 20 }

  /// Does no more ahead: nobody is going to take the rest.
  package func end() { progress.withLock { $0.next = $0.entries.count } }

  /// The state that an item was in, which is taken if it is ready, or nobody has begun it.
  private func claim(_ number: Int) -> State {
    progress.withLock { progress in
      let state = progress.entries[number].state
      switch state {
      case .begun: return state
      case .ready: progress.ahead -= progress.entries[number].bytes
      case .untouched, .taken: break
      }
      progress.entries[number].state = .taken
      return state
    }
  }

  /// - returns: false if it is ready by now.
  private func wait(for number: Int) -> Bool {
    progress.withLock { progress in
      guard case .begun = progress.entries[number].state else { return false }
      progress.awaited = number
      return true
    }
  }

  /// Has another thread do some, unless one does.
  private func help() {
    guard let helper else { return }
    let isNeeded = progress.withLock { progress in
      guard !progress.isHelping, mayBegin(&progress) != nil else { return false }
      progress.isHelping = true
      return true
    }
    guard isNeeded else { return }
    helper.queue.async { self.workAhead() }
  }

  private func workAhead() {
    while true {
      let (begun, spent) = progress.withLock { progress in
        let begun = begin(&progress)
        progress.isHelping = begun != nil
        return (begun, progress.takeSpent())
      }
      letGo(spent)
      guard let begun else { return }
      finish(begun.number, with: work(begun.item))
    }
  }

  /// Not in the lock: it takes long.
  private func letGo(_ spent: consuming [Value]) { _ = consume spent }

  private func mayBegin(_ progress: inout Progress) -> Int? {
    guard let next = progress.findNext(),
      progress.ahead == 0 || progress.ahead + progress.entries[next].bytes <= most
    else { return nil }
    return next
  }

  private func begin(_ progress: inout Progress) -> (number: Int, item: Item)? {
    guard let next = mayBegin(&progress),
      case .untouched(let item) = progress.entries[next].state
    else { return nil }
    progress.ahead += progress.entries[next].bytes
    progress.entries[next].state = .begun
    return (next, item)
  }

  private func finish(_ number: Int, with done: (value: Value, bytes: Int)) {
    let isAwaited = progress.withLock { progress in
      guard case .begun = progress.entries[number].state else {
        // It was dropped meanwhile.
        progress.ahead -= progress.entries[number].bytes
        return false
      }
      progress.entries[number].bytes += done.bytes
      progress.ahead += done.bytes
      progress.entries[number].state = .ready(done.value)
      guard progress.awaited == number else { return false }
      progress.awaited = nil
      return true
    }
    if isAwaited { arrival.signal() }
  }
}
