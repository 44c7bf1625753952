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
            stream: try StreamID(column: row.value(0)), first: try row.number(1),
            last: try row.number(2), digest: UInt64(bitPattern: try row.value(3)))
        })
    }
  }

  /// Makes this device answer for streams as another database did: those that it wrote, those that
  /// go on from one of them, and those whose devices never come back.
  ///
  /// It also learns which of them branch: what told of its own may be in no transaction, or in one
  /// that is lost.
  package func answer(for streams: [KeptStream]) throws {
    let kept = streams.filter { $0.own > 0 || $0.retiredAt != nil || $0.isForked }
    guard !kept.isEmpty else { return }
    try write { db in
      var directory = try StreamDirectory(db)
      for stream in kept {
        try db.execute(
          sql: """
            UPDATE streams SET
              own = CASE WHEN own = \(OwnStream.written) OR ?1 = 0 THEN own ELSE ?1 END,
              retired_at = coalesce(retired_at, ?2)
            WHERE id = ?3
            """,
          arguments: [
            stream.own, stream.retiredAt, try directory.number(of: stream.stream, db),
          ])
      }
      for stream in kept where stream.isForked { try Self.fork(stream.stream, db) }
    }
  }

  /// The removals that were taken over from other databases and do not wait here any more: what
  /// became of them is in transactions, or in other removals.
  ///
  /// - parameter keys: the documents of which some wait.
  package func takenRemovals(waitingAt keys: [DocumentKey]) throws -> Set<[UInt8]> {
    var taken = try read { db in
      try Set(Data.fetchAll(db.prepared("SELECT removal FROM taken_removals")).map { [UInt8]($0) })
    }
    for key in keys {
      for removal in try waitingRemovals(of: key) { taken.remove(removal.bytes) }
    }
    return taken
  }

  /// Lets removals wait here that waited in another database; what they were made on may still have
  /// to be imported.
  ///
  /// Each claims what its author saw, whichever device publishes it. Repeated, it changes nothing,
  /// whatever has become of them meanwhile.
  ///
  /// - parameter taken: what the other database had taken over before (``takenRemovals()``).
  /// - parameter now: the wall clock, for removals that are publishable at once.
  /// - returns: how many were not here.
  package func takeOver(
    _ removals: [WaitingRemoval], taken: Set<[UInt8]>, now: HybridTime, nonce: UInt64
  ) throws -> Int {
    guard !removals.isEmpty || !taken.isEmpty else { return 0 }
    return try write { db in
      guard let device = try DeviceRecord.fetch(db) else { throw StorageError.noDevice }
      guard device.leftAt == nil else { throw StorageError.left }
      for removal in taken.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        _ = try note(removal, db)
      }
      let new = try removals.filter { try note($0.bytes, db) }
      guard !new.isEmpty else { return 0 }
      let documents = try wait(for: new, db)
      let origin = CommittedChange.Origin(
        stream: device.stream, sequence: nil,
        collections: Set(documents.map(\.key.collection)).sorted(), documents: documents,
        isComplete: true)
      try ChangeLog.append([origin], db)
      let released = try PendingRemovals.release(db, now: now, nonce: nonce, identity: identity)
      if released.transactions > 0 { try Outbox.fixBatches(db) }
      return new.count
    }
  }

  /// - returns: whether it was not noted before.
  private func note(_ removal: [UInt8], _ db: Database) throws -> Bool {
    try db.run("INSERT OR IGNORE INTO taken_removals VALUES (?)", [Data(removal)])
    return db.changesCount > 0
  }

  private func wait(
    for removals: [WaitingRemoval], _ db: Database
  ) throws -> [ImportedPart.Document] {
    var streams = try StreamDirectory(db)
    var table = try DocumentTable(db)
    let byDocument = Dictionary(grouping: removals, by: \.key)
    return try byDocument.sorted(by: { $0.key < $1.key }).map { key, waiting in
      var state = try table.state(of: key, streams: streams)
      let new = waiting.map(\.removal).filter { !state.pending.contains($0) }
      state.pending += new
      let isVisible = try table.save(state, of: key) { try streams.number(of: $0, db) }
      return ImportedPart.Document(
        key: key, isDeleted: !isVisible, paths: new.map(\.path).sorted())
    }
  }
}

extension StoreDatabase.WaitingRemoval {
  /// What it is, whatever numbers a database gives to streams.
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBlock(key.collection.bytes)
    bytes.appendBlock(key.id.bytes)
    bytes.appendBlock(removal.path.bytes)
    bytes.appendVarint(UInt64(removal.kind.code))
    bytes += removal.insert.stream.bytes
    bytes.appendVarint(removal.insert.sequence)
    bytes.appendVarint(UInt64(removal.insert.index))
    for entry in removal.seen.entries {
      bytes += entry.stream.bytes
      bytes.appendVarint(entry.sequence)
      bytes += entry.fingerprint.bytes
    }
    return bytes
  }
}
