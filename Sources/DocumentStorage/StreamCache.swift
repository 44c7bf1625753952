import GRDB
import Synchronization

/// The streams as they were last read, for as long as nothing has changed: a process asks for them
/// several times for each thing that it does.
final class StreamCache: Sendable {
  /// What differs once anything in the database has: by others, or on this connection.
  private struct Stamp: Equatable {
    let version: Int
    let changes: Int

    init(_ db: Database) throws {
      version = try Int.fetchOne(db.prepared("PRAGMA data_version")) ?? 0
      changes = db.totalChangesCount
    }
  }

  private let kept = Mutex<(stamp: Stamp, streams: StreamDirectory)?>(nil)

  /// The streams as a transaction sees them that has changed nothing yet.
  ///
  /// - parameter isWriting: whether it may change something: what it leaves may be rolled back, so
  ///   nothing that is read in it is kept.
  func streams(_ db: Database, isWriting: Bool) throws -> StreamDirectory {
    let stamp = try Stamp(db)
    if let kept = kept.withLock(\.self), kept.stamp == stamp { return kept.streams }
    let streams = try StreamDirectory(db)
    if !isWriting { kept.withLock { $0 = (stamp, streams) } }
    return streams
  }
}

extension StoreDatabase {
  /// The streams as a transaction sees them that reads only.
  func streams(_ db: Database) throws -> StreamDirectory {
    try streamCache.streams(db, isWriting: false)
  }
}
