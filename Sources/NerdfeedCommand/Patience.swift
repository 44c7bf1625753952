import Foundation
import Synchronization

/// Runs what may never come to its end, such as a look at a file system whose server is away.
///
///     guard let bytes = try Patience.run(seconds: 30, { try read(file) }) else { … }
enum Patience {
  private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  /// Waits so long for `body`, which runs on a thread of its own and is left alone after that.
  ///
  /// - returns: What it comes to; nil if it has not by then.
  static func run<Value: Sendable>(
    seconds: Double, _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value? {
    let outcome = Outcome<Value>()
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let result = Result { try body() }
      outcome.result.withLock { $0 = result }
      isOver.signal()
    }
    guard isOver.wait(timeout: .now() + seconds) == .success else { return nil }
    return try outcome.result.withLock { try $0?.get() }
  }
}
