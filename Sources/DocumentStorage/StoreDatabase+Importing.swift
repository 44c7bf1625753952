import CanonicalJSON
import GRDB
import Replication
import SegmentFormat

extension StoreDatabase {
  /// Applies segments in one transaction: documents, positions and clock advance together.
  ///
  /// Segments of one stream must come in order; one that another process has applied meanwhile
  /// changes nothing.
  ///
  /// - parameters:
  ///   - now: the wall clock, for removals that become publishable.
  ///   - foldBytes: about how much memory operations may take until they are written.
  ///   - onProgress: called as operations are written, with how many were since the last call; they
  ///     are not committed before this returns.
  package func apply(
    _ segments: [ImportableSegment], now: HybridTime, nonce: UInt64, foldBytes: Int = 48 << 20,
    onProgress: @escaping (_ operations: Int) -> Void = { _ in }
  ) throws -> ImportedPart {
    try apply(
      held: segments.map { try HeldSegment($0) }, now: now, nonce: nonce, foldBytes: foldBytes,
      onProgress: onProgress)
  }

  /// The same of files that nobody has unpacked yet; one that turns out to be damaged is rejected.
  ///
  /// - parameter aheadBytes: About how much may be unpacked before it is applied.
  package func apply(
    held segments: [HeldSegment], now: HybridTime, nonce: UInt64, foldBytes: Int = 48 << 20,
    aheadBytes: Int = SegmentsAhead.most,
    onProgress: @escaping (_ operations: Int) -> Void = { _ in }
  ) throws -> ImportedPart {
    let ahead = SegmentsAhead(most: aheadBytes)
    return try apply(
      segments.map { ahead.add($0) }, openedBy: ahead, now: now, nonce: nonce,
      foldBytes: foldBytes, onProgress: onProgress)
  }

  /// The same of files that are unpacked already, or are going to be.
  ///
  /// - parameter onWritten: called once all is written and is to be committed, which is to wait for
  ///   the disk, mostly; within the transaction, so nothing may hold it up.
  package func apply(
    _ segments: [QueuedSegment], openedBy ahead: SegmentsAhead, now: HybridTime, nonce: UInt64,
    foldBytes: Int = 48 << 20, onWritten: () -> Void = {},
    onProgress: @escaping (_ operations: Int) -> Void = { _ in }
  ) throws -> ImportedPart {
    defer { countStreamChange() }
    return try write { db in
      // A few leave what others read where it is.
      let isLarge = segments.reduce(0) { $0 + $1.held.extent.operations } >= PageCache.many
      if isLarge { try PageCache.importing.use(db) }
      do {
        let part = try apply(
          segments, openedBy: ahead, now: now, nonce: nonce, foldBytes: foldBytes,
          onProgress: onProgress, db)
        if isLarge { try PageCache.standard.use(db) }
        onWritten()
        return part
      } catch {
        // What went wrong first is what is told.
        if isLarge { try? PageCache.standard.use(db) }
        throw error
      }
    }
  }

  private func apply(
    _ segments: [QueuedSegment], openedBy ahead: SegmentsAhead, now: HybridTime, nonce: UInt64,
    foldBytes: Int, onProgress: @escaping (_ operations: Int) -> Void, _ db: Database
  ) throws -> ImportedPart {
    let streams = try readCache.streams(db, isWriting: true)
    var fold = try ImportFold(
      db, streams: streams, now: now, limit: foldBytes, onProgress: onProgress)
    fold.collected.reserve(for: segments, most: foldBytes)
    for segment in segments {
      let opened = ahead.opened(segment)
      try fold.take(opened, of: segment.held)
      ahead.giveBack(opened, of: segment)
    }
    var part = try fold.finish()
    if fold.isForked {
      try DeviceRecord.beginStream(identity.mint(), db)
      part.hasNewStream = true
    }
    let released = try PendingRemovals.release(db, now: now, nonce: nonce, identity: identity)
    part.releasedRemovals = released.transactions
    part.givenUpRemovals = released.givenUp
    if part.releasedRemovals > 0 { try Outbox.fixBatches(db) }
    return part
  }
}

extension CollectedOperations {
  /// Makes room for what segments say that they have, within what folding may take.
  fileprivate mutating func reserve(for segments: [QueuedSegment], most bytes: Int) {
    var (operations, transactions, payloadBytes) = (0, 0, 0)
    for segment in segments {
      operations += segment.held.extent.operations
      transactions += SegmentWeight(of: segment.held).transactions
      payloadBytes += segment.held.extent.bodyBytes
    }
    // Memory that nothing is written to is not taken.
    reserve(
      operations: min(operations, bytes / 64), transactions: min(transactions, bytes / 256),
      payloadBytes: min(payloadBytes, bytes))
  }
}
