import Foundation
import GRDB
import Replication
import SystemPackage

// Whether this database's device takes part in its container, and where that is.
extension StoreDatabase {
  /// Takes over where the container is now; who had left is back, as the same device.
  package func rejoin(at path: FilePath) throws {
    guard let device = try device(), device.path != path || device.leftAt != nil else { return }
    try write { db in
      try db.run("UPDATE device SET path = ?, left_at = NULL", [Data(path.bytes)])
    }
  }

  /// Takes over where the container is now, unless another process has done so or left meanwhile.
  package func move(from former: FilePath, to path: FilePath) throws {
    try write { db in
      try db.run(
        "UPDATE device SET path = ? WHERE path = ? AND left_at IS NULL",
        [Data(path.bytes), Data(former.bytes)])
    }
  }

  /// Notes that the device has left: from now on nothing is written here.
  ///
  /// - parameter now: in milliseconds since 1970.
  /// - parameter isAbandoning: whether it leaves although something would be known to nobody else.
  /// - returns: whether it has left; false if something waits that has not been published.
  package func leave(now: Int64, isAbandoning: Bool) throws -> Bool {
    try write { db in
      let waits = try Bool.fetchOne(
        db.prepared(
          """
          SELECT EXISTS (SELECT 1 FROM outbox)
            OR EXISTS (SELECT 1 FROM documents INDEXED BY waiting WHERE pending > 0)
          """))
      guard isAbandoning || waits == false else { return false }
      try db.run("UPDATE device SET left_at = ?", [now])
      return true
    }
  }

  /// The last transaction of this device that is known to be in the folder, with all before it.
  package func publishedEnd() throws -> UInt64 {
    try read { db in
      let sql = """
        SELECT coalesce(
          (SELECT min(sequence) - 1 FROM outbox WHERE outbox.stream = device.stream), applied)
        FROM device JOIN streams ON streams.id = device.stream
        """
      guard let row = try Row.fetchOne(db.prepared(sql)) else { return 0 }
      return try row.number(0)
    }
  }
}

extension StoreWriter {
  /// Where the device's container is; until the transaction is over, nobody moves the device.
  package func home() throws -> FilePath? { try DeviceRecord.fetch(db)?.path }
}
