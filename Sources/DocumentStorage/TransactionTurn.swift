import Foundation
import Synchronization

/// Tells a transaction that would wait for ever: inside another of the same database, or inside
/// that of another database while whoever has this one waits for that.
///
/// SQLite ends such a wait between processes; in one process threads queue up for a database.
final class TransactionTurn: Sendable {
  private struct Threads {
    /// Which thread runs a transaction of which database: a few at any time.
    private var running: [(thread: pthread_t, turn: ObjectIdentifier)] = []
    /// What those wait for that have begun another inside.
    private var awaited: [pthread_t: ObjectIdentifier] = [:]

    /// - returns: whether the thread is in a transaction of another database.
    mutating func begin(_ turn: ObjectIdentifier, by thread: pthread_t) throws(StorageError) -> Bool
    {
      guard running.contains(where: { $0.thread == thread }) else { return false }
      var next = turn
      // Nobody waits in a circle: who would close one is refused.
      while let owner = running.first(where: { $0.turn == next })?.thread {
        guard owner != thread else { throw next == turn ? .nested : .crossed }
        guard let other = awaited[owner] else { break }
        next = other
      }
      awaited[thread] = turn
      return true
    }

    mutating func stopWaiting(_ thread: pthread_t) { awaited[thread] = nil }

    mutating func run(_ turn: ObjectIdentifier, by thread: pthread_t) {
      awaited[thread] = nil
      running.append((thread, turn))
    }

    mutating func end(_ turn: ObjectIdentifier) { running.removeAll { $0.turn == turn } }
  }
  /// Those of all databases of the process.
  private static let threads = Mutex(Threads())

  /// Runs `body`, which waits for the database and then calls ``own(_:)``.
  ///
  /// - throws: ``StorageError/nested`` if the calling thread is in a transaction of this database,
  ///   ``StorageError/crossed`` if whoever is in one waits for one that the calling thread is in.
  func taking<Value>(_ body: () throws -> Value) throws -> Value {
    let thread = pthread_self()
    let isInside = try Self.threads.withLock { (threads) throws(StorageError) in
      try threads.begin(ObjectIdentifier(self), by: thread)
    }
    defer { if isInside { Self.threads.withLock { $0.stopWaiting(thread) } } }
    return try body()
  }

  /// Runs `body` as this thread's transaction; the database lets in one at a time.
  func own<Value>(_ body: () throws -> Value) rethrows -> Value {
    Self.threads.withLock { $0.run(ObjectIdentifier(self), by: pthread_self()) }
    defer { Self.threads.withLock { $0.end(ObjectIdentifier(self)) } }
    return try body()
  }
}
