import Foundation
import GRDB
import Replication

/// What tells whether a database is still where it was, or a copy: and where a new stream's id
/// comes from.
package struct DeviceIdentity: Sendable {
  /// The machine and the database's file; nil where there is nothing to tell by.
  ///
  /// Asked when it is to be compared: a database that is just being made has no file yet.
  package let environment: @Sendable () -> [UInt8]?
  /// Mints the id of a new stream.
  package let mint: @Sendable () -> StreamID

  package init(
    environment: @escaping @Sendable () -> [UInt8]? = { nil },
    mint: @escaping @Sendable () -> StreamID = { StreamID.random() }
  ) {
    self.environment = environment
    self.mint = mint
  }

  /// Between the environments in which a database has written: processes of one device may see its
  /// machine differently, as in a container and outside.
  fileprivate static let separator: UInt8 = 0

  /// The environment as it is kept; nil if there is nothing to tell by.
  ///
  /// Of nothing but separators, it would be new each time.
  fileprivate var comparableEnvironment: [UInt8]? {
    guard let bytes = environment()?.filter({ $0 != Self.separator }), !bytes.isEmpty else {
      return nil
    }
    return bytes
  }

  /// What the database of a new device notes of where it is made.
  var storedEnvironment: Data? { comparableEnvironment.map { Data($0) } }
}

/// A device's record, and where its database has written.
struct PlacedDevice: Sendable {
  let record: DeviceRecord
  /// The environments; nil if none was ever noted.
  fileprivate let environments: [[UInt8]]?

  /// - parameter environments: as they are stored.
  init(record: DeviceRecord, environments: Data?) {
    self.record = record
    self.environments = environments.map { stored in
      [UInt8](stored).split(separator: DeviceIdentity.separator).map(Array.init)
    }
  }
}

extension DeviceRecord {
  /// The device as it writes now: in another environment than it wrote in before, it is a copy or
  /// was restored, and writes a new stream from now on (protocol.md 25).
  ///
  /// - parameter cache: where its record may be known already.
  static func current(
    _ db: Database, _ identity: DeviceIdentity, cache: ReadCache? = nil
  ) throws -> PlacedDevice? {
    guard let device = try cache?.device(db, isWriting: true) ?? fetchPlaced(db) else { return nil }
    guard let environment = identity.comparableEnvironment else { return device }
    let known = device.environments ?? []
    guard !known.contains(environment) else { return device }
    if device.environments != nil, device.record.leftAt == nil {
      try beginStream(identity.mint(), db)
    }
    let all = known.suffix(maximumEnvironments - 1) + [environment]
    let joined = Data(all.joined(separator: [DeviceIdentity.separator]))
    try db.run("UPDATE device SET environment = ?", [joined])
    return try fetchPlaced(db)
  }

  private static let maximumEnvironments = 8

  /// Makes the device go on under another stream.
  ///
  /// The old one is from now on like another's, except that what waits to be published still is,
  /// under the old stream's id and with its dots unchanged.
  static func beginStream(_ stream: StreamID, _ db: Database) throws {
    try Outbox.fixBatches(db)
    var streams = try StreamDirectory(db)
    let number = try streams.number(of: stream, db)
    try db.run("UPDATE streams SET own = 1 WHERE id = ?", [number])
    // The name travels with the first segment of the new stream.
    try db.run("UPDATE device SET stream = ?, published_name = NULL", [number])
  }
}

extension StoreDatabase {
  /// Makes the device go on under a new stream, if `stream` is still the one that it writes: there
  /// is something of it that this database did not write.
  ///
  /// - returns: whether it does.
  package func beginStream(insteadOf stream: StreamID) throws -> Bool {
    try write { db in
      guard try DeviceRecord.fetch(db)?.stream == stream else { return false }
      try DeviceRecord.beginStream(identity.mint(), db)
      try Self.fork(stream, db)
      return true
    }
  }

  /// What others have seen of it, and is not here, need not follow what is: what they hide so is
  /// judged again.
  static func fork(_ stream: StreamID, _ db: Database) throws {
    var streams = try StreamDirectory(db)
    try streams.fork(stream, db)
    guard streams.hasRebranched else { return }
    try streams.save(db)
    var table = try DocumentTable(db)
    var own = ImportedPart.FromDevice(stream: stream, name: streams.name(of: stream))
    own.note(try table.judgeAgain(&streams, .all))
    try ChangeLog.append([CommittedChange.Origin(own)], db)
  }
}
