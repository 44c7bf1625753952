import Synchronization

/// The query connections that nobody uses now: opening one takes longer than a small query.
final class QueryPool: Sendable {
  private static let mostIdle = 2
  private let idle = Mutex<[QueryConnection]>([])
  private let keeps: Bool

  /// - parameter keeps: whether a connection may be used again.
  init(keeps: Bool) { self.keeps = keeps }

  func take() -> QueryConnection? { idle.withLock { $0.popLast() } }

  func putBack(_ connection: QueryConnection) {
    guard keeps else { return }
    idle.withLock { idle in
      if idle.count < Self.mostIdle { idle.append(connection) }
    }
  }
}
