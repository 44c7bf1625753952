import GRDB
import Replication
import SegmentFormat

extension StoreDatabase {
  /// Gives this device another name, and sees to it that the others learn it.
  ///
  /// A name travels with the first segment that is new after it. Where no local write waits that
  /// could carry it, a transaction without operations does; the newest stands everywhere, whatever
  /// arrives first.
  ///
  /// - parameter now: the wall clock.
  /// - parameter nonce: a random number of this process.
  /// - returns: the transaction that carries the name to the others; `changed` tells whether it is
  ///   another name. Renaming to the same name does nothing.
  package func renameDevice(
    to name: String, now: HybridTime, nonce: UInt64
  ) throws -> StoreWriter.Result {
    try write { db in
      guard let device = try DeviceRecord.current(db, identity)?.record else {
        throw StorageError.noDevice
      }
      guard device.leftAt == nil else { throw StorageError.left }
      guard try name != device.name || isNameUnheard(db) else {
        return StoreWriter.Result(changed: 0, stream: device.stream, sequence: nil)
      }
      try db.run("UPDATE device SET name = ?", [name])
      if try !hasUnboundWrites(db) {
        var writer = try StoreWriter(db, now: now, nonce: nonce, identity: identity)
        try writer.finishWithoutOperations()
      }
      let sequence = try Int64.fetchOne(
        db.prepared(
          """
          SELECT min(sequence) FROM outbox WHERE stream = (SELECT stream FROM device)
            AND sequence > (SELECT coalesce(max(last), 0) FROM batches
              WHERE stream = (SELECT stream FROM device))
          """))
      try Outbox.fixBatches(db)
      return StoreWriter.Result(
        changed: name == device.name ? 0 : 1, stream: device.stream,
        sequence: sequence.map { UInt64($0) })
    }
  }

  /// Whether the others know this device, but not its present name.
  private func isNameUnheard(_ db: Database) throws -> Bool {
    let sql = """
      SELECT published_name IS NOT device.name AND applied > 0
      FROM device JOIN streams ON streams.id = device.stream
      """
    return try Bool.fetchOne(db.prepared(sql)) ?? false
  }

  /// Whether local transactions wait that no batch holds yet, so that the next one carries a name.
  private func hasUnboundWrites(_ db: Database) throws -> Bool {
    let sql = """
      SELECT EXISTS (SELECT 1 FROM outbox WHERE stream = (SELECT stream FROM device)
        AND sequence > (SELECT coalesce(max(last), 0) FROM batches
          WHERE stream = (SELECT stream FROM device)))
      """
    return try Bool.fetchOne(db.prepared(sql)) ?? false
  }
}

/// A name that a file gives to the stream that it belongs to.
///
/// Files arrive in any order behind what is given up, and branches have none: so the name with the
/// latest time is a stream's, not the one that came last.
struct LearntName: Sendable, Comparable {
  let name: String
  /// That of the first transaction of the file.
  let time: HybridTime

  init(name: String, time: HybridTime) {
    self.name = name
    self.time = time
  }

  /// The name that a segment tells; nil if none, or none that may be one.
  ///
  /// - parameter first: the time of its first transaction.
  init?(of segment: Segment, first: HybridTime) {
    guard let name = segment.deviceName, DeviceName.isValid(name) else { return nil }
    self.init(name: name, time: segment.nameTime ?? first)
  }

  /// Whether a segment tells it, as far as the segment by itself says since when.
  func isTold(by segment: Segment) -> Bool { segment.naming.map { isTold(by: $0) } ?? false }

  func isTold(by naming: Segment.Naming) -> Bool {
    naming.name == name && naming.time.map { $0 == time } ?? true
  }

  /// - parameters:
  ///   - name: nil if none was learnt.
  ///   - time: as it is stored.
  init?(_ name: String?, time: Int64) {
    guard let name else { return nil }
    self.init(name: name, time: HybridTime(rawValue: UInt64(bitPattern: time)))
  }

  static func < (lhs: LearntName, rhs: LearntName) -> Bool {
    guard lhs.time == rhs.time else { return lhs.time < rhs.time }
    return lhs.name.utf8.lexicographicallyPrecedes(rhs.name.utf8)
  }
}

extension StreamDirectory {
  /// What people call the device of a stream; nil if nobody knows.
  func name(of stream: StreamID) -> String? {
    if let ownName, ownName.stream == stream { return ownName.name }
    return rows[stream]?.learntName?.name
  }

  /// Takes a name over, unless a newer one is known.
  ///
  /// - returns: whether it was taken over.
  @discardableResult
  mutating func learn(_ name: LearntName, of stream: StreamID, _ db: Database) throws -> Bool {
    _ = try number(of: stream, db)
    if let known = rows[stream]?.learntName, known >= name { return false }
    rows[stream]?.learntName = name
    changed.insert(Lineage.LineID(stream: stream, index: 0))
    return true
  }
}
