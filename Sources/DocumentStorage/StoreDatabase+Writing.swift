import GRDB
import Replication

extension StoreWriter {
  /// What is known of the device and the streams as this transaction, which is finished, leaves
  /// them; nil if that would have to be read.
  fileprivate var known: ReadCache.Known? {
    get throws { try ReadCache.Known(streams.asStored, placed, leftBy: db) }
  }
}

extension StoreDatabase {
  /// Runs one local transaction; when it returns, it is on disk.
  ///
  /// - parameter now: the wall clock.
  /// - parameter nonce: a random number of this process.
  /// - parameter isPublishedAtOnce: whether the caller publishes right after; then the borders of
  ///   the file are fixed with the write, which saves a commit. Else several transactions may
  ///   become one file.
  package func writeDocuments(
    now: HybridTime, nonce: UInt64, isPublishedAtOnce: Bool = true,
    _ body: (inout StoreWriter) throws -> Void
  ) throws -> StoreWriter.Result {
    var known: ReadCache.Known?
    let result = try write { db in
      var writer = try StoreWriter(
        db, now: now, nonce: nonce, identity: identity, cache: readCache)
      try body(&writer)
      let result = try writer.finish()
      // A removal made on an old read may be publishable at once.
      let released = try PendingRemovals.release(
        db, now: now, nonce: nonce, identity: identity)
      var hasNamed = false
      if result.sequence != nil || released.transactions > 0, isPublishedAtOnce {
        hasNamed = try Outbox.fixBatches(db)
      }
      // Those that were given up have written, too.
      if released.transactions == 0, released.givenUp == 0, !hasNamed { known = try writer.known }
      return result
    }
    readCache.keep(known)
    return result
  }
}
