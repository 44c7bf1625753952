import GRDB
import Synchronization

/// The device and the streams as they were last read or written, for as long as nothing has
/// changed: a process asks for them several times for each thing that it does.
final class ReadCache: Sendable {
  /// What differs once anything in the database has: by others, or on this connection.
  fileprivate struct Stamp: Equatable {
    let version: Int64
    let changes: Int

    init(_ db: Database) throws {
      version = try db.integer("PRAGMA data_version") ?? 0
      changes = db.totalChangesCount
    }
  }

  /// What is known of a state of the database.
  struct Known {
    fileprivate let stamp: Stamp
    fileprivate var streams: StreamDirectory?
    /// The outer optional tells whether it was read, the inner one whether there is one.
    fileprivate var device: PlacedDevice??

    fileprivate init(stamp: Stamp) { self.stamp = stamp }

    /// What a transaction knows of the state that it leaves, to be kept once it is committed.
    ///
    /// - parameter streams: what they are now; nil if that would have to be read.
    init?(_ streams: StreamDirectory?, _ device: PlacedDevice, leftBy db: Database) throws {
      guard let streams else { return nil }
      self.init(stamp: try Stamp(db))
      (self.streams, self.device) = (streams, .some(device))
    }
  }

  private let known = Mutex<Known?>(nil)

  /// What is known by now, or nothing yet, of the state that `db` sees.
  private func current(_ db: Database) throws -> Known {
    let stamp = try Stamp(db)
    guard let known = known.withLock(\.self), known.stamp == stamp else {
      return Known(stamp: stamp)
    }
    return known
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
      keep(current)
    }
    return streams
  }

  /// The device as a transaction sees it that has changed nothing yet; nil if there is none.
  ///
  /// - parameter isWriting: as for ``streams(_:isWriting:)``.
  func device(_ db: Database, isWriting: Bool = false) throws -> PlacedDevice? {
    var current = try current(db)
    if let device = current.device { return device }
    let device = try DeviceRecord.fetchPlaced(db)
    if !isWriting {
      current.device = .some(device)
      keep(current)
    }
    return device
  }

  /// Keeps what is known in the place of what was, if it is.
  func keep(_ known: Known?) {
    guard let known else { return }
    self.known.withLock { $0 = known }
  }
}

extension StoreDatabase {
  /// The streams as a transaction sees them that reads only.
  func streams(_ db: Database) throws -> StreamDirectory {
    try readCache.streams(db, isWriting: false)
  }

  /// The device as a transaction sees it that reads only; nil if there is none.
  func device(_ db: Database) throws -> DeviceRecord? { try readCache.device(db)?.record }
}
