import Foundation
import GRDB
import Replication

// What one database hands to another that takes its place.
extension StoreDatabase {
  /// A local removal that waits until what its author saw may be claimed.
  package struct WaitingRemoval: Sendable, Hashable {
    package let key: DocumentKey
    package let removal: DocumentState.PendingRemoval
  }

  /// All removals that wait; they are in no transaction yet.
  package func waitingRemovals() throws -> [WaitingRemoval] {
    try read { db in
      let table = try DocumentTable(db)
      let streams = try StreamDirectory(db)
      return try table.waiting().flatMap { key in
        try table.state(of: key, streams: streams).pending
          .map { WaitingRemoval(key: key, removal: $0) }
      }
    }
  }

  /// The segments that were applied before there was an archive, and are not in it yet.
  package func unarchivedSegments() throws -> Set<ImportedNames.Name> {
    try read { db in
      let sql = """
        SELECT streams.stream, first, last, digest FROM unarchived
        JOIN streams ON streams.id = unarchived.stream
        """
      return try Set(
        Row.fetchAll(db, sql: sql).map { row in
          ImportedNames.Name(
            stream: try StreamID(column: row[0]), first: UInt64(row[1] as Int64),
            last: UInt64(row[2] as Int64), digest: UInt64(bitPattern: row[3] as Int64))
        })
    }
  }

  /// Makes this device answer for streams as another database did: those that it wrote, and those
  /// whose devices never come back.
  package func answer(for streams: [StreamSummary]) throws {
    let kept = streams.filter { $0.isOwn || $0.wasOwn || $0.retiredAt != nil }
    guard !kept.isEmpty else { return }
    try write { db in
      var directory = try StreamDirectory(db)
      for summary in kept {
        try db.execute(
          sql: """
            UPDATE streams SET own = max(own, ?), retired_at = coalesce(retired_at, ?)
            WHERE id = ?
            """,
          arguments: [
            summary.isOwn || summary.wasOwn, summary.retiredAt,
            try directory.number(of: summary.stream, db),
          ])
      }
    }
  }

  /// Lets removals wait here that waited in another database; what they were made on may still have
  /// to be imported.
  ///
  /// Each claims what its author saw, whichever device publishes it. Repeated, it changes nothing.
  ///
  /// - parameter now: the wall clock, for removals that are publishable at once.
  /// - returns: how many were not here.
  package func takeOver(
    _ removals: [WaitingRemoval], now: HybridTime, nonce: UInt64
  ) throws -> Int {
    guard !removals.isEmpty else { return 0 }
    return try write { db in
      guard let device = try DeviceRecord.fetch(db) else { throw StorageError.noDevice }
      guard device.leftAt == nil else { throw StorageError.left }
      var streams = try StreamDirectory(db)
      var table = try DocumentTable(db)
      var documents: [ImportedPart.Document] = []
      var count = 0
      let byDocument = Dictionary(grouping: removals, by: \.key)
      for (key, waiting) in byDocument.sorted(by: { $0.key < $1.key }) {
        var state = try table.state(of: key, streams: streams)
        let new = waiting.map(\.removal).filter { !state.knows($0) }
        guard !new.isEmpty else { continue }
        state.pending += new
        count += new.count
        let isVisible = try table.save(state, of: key) { try streams.number(of: $0, db) }
        documents.append(
          ImportedPart.Document(key: key, isDeleted: !isVisible, paths: new.map(\.path).sorted()))
      }
      let origin = CommittedChange.Origin(
        stream: device.stream, sequence: nil,
        collections: Set(documents.map(\.key.collection)).sorted(), documents: documents,
        isComplete: true)
      try ChangeLog.append([origin], db)
      let released = try PendingRemovals.release(db, now: now, nonce: nonce, identity: identity)
      if released > 0 { try Outbox.fixBatches(db) }
      return count
    }
  }
}

extension DocumentState {
  /// Whether a removal waits here, or has been published here already.
  fileprivate func knows(_ removal: PendingRemoval) -> Bool {
    if pending.contains(removal) { return true }
    let claimed = lineage?.reduced(removal.seen) ?? removal.seen
    return entries.contains { entry in
      entry.effect.kind == removal.kind && entry.effect.path == removal.path
        && entry.effect.insert == removal.insert && entry.context == claimed
    }
  }
}
