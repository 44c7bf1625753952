import Foundation
import Synchronization

/// Tells a transaction inside another of the same database, which would wait for itself for ever.
final class TransactionTurn: Sendable {
  private let thread = Mutex<pthread_t?>(nil)

  /// - throws: ``StorageError/nested`` if the calling thread is in a transaction.
  func requireNone() throws(StorageError) {
    guard thread.withLock({ $0 }) != pthread_self() else { throw .nested }
  }

  /// Runs `body` as this thread's transaction; the database lets in one at a time.
  func own<Value>(_ body: () throws -> Value) rethrows -> Value {
    thread.withLock { $0 = pthread_self() }
    defer { thread.withLock { $0 = nil } }
    return try body()
  }
}
