import Foundation
import GRDB
import Replication
import SegmentFormat

/// A stream of which something is missing that others are known to have seen.
package struct MissingPart: Sendable, Equatable {
  package let stream: StreamID
  /// The last transaction of it that somebody has seen.
  package let last: UInt64
  /// The devices whose writes may not be claimed as seen until it is here, sorted.
  package var waiting: [StreamID]
  /// The documents whose removals here wait for it.
  package var removals: [DocumentKey]
  /// The devices of which it is not known before that what they have dropped is dead, sorted.
  package var statements: [StreamID]
}

// What the user has given up waiting for (protocol.md 6).
extension StoreDatabase {
  /// What others have seen, or had applied when they dropped something, and is neither here nor
  /// given up; sorted by stream.
  ///
  /// Not what is missing before segments in the folder: those say so themselves.
  package func missingParts() throws -> [MissingPart] {
    try read { db in
      let streams = try streams(db)
      let frontier = streams.frontier
      var ends: [StreamID: UInt64] = [:]
      for entry in frontier.missing.entries {
        ends[entry.stream] = max(ends[entry.stream] ?? 0, entry.sequence)
      }
      var removals: [StreamID: [DocumentKey]] = [:]
      ends.merge(frontier.missingInserts, uniquingKeysWith: max)
      let waiting = try DocumentTable.waiting(db)
      let table = try waiting.isEmpty ? nil : DocumentTable(db)
      for key in waiting {
        let pending = try table?.state(of: key, streams: streams).pending ?? []
        let seen = pending.flatMap(\.seen.entries)
        let missing = seen.filter { frontier.isMissing($0) }
        for entry in missing {
          ends[entry.stream] = max(ends[entry.stream] ?? 0, entry.sequence)
        }
        for stream in Set(missing.map(\.stream)) { removals[stream, default: []].append(key) }
      }
      var statements: [StreamID: Set<StreamID>] = [:]
      for (author, absent) in try StatementTable.waiting(streams, db) {
        for entry in absent where frontier.isMissing(entry) {
          ends[entry.stream] = max(ends[entry.stream] ?? 0, entry.sequence)
          statements[entry.stream, default: []].insert(author)
        }
      }
      return ends.sorted { $0.key < $1.key }.map { stream, last in
        MissingPart(
          stream: stream, last: last, waiting: frontier.waiting(for: stream).sorted(),
          removals: removals[stream] ?? [], statements: (statements[stream] ?? []).sorted())
      }
    }
  }

  /// Whose statements wait for what was given up, by the streams that were.
  ///
  /// What they have dropped goes on showing here.
  package func statementsGivenUp() throws -> [StreamID: Set<StreamID>] {
    try read { db in
      let streams = try streams(db)
      var authors: [StreamID: Set<StreamID>] = [:]
      for (author, absent) in try StatementTable.waiting(streams, db) {
        for entry in absent where streams.frontier.isGivenUp(entry) {
          authors[entry.stream, default: []].insert(author)
        }
      }
      return authors
    }
  }

  /// Takes what is missing of a stream, up to `sequence`, for something that never comes.
  ///
  /// What waited for it may be claimed as seen from now on, and removals that waited for that are
  /// made into transactions.
  ///
  /// - parameter now: the wall clock.
  /// - returns: how many local transactions were made of removals.
  package func giveUp(
    _ stream: StreamID, upTo sequence: UInt64, now: HybridTime, nonce: UInt64
  ) throws -> Int {
    defer { countStreamChange() }
    return try write { db in
      guard try DeviceRecord.fetch(db)?.leftAt == nil else { throw StorageError.left }
      var streams = try StreamDirectory(db)
      let number = try streams.number(of: stream, db)
      try db.execute(
        sql: """
          UPDATE streams SET given_up = max(given_up, ?), given_up_at = ?, gap_since = NULL
          WHERE id = ?
          """,
        arguments: [Int64(sequence), Int64(now.milliseconds), number])
      try streams.branch(stream, db)
      streams.frontier.giveUp(stream, upTo: sequence)
      // Nothing is judged otherwise by that: marks agree with the sequences judged by so far.
      streams.changed.insert(Lineage.LineID(stream: stream, index: 0))
      streams.rows[stream]?.gapSince = nil
      try streams.save(db)
      let released = try PendingRemovals.release(
        db, now: now, nonce: nonce, identity: identity)
      if released.transactions > 0 { try Outbox.fixBatches(db) }
      return released.transactions
    }
  }
}

extension StreamDirectory {
  /// Where a stream stands just before a segment: what that follows is applied, or is given up.
  func start(of segment: Segment, _ db: Database) throws -> StreamPosition? {
    let before = segment.range.predecessor
    if let held = try position(at: before, db) { return held }
    return frontier.isGivenUp(before) ? segment.startBehindHole() : nil
  }

  func readNames(_ db: Database) throws -> Set<Context.Entry> {
    let rows = try GRDB.Row.fetchAll(db.prepared("SELECT * FROM given_up_names"))
    return try Set(
      rows.map { row in
        Context.Entry(
          stream: try stream(number: row.value("stream")), sequence: try row.number("sequence"),
          fingerprint: try Fingerprint(optionalColumn: row.value("fingerprint")))
      })
  }

  mutating func saveNames(_ db: Database) throws {
    let names = frontier.givenUpNames
    for name in names.symmetricDifference(storedNames) {
      let sql =
        names.contains(name)
        ? "INSERT INTO given_up_names VALUES (?, ?, ?)"
        : "DELETE FROM given_up_names WHERE stream = ? AND sequence = ? AND fingerprint = ?"
      try db.run(
        sql,
        [try number(of: name.stream, db), Int64(name.sequence), name.fingerprint.databaseBytes])
    }
    storedNames = names
  }
}

extension Segment {
  /// Where to read it from if what it follows is missing; nil if it cannot be read without that.
  ///
  /// Its first transaction must not be told as changes to the one before it, and its author must
  /// have seen that one: then its context tells of all that is missing (``Frontier``).
  package func startBehindHole() -> StreamPosition? {
    guard range.first > 1, transactions.first?.leansOnPrevious == false,
      transactions.first?.hasSeenOwn == true
    else { return nil }
    return StreamPosition(
      sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
  }
}
