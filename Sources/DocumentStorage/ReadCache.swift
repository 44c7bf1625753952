import GRDB
import Synchronization

/// The device and the streams as they were last read, for as long as nothing has changed: a process
/// asks for them several times for each thing that it does.
final class ReadCache: Sendable {
  /// What differs once anything in the database has: by others, or on this connection.
  private struct Stamp: Equatable {
    let version: Int64
    let changes: Int

    init(_ db: Database) throws {
      version = try db.integer("PRAGMA data_version") ?? 0
      changes = db.totalChangesCount
    }
  }

  private struct Kept {
    let stamp: Stamp
    var streams: StreamDirectory?
    /// The outer optional tells whether it was read, the inner one whether there is one.
    var device: DeviceRecord??
  }

  private let kept = Mutex<Kept?>(nil)

  /// What is kept by now, or nothing yet, of the state that `db` sees.
  private func current(_ db: Database) throws -> Kept {
    let stamp = try Stamp(db)
    guard let kept = kept.withLock(\.self), kept.stamp == stamp else { return Kept(stamp: stamp) }
    return kept
  }

  /// The streams as a transaction sees them that has changed nothing yet.
  ///
  /// - parameter isWriting: whether it may change something: what it leaves may be rolled back, so
  ///   nothing that is read in it is kept.
  func streams(_ db: Database, isWriting: Bool) throws -> StreamDirectory {
    var current = try current(db)
    if let streams = current.streams { return streams }
    let streams = try StreamDirectory(db)
    if !isWriting {
      current.streams = streams
      kept.withLock { [current] in $0 = current }
    }
    return streams
  }

  /// The device as a transaction sees it that reads only; nil if there is none.
  func device(_ db: Database) throws -> DeviceRecord? {
    var current = try current(db)
    if let device = current.device { return device }
    let device = try DeviceRecord.fetch(db)
    current.device = .some(device)
    kept.withLock { [current] in $0 = current }
    return device
  }
}

extension StoreDatabase {
  /// The streams as a transaction sees them that reads only.
  func streams(_ db: Database) throws -> StreamDirectory {
    try readCache.streams(db, isWriting: false)
  }

  /// The device as a transaction sees it that reads only; nil if there is none.
  func device(_ db: Database) throws -> DeviceRecord? { try readCache.device(db) }
}
