import CanonicalJSON
import Foundation
import GRDB
import Replication
import SystemFiles
import SystemPackage

/// What this device is: its container, its stream, its name.
package struct DeviceRecord: Sendable, Equatable {
  package let container: ContainerID
  /// The marker's bytes as they were when this device joined, so that it can be restored.
  package let marker: [UInt8]
  /// Where the container was when it was last initialised.
  package let path: FilePath
  package let stream: StreamID
  package let name: String
  /// When it left the container, in milliseconds since 1970; nil if it has not.
  package let leftAt: Int64?

  package init(
    container: ContainerID, marker: [UInt8], path: FilePath, stream: StreamID, name: String,
    leftAt: Int64? = nil
  ) {
    self.container = container
    self.marker = marker
    self.path = path
    self.stream = stream
    self.name = name
    self.leftAt = leftAt
  }
}

extension StoreDatabase {
  /// The device's record; nil in a database that was never initialised.
  package func device() throws -> DeviceRecord? {
    try read { db in try device(db) }
  }

  /// Makes this database a device, or takes over a new path and name; who had left is back.
  ///
  /// Where it is made is noted, so that copies of one that has not written yet write streams of
  /// their own, too.
  package func save(_ device: DeviceRecord) throws {
    try write { db in
      var streams = try StreamDirectory(db)
      let number = try streams.number(of: device.stream, db)
      try db.run(
        """
        INSERT INTO device(id, container, marker, path, stream, name, clock, environment)
        VALUES (1, ?, ?, ?, ?, ?, 0, ?)
        ON CONFLICT(id) DO UPDATE SET path = excluded.path, name = excluded.name,
          left_at = NULL
        """,
        [
          device.container.databaseBytes, Data(device.marker), Data(device.path.bytes), number,
          device.name, identity.storedEnvironment,
        ])
      try db.run("UPDATE streams SET own = 1 WHERE id = ?", [number])
    }
  }
}

extension DeviceRecord {
  /// The greatest time given out or imported.
  ///
  /// Of what the device has written itself its stream tells, whose row each transaction writes
  /// anyway; the device's row has the others'.
  static func clock(_ db: Database, _ streams: StreamDirectory) throws -> HybridTime {
    max(try storedClock(db), streams.latestTime)
  }

  private static func storedClock(_ db: Database) throws -> HybridTime {
    let stored = try db.integer("SELECT clock FROM device") ?? 0
    return HybridTime(rawValue: UInt64(bitPattern: stored))
  }

  /// Raises the clock to `time`, if that is later.
  static func raiseClock(to time: HybridTime, _ db: Database) throws {
    // Compared here: SQLite's integers have a sign, and the time's top bit is in use.
    guard try storedClock(db) < time else { return }
    try db.run("UPDATE device SET clock = ?", [Int64(bitPattern: time.rawValue)])
  }

  static func fetch(_ db: Database) throws -> DeviceRecord? { try fetchPlaced(db)?.record }

  /// The record, and where the database has written; nil if it never was a device's.
  static func fetchPlaced(_ db: Database) throws -> PlacedDevice? {
    let sql = """
      SELECT container, marker, path, streams.stream, device.name, left_at, environment FROM device
      JOIN streams ON streams.id = device.stream
      """
    return try db.read(sql) { row in
      let record = DeviceRecord(
        container: try ContainerID(column: row.value(0)),
        marker: try [UInt8](row.value(1) as Data),
        path: FilePath(bytes: try [UInt8](row.value(2) as Data)) ?? FilePath(),
        stream: try StreamID(column: row.value(3)), name: try row.value(4),
        leftAt: try row.value(5))
      return PlacedDevice(record: record, environments: try row.value(6))
    }.first
  }
}
