import Dispatch
import SegmentFormat
import Synchronization

/// Opens segments for whoever takes one after another, ahead of it on another thread: to unpack
/// them, and complete their transactions, takes as long as to take them in.
///
/// Whoever comes to a segment that nobody has begun opens it itself.
final class SegmentsAhead: Sendable {
  typealias Opened = Result<OpenedSegment, SegmentError>

  private enum State: Sendable {
    case untouched
    case begun
    case ready(Opened)
    case taken
  }

  private struct Progress {
    var states: [State]
    /// The next that nobody has looked at.
    var next = 0
    /// How much memory those take that are begun and not taken yet.
    var ahead = 0
    var isHelping = false
    /// The one that is waited for.
    var awaited: Int?
  }

  private let segments: [HeldSegment]
  /// How much each takes while it is opened, without its contexts.
  private let weights: [Int]
  private let progress: Mutex<Progress>
  private let arrival = DispatchSemaphore(value: 0)

  /// So much may be open ahead.
  private let most: Int

  /// - parameter most: So much memory may be taken ahead.
  init(_ segments: [HeldSegment], most: Int) {
    self.segments = segments
    self.most = most
    weights = segments.map(\.openBytes)
    progress = Mutex(
      Progress(states: Array(repeating: .untouched, count: segments.count)))
  }

  /// What a segment holds; asked once of each, in their order.
  func opened(_ index: Int) -> Opened {
    while true {
      let state = take(index)
      help()
      switch state {
      case .untouched, .taken: return open(index)
      case .ready(let opened): return opened
      case .begun:
        // Another one meanwhile, or nothing else is left to do than to wait.
        if let next = progress.withLock({ begin(&$0) }) {
          finish(next, with: open(next))
        } else if wait(for: index) {
          arrival.wait()
        }
      }
    }
  }

  /// The state that a segment was in, which is taken if it is ready, or nobody has begun it.
  private func take(_ index: Int) -> State {
    progress.withLock { progress in
      let state = progress.states[index]
      progress.next = max(progress.next, index + 1)
      switch state {
      case .begun: return state
      case .ready(let opened): progress.ahead -= weights[index] + opened.contextBytes
      case .untouched, .taken: break
      }
      progress.states[index] = .taken
      return state
    }
  }

  /// - returns: false if it is ready by now.
  private func wait(for index: Int) -> Bool {
    progress.withLock { progress in
      guard case .begun = progress.states[index] else { return false }
      progress.awaited = index
      return true
    }
  }

  private func open(_ index: Int) -> Opened {
    Result { () throws(SegmentError) in
      try segments[index].opened(mostContextBytes: most)
    }
  }

  /// Has another thread open some, unless one does.
  private func help() {
    let isNeeded = progress.withLock { progress in
      guard !progress.isHelping, mayBegin(progress) else { return false }
      progress.isHelping = true
      return true
    }
    guard isNeeded else { return }
    DispatchQueue.global(qos: .userInitiated).async { self.openAhead() }
  }

  private func openAhead() {
    while let index = progress.withLock({ progress in
      let index = begin(&progress)
      progress.isHelping = index != nil
      return index
    }) { finish(index, with: open(index)) }
  }

  private func mayBegin(_ progress: Progress) -> Bool {
    guard progress.next < segments.count else { return false }
    return progress.ahead == 0 || progress.ahead + weights[progress.next] <= most
  }

  private func begin(_ progress: inout Progress) -> Int? {
    guard mayBegin(progress) else { return nil }
    let index = progress.next
    progress.next += 1
    progress.ahead += weights[index]
    progress.states[index] = .begun
    return index
  }

  private func finish(_ index: Int, with opened: Opened) {
    let isAwaited = progress.withLock { progress in
      progress.states[index] = .ready(opened)
      progress.ahead += opened.contextBytes
      guard progress.awaited == index else { return false }
      progress.awaited = nil
      return true
    }
    if isAwaited { arrival.signal() }
  }
}

extension SegmentsAhead.Opened {
  fileprivate var contextBytes: Int {
    if case .success(let opened) = self { opened.contextBytes } else { 0 }
  }
}
