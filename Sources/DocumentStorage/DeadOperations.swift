import Foundation
import GRDB
import Replication
import SegmentFormat

/// What is dead of a kept segment, as far as it was found out (protocol.md 21).
package struct DeadOperations: Sendable, Equatable {
  /// What the documents tell of an operation.
  enum Fate {
    case needed
    /// It is kept no more: what a write covers never comes back.
    case gone
    /// It is kept under a delete; an edit that its author had not seen brings it back.
    case deleted
  }

  /// A bit for each operation of the segment, in its order, the lowest of a byte first.
  ///
  /// It tells those that are dead; and as many bits behind them those of these that are kept under
  /// a delete, where no older program has noted it.
  private let bits: [UInt8]
  /// How many are dead, and how many there are.
  package let count: Int
  package let total: Int
  /// When that was found, in milliseconds since 1970.
  package let foundAt: Int64
  /// What had been applied then, without fingerprints: what covers them is in that.
  package let covered: Context
  /// The greatest stamp that had been applied then.
  package let clock: HybridTime
  /// How many were dead when it did not pay to write the segment anew for them; 0 if it was not
  /// tried.
  package let unpaid: Int

  init(_ fates: [Fate], foundAt: Int64, covered: Context, clock: HybridTime) {
    self.clock = clock
    unpaid = 0
    func packed(_ isSet: (Fate) -> Bool) -> [UInt8] {
      var bits = Array(repeating: UInt8(0), count: (fates.count + 7) / 8)
      for index in fates.indices where isSet(fates[index]) {
        bits[index / 8] |= UInt8(1) << (index % 8)
      }
      return bits
    }
    bits = packed { $0 != .needed } + packed { $0 == .deleted }
    count = fates.count { $0 != .needed }
    total = fates.count
    self.foundAt = foundAt
    self.covered = covered
  }

  init(_ row: Row, _ streams: StreamDirectory) throws {
    bits = try [UInt8](row.value(0) as Data)
    count = try row.value(1)
    total = try row.value(2)
    foundAt = try row.value(3)
    covered = try ContextCoding.decode([UInt8](row.value(4) as Data), streams: streams)
    clock = HybridTime(rawValue: UInt64(bitPattern: try row.value(5) as Int64))
    unpaid = try row.value(6)
    // What is reckoned with them must not end the process.
    guard 0...SegmentFile.maximumBodyBytes ~= total, 0...total ~= count else {
      throw StoredBytes.damage
    }
  }

  /// What was found of one of the segment's operations, by its place in their order; nil if that
  /// was not noted.
  func fate(_ index: Int) -> Fate? {
    guard isSet(index, behind: 0) else { return .needed }
    let half = (total + 7) / 8
    guard bits.count == 2 * half else { return nil }
    return isSet(index, behind: half) ? .deleted : .gone
  }

  private func isSet(_ index: Int, behind start: Int) -> Bool {
    let place = start + index / 8
    guard index < total, bits.indices.contains(place) else { return false }
    return bits[place] & UInt8(1) << (index % 8) != 0
  }

  var stored: Data { Data(bits) }
}

extension StoreDatabase {
  /// What a segment says of what is dropped from it now; nil if nothing may be said: something was
  /// given up, which its readers may have; or it would name more streams than older ones take.
  ///
  /// - parameter historyStart: see ``DropStatement/historyStart``.
  package func statement(historyStart: HybridTime) throws -> DropStatement? {
    try read { db in
      let streams = try streams(db)
      guard streams.frontier.givenUp.isEmpty,
        let published = try streams.published(db),
        published.entries.count <= SegmentFile.writtenContextEntries
      else { return nil }
      return DropStatement(applied: published, historyStart: historyStart)
    }
  }

  /// Whether something that was missing was given up here.
  package func hasGivenUp() throws -> Bool {
    try read { db in try !streams(db).frontier.givenUp.isEmpty }
  }

  /// What is known to be dead of a segment; nil if nobody has looked.
  package func deadOperations(of segment: ArchivedSegment) throws -> DeadOperations? {
    try read { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT operations, count, total, found_at, covered, clock, unpaid FROM dead
          WHERE segment = (SELECT id FROM archive WHERE \(SegmentArchive.key))
          """)
      return try Row.fetchOne(statement, arguments: SegmentArchive.arguments(of: segment))
        .map { try DeadOperations($0, streams(db)) }
    }
  }

  /// When it was looked last what is dead of a stream's segments, by their digests, in milliseconds
  /// since 1970.
  package func looksForDead(in stream: StreamID) throws -> [UInt64: Int64] {
    try read { db in
      let sql = """
        SELECT digest, found_at FROM dead JOIN archive ON archive.id = segment
        WHERE stream = (SELECT id FROM streams WHERE stream = ?)
        """
      let rows = try Row.fetchAll(db.prepared(sql), arguments: [stream.databaseBytes])
      return try rows.reduce(into: [:]) { times, row in
        times[UInt64(bitPattern: try row.value(0))] = try row.value(1) as Int64
      }
    }
  }

  /// Finds out which operations of a segment of this device are dead; notes them.
  ///
  /// - parameter now: in milliseconds since 1970.
  /// - returns: as ``lookForDead(in:now:)``; what is nil is not noted.
  @discardableResult
  package func findDead(in segment: ArchivedSegment, now: Int64) throws -> DeadOperations? {
    // What is dead stays so: it may be noted after it was found.
    let found = try lookForDead(in: segment, now: now)
    guard let found else { return nil }
    try write { db in
      var streams = try readCache.streams(db, isWriting: true)
      let covered = try ContextCoding.encode(found.covered) { try streams.number(of: $0, db) }
      let values: StatementArguments = [
        found.stored, found.count, found.total, found.foundAt, Data(covered),
        Int64(bitPattern: found.clock.rawValue),
      ]
      try db.run(
        """
        INSERT OR REPLACE INTO dead(
          segment, operations, count, total, found_at, covered, clock, unpaid)
          SELECT archive.id, ?, ?, ?, ?, ?, ?, iif(dead.unpaid <= ?, dead.unpaid, 0)
          FROM archive LEFT JOIN dead ON dead.segment = archive.id WHERE \(SegmentArchive.key)
        """, values + [found.count] + SegmentArchive.arguments(of: segment))
    }
    return found
  }

  /// Notes that it does not pay to write a segment anew for so many operations that are dead of it,
  /// so that it is not tried again before there are more.
  package func noteUnpaid(_ segment: ArchivedSegment, dropping count: Int) throws {
    try write { db in
      try db.run(
        """
        UPDATE dead SET unpaid = ?
        WHERE segment = (SELECT id FROM archive WHERE \(SegmentArchive.key))
        """, [count] + SegmentArchive.arguments(of: segment))
    }
  }

  /// Finds out which operations of a segment of this device are dead, and notes nothing.
  ///
  /// What a write covers has left the documents; so whatever is not there is dead (12, 21 a). Of
  /// what is there, the document tells what deletes have made so (``DocumentState/dead``).
  ///
  /// - parameter now: in milliseconds since 1970.
  /// - returns: nil if that cannot be told now: something that is applied may not be claimed yet,
  ///   or was given up, or the stream branches.
  package func lookForDead(in segment: ArchivedSegment, now: Int64) throws -> DeadOperations? {
    let bytes = try read { db in
      try streams(db).isSettled(segment.stream) ? SegmentArchive.bytes(of: segment, db) : nil
    }
    guard let bytes else { return nil }
    let fates = try fates(in: SegmentFile.decode(bytes).segment)
    return try read { db -> DeadOperations? in
      // Behind that: what covers them had been applied by then.
      let streams = try streams(db)
      guard streams.isSettled(segment.stream) else { return nil }
      return DeadOperations(
        fates, foundAt: now, covered: streams.written, clock: try DeviceRecord.clock(db, streams))
    }
  }

  /// Those of the operations that were found dead in a segment which are so still, and for the same
  /// reason.
  ///
  /// An edit that came since may have undone a delete, and a write or another delete have covered
  /// what showed then: nobody has said yet that they have that, and somebody may want to undo it.
  package func confirmed(
    _ found: DeadOperations, in segment: Segment
  ) throws -> Set<Dot> {
    let fates = try fates(in: segment, since: found.covered)
    let dots = segment.dots
    return Set(
      fates.indices.filter { fates[$0] != .needed && fates[$0] == found.fate($0) }
        .map { dots[$0] })
  }

  /// What becomes of each operation of a segment, in its order: looked up in turns as short as
  /// `documents` says, for others in this process wait for each.
  ///
  /// - parameter covered: What had been applied when that was found before: where something has
  ///   come to a document since, what is kept of it counts as needed.
  private func fates(
    in segment: Segment, since covered: Context? = nil, documents: Int = 128
  ) throws -> [DeadOperations.Fate] {
    var search = DeadOperationSearch(segment, since: covered)
    while !search.isDone {
      try read { db in try search.lookUp(documents, streams: streams(db), db) }
    }
    return search.fates
  }

  /// Whether all that this device wrote of `covered` is in the folder, and every other device that
  /// is live says that it has all of it.
  ///
  /// - parameter horizon: live is one of which something new arrived here after that, in
  ///   milliseconds since 1970.
  package func isClaimedByAll(_ covered: Context, liveSince horizon: Int64) throws -> Bool {
    let lack = try whatLacks(covered, liveSince: horizon)
    return lack.isPublished && lack.streams.isEmpty
  }

  /// What keeps ``isClaimedByAll(_:liveSince:)`` from being so: whether all that this device wrote
  /// of `covered` is in the folder, and the streams of those who do not say that they have it.
  package func whatLacks(
    _ covered: Context, liveSince horizon: Int64
  ) throws -> (isPublished: Bool, streams: [StreamID]) {
    try read { db in
      let live = try Set(
        Int64.fetchAll(
          db.prepared(
            """
            SELECT id FROM streams
            WHERE coalesce(arrived_at, iif(own = 1, NULL, ?1)) >= ?1
              AND (retired_at IS NULL OR arrived_at > retired_at)
            """),
          arguments: [horizon]))
      let streams = try streams(db)
      let own = try DeviceRecord.fetch(db)?.stream
      let unpublished = try Row.fetchAll(
        db.prepared("SELECT stream, min(sequence) FROM outbox GROUP BY stream"))
      let isPublished = try unpublished.allSatisfy { row in
        covered.sequence(of: try streams.stream(number: row.value(0))) < (try row.number(1))
      }
      let lacking = streams.all.filter { row in
        // Of a former stream something arrives as long as a copy of this device writes it.
        row.stream != own && live.contains(row.number)
          && !row.positions.allSatisfy { streams.claims($0, of: row.stream, covered) }
      }
      return (isPublished, lacking.map(\.stream))
    }
  }
}

extension StreamDirectory {
  /// Whether all that is applied may be claimed, and it can be told what is of this stream.
  fileprivate func isSettled(_ stream: StreamID) -> Bool {
    frontier.open.isEmpty && frontier.givenUp.isEmpty
      && frontier.lineage.streams[stream]?.isBranching == false
  }

  /// All that is applied and is in some folder: with what only this database has, its statement
  /// would wait for ever on all other devices, if it were lost.
  ///
  /// - returns: nil if it cannot be told how far that is.
  fileprivate func published(_ db: Database) throws -> Context? {
    let waiting = try GRDB.Row.fetchAll(
      db.prepared("SELECT stream, min(sequence) FROM outbox GROUP BY stream"))
    var applied = frontier.applied
    for row in waiting {
      let stream = try stream(number: row.value(0))
      guard frontier.lineage.streams[stream]?.isBranching == false else { return nil }
      let sequence: UInt64 = try row.number(1)
      applied = applied.without(stream)
      guard sequence > 1 else { continue }
      let end = try GRDB.Row.fetchOne(
        db.prepared(
          "SELECT fingerprint FROM archive WHERE stream = ? AND last = ? ORDER BY id LIMIT 1"),
        arguments: [row.value(0) as Int64, Int64(sequence) - 1])
      guard let end else { return nil }
      applied.advance(
        Context.Entry(
          stream: stream, sequence: sequence - 1,
          fingerprint: try Fingerprint(column: end.value(0))))
    }
    return applied
  }

  /// All that is applied; of a stream with one branch without fingerprint, and up to its last
  /// transaction with operations: one without is never claimed for its own sake, so that devices
  /// which have nothing to say end to speak (protocol.md 19).
  var written: Context {
    Context(
      all.flatMap { row -> [Context.Entry] in
        let tips = frontier.applied.entries(of: row.stream)
        guard frontier.lineage.streams[row.stream]?.isBranching == false else { return Array(tips) }
        return tips.map { tip in
          Context.Entry(
            stream: tip.stream, sequence: row.written ?? tip.sequence, fingerprint: .origin)
        }
      })
  }

  /// Whether an operation was among those that ``written`` had.
  fileprivate func had(_ stamp: Stamp, in written: Context) -> Bool {
    let dot = stamp.dot
    guard frontier.lineage.streams[dot.stream]?.isBranching == true else {
      return written.contains(stream: dot.stream, sequence: dot.sequence)
    }
    let entry = Context.Entry(
      stream: dot.stream, sequence: dot.sequence, fingerprint: stamp.fingerprint)
    return frontier.lineage.isCovered(Context([entry]), by: written)
  }

  /// Whether the author of where a line of a stream stands had seen all of a context by then.
  func claims(
    _ position: StreamPosition, of stream: StreamID, _ covered: Context
  ) -> Bool {
    let tip = Context.Entry(
      stream: stream, sequence: position.sequence, fingerprint: position.fingerprint)
    let seen = Context(position.context.entries + [tip])
    return covered.entries.allSatisfy { entry in
      guard entry.fingerprint != .origin else {
        return seen.contains(stream: entry.stream, sequence: entry.sequence)
      }
      return frontier.lineage.isCovered(Context([entry]), by: seen)
    }
  }
}

/// Looks a segment's operations up in the documents, each document once.
private struct DeadOperationSearch {
  /// What becomes of each operation, in the segment's order.
  private(set) var fates: [DeadOperations.Fate] = []
  private let stream: StreamID
  private let covered: Context?
  /// Of the documents that are still to be looked at, the operations.
  private var places: [(key: DocumentKey, operations: [(index: Int, dot: Dot)])]

  init(_ segment: Segment, since covered: Context?) {
    stream = segment.range.stream
    self.covered = covered
    var places: [DocumentKey: [(index: Int, dot: Dot)]] = [:]
    let dots = segment.dots
    for operation in segment.transactions.lazy.flatMap(\.operations) {
      // What is not understood may mean more than it covers (protocol.md 17).
      if operation.kind.isUnderstood {
        places[operation.document, default: []].append((fates.count, dots[fates.count]))
      }
      fates.append(.needed)
    }
    self.places = places.map { place in (key: place.key, operations: place.value) }
  }

  var isDone: Bool { places.isEmpty }

  mutating func lookUp(_ count: Int, streams: StreamDirectory, _ db: Database) throws {
    let table = try DocumentTable(db)
    for (key, operations) in places.suffix(count) {
      let state = try table.state(of: key, streams: streams)
      let dead = isChanged(state, streams) ? [] : state.dead
      let kept = state.entries.map(\.stamp).filter { $0.dot.stream == stream }
      let needed = Set(kept.filter { !dead.contains($0) }.map(\.dot))
      let deleted = Set(kept.map(\.dot)).subtracting(needed)
      for (index, dot) in operations where !needed.contains(dot) {
        fates[index] = deleted.contains(dot) ? .deleted : .gone
      }
    }
    places.removeLast(min(count, places.count))
  }

  /// Whether a document has something that had not been applied then.
  private func isChanged(_ state: DocumentState, _ streams: StreamDirectory) -> Bool {
    guard let covered else { return false }
    return !state.entries.allSatisfy { streams.had($0.stamp, in: covered) }
  }
}
