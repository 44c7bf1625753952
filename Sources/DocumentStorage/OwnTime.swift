import GRDB

// How long something has been, for a device that was not there all the time.
extension StoreDatabase {
  /// Notes that this device looks after its files, with the folder before it.
  ///
  /// - parameter now: in milliseconds since 1970.
  package func noteLook(now: Int64) throws {
    let isNoted = try read { db in
      let last = try Int64.fetchOne(db.prepared("SELECT max(at) FROM looks"))
      return last.map { $0 <= now && $0 > now - Self.lookInterval } ?? false
    }
    guard !isNoted else { return }
    try writeRepeatable { db in
      // A clock that was ahead has been put right.
      try db.run("DELETE FROM looks WHERE at > ? OR at < 0", [now])
      try db.run("INSERT OR IGNORE INTO looks VALUES (?)", [now])
      try db.run(
        "DELETE FROM looks WHERE at < (SELECT at FROM looks ORDER BY at DESC LIMIT 1 OFFSET ?)",
        [Self.mostLooks])
    }
  }

  /// Closer to one another, looks tell nothing more.
  private static let lookInterval: Int64 = 6 * 3_600_000
  /// Of more than a year, since nothing is kept for longer (``SpentSegments``); what was before
  /// counts whole.
  private static let mostLooks = 2048

  /// Since when so much time has passed in which this device could hear of others.
  ///
  /// Of the time between two looks no more counts than `longest`: while a machine is off, others
  /// may write what only comes to it later, if ever; and a clock that was wrong, and is put right,
  /// makes years pass at once. So no such time is all of an age, however rarely this device looks;
  /// but for ages that are shorter than what is noted of looks.
  ///
  /// - parameters:
  ///   - age: in milliseconds.
  ///   - now: in milliseconds since 1970.
  ///   - longest: in milliseconds; the greatest number there is where all time counts.
  /// - returns: in milliseconds since 1970.
  package func time(
    _ age: Int64, before now: Int64, countingAtMost longest: Int64
  ) throws -> Int64 {
    guard longest < .max else { return now - age }
    let longest = min(longest, max(age / 2, Self.lookInterval))
    return try read { db in
      let looks = try Int64.fetchCursor(
        db.prepared("SELECT at FROM looks WHERE at BETWEEN 0 AND ? - 1 ORDER BY at DESC"),
        arguments: [now])
      var (left, end) = (age, now)
      while let look = try looks.next() {
        let counted = min(end - look, longest)
        if left <= counted { break }
        (left, end) = (left - counted, look)
      }
      return end - left
    }
  }
}
