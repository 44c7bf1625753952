import GRDB
import Replication

/// What other devices' clocks showed when something of theirs arrived.
struct ClockRecords {
  /// What arrives in this transaction, the most telling of each stream.
  private var arriving: [StreamID: ClockReading] = [:]
  private let now: Int64

  /// - parameter now: the wall clock.
  init(now: HybridTime) { self.now = Int64(now.milliseconds) }

  mutating func note(_ header: Transaction.Header) {
    let reading = ClockReading(of: header.time, now: now)
    if let other = arriving[header.stream], !reading.tellsMore(than: other) { return }
    arriving[header.stream] = reading
  }

  func save(_ streams: inout StreamDirectory, own: StreamID?, _ db: Database) throws {
    for (stream, reading) in arriving where stream != own {
      let number = try streams.number(of: stream, db)
      var history = try Self.history(ofStream: number, db)
      guard history.note(reading) else { continue }
      try db.run("DELETE FROM clock_readings WHERE stream = ?", [number])
      for one in history.readings {
        try db.run(
          "INSERT OR REPLACE INTO clock_readings VALUES (?, ?, ?, ?, ?)",
          [number, one.arrived, one.ahead, one.isBorrowed, one.since])
      }
    }
  }

  static func history(ofStream number: Int64, _ db: Database) throws -> ClockHistory {
    let sql = """
      SELECT arrived, ahead, borrowed, since FROM clock_readings WHERE stream = ?
      ORDER BY arrived
      """
    return ClockHistory(
      try db.read(sql, [number]) { row in
        try ClockReading(
          arrived: row.value(0), ahead: row.value(1), isBorrowed: row.value(2),
          since: row.value(3))
      })
  }
}

extension StoreDatabase {
  /// What is known of each other device's clock, sorted by stream; without those of which nothing
  /// has arrived since this was first noted.
  package func clockHistories() throws -> [(stream: StreamID, history: ClockHistory)] {
    try read { db in
      let own = try device(db)?.stream
      return try streams(db).all.filter { $0.stream != own }.compactMap { row in
        let history = try ClockRecords.history(ofStream: row.number, db)
        return history.readings.isEmpty ? nil : (row.stream, history)
      }
    }
  }

  /// The time of the last transaction of this device; zero if it wrote none.
  package func ownTime() throws -> HybridTime {
    try read { db in
      guard let own = try device(db)?.stream else { return .zero }
      return try streams(db).position(of: own).time
    }
  }
}
