import GRDB
import Replication
import SegmentFormat

/// Publishes the removals that had to wait until what their authors saw could be claimed.
///
/// What an author saw is closed in itself (``Frontier/seen``), so a removal claims just that, once
/// all of it has arrived (protocol.md 4, 7).
enum PendingRemovals {
  /// What came of those that waited.
  struct Released {
    /// How many transactions were made.
    var transactions = 0
    /// How many removals were given up, so that what they hid shows again.
    var givenUp = 0
  }

  /// Removals that cannot be published now go on waiting, and keep nobody from importing.
  static func release(
    _ db: Database, now: HybridTime, nonce: UInt64, identity: DeviceIdentity
  ) throws -> Released {
    let bySeen = try publishable(db)
    var released = Released()
    // A transaction has one context: removals that saw different things are different ones.
    for (seen, keys) in bySeen.sorted(by: precedes) {
      do {
        try release(keys, seen: seen, counting: &released) {
          try StoreWriter(db, now: now, nonce: nonce, identity: identity)
        }
      } catch StorageError.clockExhausted {
        // Whoever writes is told; no import would come to its end for years.
        return released
      } catch StorageError.contextTooLarge {
        continue
      }
    }
    return released
  }

  private static func release(
    _ keys: [DocumentKey], seen: Context, counting released: inout Released,
    begin: () throws -> StoreWriter
  ) throws {
    var writer = try begin()
    var givenUp = 0
    func finish() throws {
      // Nothing comes of those that are given up.
      if try writer.finish(isRelease: true).sequence != nil { released.transactions += 1 }
      released.givenUp += givenUp
      givenUp = 0
    }
    for key in keys {
      if writer.bytes > transactionBytes {
        try finish()
        writer = try begin()
      }
      givenUp += try writer.publishRemovals(at: key, seen: seen)
    }
    try finish()
  }

  /// The documents whose removals may be published, by what those saw.
  fileprivate static func publishable(_ db: Database) throws -> [Context: [DocumentKey]] {
    guard try DocumentTable.hasWaiting(db) else { return [:] }
    let waiting = try DocumentTable.waiting(db)
    let table = try DocumentTable(db)
    let streams = try StreamDirectory(db)
    var bySeen: [Context: [DocumentKey]] = [:]
    for key in waiting {
      for removal in try table.state(of: key, streams: streams).pending
      where bySeen[removal.seen]?.last != key {
        guard try streams.mayClaim(removal.seen, db) else { continue }
        bySeen[removal.seen, default: []].append(key)
      }
    }
    return bySeen
  }

  /// In the order of their documents, and of what they saw: the same on every run.
  private static func precedes(
    _ lhs: (key: Context, value: [DocumentKey]), _ rhs: (key: Context, value: [DocumentKey])
  ) -> Bool {
    guard lhs.value == rhs.value else { return lhs.value.lexicographicallyPrecedes(rhs.value) }
    return lhs.key.entries.lexicographicallyPrecedes(rhs.key.entries)
  }

  /// A transaction is ended when it has this many bytes: any number of removals may have waited.
  private static let transactionBytes = 4 << 20
}

extension StoreDatabase {
  /// Makes removals into transactions that waited for an upgrade of this program, which brings
  /// nothing to import.
  ///
  /// - returns: how many were given up.
  package func releaseRemovals(now: HybridTime, nonce: UInt64) throws -> Int {
    guard try read({ db in try !PendingRemovals.publishable(db).isEmpty }) else { return 0 }
    return try write { db in
      let released = try PendingRemovals.release(db, now: now, nonce: nonce, identity: identity)
      if released.transactions > 0 { try Outbox.fixBatches(db) }
      return released.givenUp
    }
  }
}
