import GRDB
import Replication

// When something new of a device arrived last, by which it is told who is waited for. One that was
// said never to come back, and of which something has arrived since, is one as any other.
extension StoreDatabase {
  /// Notes that the device of a stream never comes back, so that this one puts back what the folder
  /// loses of it, and waits for it no more.
  ///
  /// Said again, it changes nothing, unless something of it has arrived since.
  ///
  /// - parameter now: in milliseconds since 1970.
  package func retire(_ stream: StreamID, now: Int64) throws {
    try write { db in
      // What has arrived by now did so before, whatever the clock said then.
      try db.run(
        """
        UPDATE streams SET retired_at = max(?1, coalesce(arrived_at, ?1))
        WHERE stream = ?2 AND (retired_at IS NULL OR arrived_at > retired_at)
        """, [now, stream.databaseBytes])
    }
  }

  /// Notes of streams whose devices are gone that what was imported of them is what was known: for
  /// who takes another database's place.
  ///
  /// - parameter streams: as that one knew them. Where more of one is here by now, or of a branch
  ///   nobody can tell, it is left as it is: whose device came back is waited for.
  package func noteGone(_ streams: [KeptStream]) throws {
    let gone = streams.filter(\.isGone)
    guard !gone.isEmpty else { return }
    try write { db in
      for stream in gone {
        try db.run(
          """
          UPDATE streams SET arrived_at = min(arrived_at, retired_at)
          WHERE stream = ? AND applied <= ? AND NOT branching
          """, [stream.stream.databaseBytes, stream.applied])
      }
    }
  }

  /// Takes streams of which it is not known when something arrived for such of which something
  /// arrived now: of what an older program imported.
  ///
  /// But nothing has come since of a device that was said to be gone.
  package func noteArrivals(now: Int64) throws {
    let isNeeded = try read { db in
      try Bool.fetchOne(
        db.prepared("SELECT EXISTS (SELECT 1 FROM streams WHERE arrived_at IS NULL AND own <> 1)"))
        ?? false
    }
    guard isNeeded else { return }
    try write { db in
      try db.run(
        """
        UPDATE streams SET arrived_at = min(?1, coalesce(retired_at, ?1))
        WHERE arrived_at IS NULL AND own <> 1
        """, [now])
    }
  }
}

extension StreamDirectory {
  /// Notes that something new of a stream has arrived: after its device was said to be gone, if it
  /// was, whatever the clock said then.
  func noteArrival(of stream: StreamID, at now: Int64, _ db: Database) throws {
    guard let row = rows[stream] else { return }
    try db.run(
      "UPDATE streams SET arrived_at = ?1, retired_at = min(retired_at, ?1 - 1) WHERE id = ?2",
      [now, row.number])
  }

  /// The streams of devices that were said to be gone, and of which something has arrived since: by
  /// their numbers, when that was last, in milliseconds since 1970.
  static func returns(_ db: Database) throws -> [Int64: Int64] {
    let sql = "SELECT id, arrived_at FROM streams WHERE arrived_at > retired_at"
    return try Dictionary(
      uniqueKeysWithValues: GRDB.Row.fetchAll(db.prepared(sql)).map { row in
        (try row.value(0) as Int64, try row.value(1) as Int64)
      })
  }

  /// Takes the times of all that for now which are still to come, by a clock that was ahead; what
  /// came later stays so.
  static func clampTimes(to now: Int64, _ db: Database) throws {
    try db.run(
      """
      UPDATE streams SET retired_at = iif(arrived_at > retired_at, ?1 - 1, ?1)
      WHERE retired_at >= ?1
      """, [now])
    try db.run("UPDATE streams SET arrived_at = ?1 WHERE arrived_at > ?1", [now])
  }
}
