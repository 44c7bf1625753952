import GRDB
import Replication

// A device that has written, and whose user only reads now, says all the same what it has: else
// nobody could drop anything (protocol.md 19).
extension StoreDatabase {
  /// Says what is applied here, if something of that has stood unsaid for some time: by a
  /// transaction without operations, to be published.
  ///
  /// What has none itself is never said for its own sake, so devices that have nothing to say end
  /// to speak.
  ///
  /// - parameters:
  ///   - delay: For how long, in milliseconds; every other write says it, too.
  ///   - now: The wall clock.
  ///   - nonce: A random number of this process.
  /// - returns: whether something was said.
  package func acknowledge(
    after delay: Int64, now: HybridTime, nonce: UInt64
  ) throws -> Bool {
    let milliseconds = Int64(now.milliseconds)
    let known = try read { db in try Unsaid(db, streams: streams(db)) }
    guard let known,
      known.isChanged(now: milliseconds) || known.isDue(after: delay, now: milliseconds)
    else { return false }
    return try write { db in
      guard let unsaid = try Unsaid(db, streams: readCache.streams(db, isWriting: true)) else {
        return false
      }
      // A clock that was ahead has been put right.
      let since = unsaid.exists ? min(unsaid.since ?? milliseconds, milliseconds) : nil
      guard unsaid.isDue(after: delay, now: milliseconds) else {
        try db.run("UPDATE device SET unsaid_since = ?", [since])
        return false
      }
      var writer = try StoreWriter(db, now: now, nonce: nonce, identity: identity)
      do {
        try writer.finishWithoutOperations()
      } catch StorageError.contextTooLarge, StorageError.clockExhausted {
        // Who writes is told. Nothing of it is done, and the files can be looked after.
        return false
      }
      try Outbox.fixBatches(db)
      try db.run("UPDATE device SET unsaid_since = NULL")
      return true
    }
  }

  /// Whether this device has not looked after its files for some time.
  ///
  /// - parameters:
  ///   - interval: For how long, in milliseconds.
  ///   - now: In milliseconds since 1970.
  package func isLookingAfterDue(every interval: Int64, now: Int64) throws -> Bool {
    try read { db in try Self.isLookingAfterDue(every: interval, now: now, db) }
  }

  /// Notes that this device looks after its files now.
  ///
  /// - returns: false if it is not due any more (``isLookingAfterDue(every:now:)``): another
  ///   process does.
  package func beginLookingAfter(every interval: Int64, now: Int64) throws -> Bool {
    try writeRepeatable { db in
      guard try Self.isLookingAfterDue(every: interval, now: now, db) else { return false }
      try db.run("UPDATE device SET looked_after_at = ?", [now])
      return true
    }
  }

  private static func isLookingAfterDue(
    every interval: Int64, now: Int64, _ db: Database
  ) throws -> Bool {
    let last = try Int64.fetchOne(db.prepared("SELECT looked_after_at FROM device"))
    return last.map { $0 > now || $0 <= now - interval } ?? true
  }

  /// What this device has read of its own files in the folder.
  package func ownFilesRead() throws -> OwnFilesRead {
    try read { db in
      let stored = try Int64.fetchOne(db.prepared("SELECT looked_after_at FROM device")) ?? 0
      return stored < 0 ? .changedBefore(-stored) : .whenLookedAfter(at: stored)
    }
  }

  /// Lets the next look find that it is due: this one did not come to its end.
  ///
  /// - parameter read: What changed before, in milliseconds since 1970, has been read of the
  ///   device's own files.
  package func noteLookingAfterUnfinished(read: Int64) throws {
    // Below zero it is due, also for a program that does not know of it.
    try write { db in try db.run("UPDATE device SET looked_after_at = ?", [-max(read, 1)]) }
  }
}

/// What a device has read of its own files in the folder since they were written.
package enum OwnFilesRead: Equatable, Sendable {
  /// What had changed when it looked after them last, in milliseconds since 1970; 0 for never.
  case whenLookedAfter(at: Int64)
  /// What changed before, by the folder's clock: a look did not come to its end.
  case changedBefore(Int64)
}

/// Whether something is applied, and may be claimed, that nothing says which this device wrote.
private struct Unsaid {
  let exists: Bool
  let since: Int64?

  /// - returns: nil where there is no device, or it has left.
  init?(_ db: Database, streams: StreamDirectory) throws {
    guard let device = try DeviceRecord.fetch(db), device.leftAt == nil else { return nil }
    since = try Int64.fetchOne(db.prepared("SELECT unsaid_since FROM device"))
    let own = streams.position(of: device.stream)
    let said = own.context
    // Nobody waits for a device that has never written; its folder may be one to read only. For one
    // that has, under another stream before it was made anew or put back, others do.
    guard own.sequence > 0 || streams.all.contains(where: { $0.isOwn && $0.written ?? 0 > 0 })
    else {
      exists = false
      return
    }
    let closed = streams.frontier.closed
    exists = streams.all.contains { row in
      // Of what older programs applied it is not known; whatever comes later says so.
      guard row.stream != device.stream, let written = row.written, written > 0 else {
        return false
      }
      // What may not be claimed yet is said once it may.
      return written <= closed.sequence(of: row.stream)
        && said.sequence(of: row.stream) < written
    }
  }

  /// Whether what is noted is another thing, or is yet to come.
  func isChanged(now: Int64) -> Bool { exists != (since != nil) || since ?? 0 > now }

  func isDue(after delay: Int64, now: Int64) -> Bool {
    guard exists, let since else { return false }
    return since <= now - delay
  }
}
