import Dispatch
import Foundation
import Synchronization

/// Work in pieces that other threads take from, while the caller does something else first.
///
///     let squares = try SharedWork(count: 8) { $0 * $0 }.results { try write(what) }
///
/// The caller waits for nothing that nobody has begun: where no other thread has time, it does all
/// of the pieces itself.
final class SharedWork<Value: Sendable>: Sendable {
  private struct Progress {
    var values: [Value?]
    var unfinished: Int
  }

  private let count: Int
  private let piece: @Sendable (Int) -> Value
  private let taken = Atomic<Int>(0)
  private let progress: Mutex<Progress>
  private let isFinished = DispatchSemaphore(value: 0)

  /// - parameter piece: finds out what belongs to a number from 0 up to `count`, on any thread.
  init(count: Int, piece: @escaping @Sendable (Int) -> Value) {
    self.count = count
    self.piece = piece
    progress = Mutex(Progress(values: Array(repeating: nil, count: count), unfinished: count))
  }

  /// Has all pieces done.
  ///
  /// - parameters:
  ///   - helpers: How many other threads may take some.
  ///   - meanwhile: What the caller does before it takes some itself.
  /// - returns: what they came to, in order.
  func results(
    helpers: Int = SharedWork.helpers, meanwhile: () throws -> Void = {}
  ) rethrows -> [Value] {
    for _ in 0..<max(0, min(helpers, count - 1)) {
      DispatchQueue.global(qos: .userInitiated).async { self.takePieces() }
    }
    try meanwhile()
    takePieces()
    // All are begun now, and whoever has begun one ends it.
    if count > 0 { isFinished.wait() }
    return progress.withLock { $0.values.compactMap(\.self) }
  }

  private func takePieces() {
    while true {
      let number = taken.add(1, ordering: .relaxed).oldValue
      guard number < count else { return }
      let value = piece(number)
      let isLast = progress.withLock { progress in
        progress.values[number] = value
        progress.unfinished -= 1
        return progress.unfinished == 0
      }
      if isLast { isFinished.signal() }
    }
  }

  /// One for each processor but the caller's, and few where there are very many: who imports is
  /// not alone on the machine.
  static var helpers: Int { min(Processors.count - 1, 3) }
}

private enum Processors {
  static let count = max(ProcessInfo.processInfo.activeProcessorCount, 1)
}
