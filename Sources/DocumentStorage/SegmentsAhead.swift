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
    /// How much memory those take that are open and not taken yet, and nobody waits for.
    var ahead = 0
    var isHelping = false
    /// The one that is waited for.
    var awaited: Int?
  }

  private let segments: [HeldSegment]
  /// How much each takes once it is open, without its contexts.
  private let weights: [Int]
  private let progress: Mutex<Progress>
  private let arrival = DispatchSemaphore(value: 0)

  /// So much may be open ahead.
  private static let most = 4 << 20

  init(_ segments: [HeldSegment]) {
    self.segments = segments
    weights = segments.map(\.openBytes)
    progress = Mutex(
      Progress(states: Array(repeating: .untouched, count: segments.count)))
  }

  /// What a segment holds; asked once of each, in their order.
  func opened(_ index: Int) -> Opened {
    let state = progress.withLock { progress in
      let state = progress.states[index]
      progress.next = max(progress.next, index + 1)
      if case .begun = state { progress.awaited = index } else { progress.states[index] = .taken }
      return state
    }
    if case .ready(let opened) = state { release(index, opened) }
    help()
    switch state {
    case .untouched, .taken: return open(index)
    case .ready(let opened): return opened
    case .begun:
      arrival.wait()
      let opened = progress.withLock { progress -> Opened? in
        guard case .ready(let opened) = progress.states[index] else { return nil }
        progress.states[index] = .taken
        return opened
      }
      guard let opened else { return open(index) }
      release(index, opened)
      return opened
    }
  }

  private func open(_ index: Int) -> Opened {
    Result { () throws(SegmentError) in
      try segments[index].opened(mostContextBytes: Self.most)
    }
  }

  private func release(_ index: Int, _ opened: Opened) {
    progress.withLock { $0.ahead -= weights[index] + Self.contextBytes(opened) }
  }

  private static func contextBytes(_ opened: Opened) -> Int {
    if case .success(let opened) = opened { opened.contextBytes } else { 0 }
  }

  /// Has another thread open some, unless one does.
  private func help() {
    let isNeeded = progress.withLock { progress in
      guard !progress.isHelping, progress.next < segments.count,
        progress.ahead < Self.most
      else { return false }
      progress.isHelping = true
      return true
    }
    guard isNeeded else { return }
    DispatchQueue.global(qos: .userInitiated).async { self.openAhead() }
  }

  private func openAhead() {
    while let index = progress.withLock({ progress in begin(&progress) }) {
      let opened = open(index)
      let isAwaited = progress.withLock { progress in
        progress.states[index] = .ready(opened)
        progress.ahead += Self.contextBytes(opened)
        guard progress.awaited == index else { return false }
        progress.awaited = nil
        return true
      }
      if isAwaited { arrival.signal() }
    }
  }

  private func begin(_ progress: inout Progress) -> Int? {
    guard progress.next < segments.count,
      progress.ahead == 0 || progress.ahead + weights[progress.next] <= Self.most
    else {
      progress.isHelping = false
      return nil
    }
    let index = progress.next
    progress.next += 1
    progress.ahead += weights[index]
    progress.states[index] = .begun
    return index
  }
}
