import Foundation
import GRDB
import Replication
import SegmentFormat

/// A segment that holds what one or several of a stream held, less what is dead.
package struct JoinedSegment: Sendable {
  package let range: Segment.Range
  package let file: SegmentFile.Encoded
  /// The fingerprint of its last transaction.
  package let fingerprint: Fingerprint
  /// How often its transactions have been written into a larger file.
  package let level: Int
  /// What it says of what was dropped from it, now or before; nil if nothing was.
  package let statement: DropStatement?

  package init(
    range: Segment.Range, file: SegmentFile.Encoded, fingerprint: Fingerprint, level: Int,
    statement: DropStatement?
  ) {
    self.statement = statement
    self.range = range
    self.file = file
    self.fingerprint = fingerprint
    self.level = level
  }
}

/// A stream that this device may write anew.
package struct CompactableStream: Sendable {
  package let stream: StreamID
  /// Whether it is judged by fingerprint: then the borders of two files do not tell whether one
  /// holds what the other does.
  package let isBranching: Bool
  /// Whether it goes on in two ways; else it is judged so since something of it was given up.
  package let isForked: Bool
  /// Whether a statement of it waits to be heeded: what nobody states of it may be joined.
  package let isWaiting: Bool
  /// Whether what is dead of it may be dropped.
  package var mayDrop: Bool { !isBranching && !isWaiting }

  /// Those of its segments that may be written anew.
  ///
  /// While a statement waits, nothing is stated: it would wait for that one, wherever that waits.
  package func writable(of archived: [ArchivedSegment]) -> [ArchivedSegment] {
    guard !isBranching else { return [] }
    guard isWaiting else { return archived }
    let stated = archived.filter(\.isReduced).map(\.sequences)
    return archived.filter { segment in !stated.contains { $0.overlaps(segment.sequences) } }
  }
}

// Segments that are written as one (protocol.md 22, 23).
extension StoreDatabase {
  /// The streams of this device, present and former, and of those that never come back (protocol.md
  /// 28), that are kept whole.
  package func compactableStreams() throws -> [CompactableStream] {
    try read { db in
      let streams = try streams(db)
      let incomplete = try Set(
        Int64.fetchAll(db.prepared("SELECT stream FROM unarchived")))
      let waiting = try Set(
        Int64.fetchAll(
          db.prepared(
            "SELECT stream FROM statements JOIN archive ON archive.id = segment WHERE progress <> ?"
          ), arguments: [StatementTable.Progress.heeded.rawValue]))
      return streams.all.filter { row in
        (row.isOwn || row.retiredAt != nil) && !incomplete.contains(row.number)
      }.compactMap { row in
        streams.frontier.lineage.streams[row.stream].map { known in
          CompactableStream(
            stream: row.stream, isBranching: known.isBranching, isForked: known.isForked,
            isWaiting: waiting.contains(row.number))
        }
      }
    }
  }

  /// The names that this database knows among some of a stream's, and the fingerprints of the last
  /// transactions of their segments.
  package func segmentEnds(
    of stream: StreamID, among names: [ImportedNames.Name]
  ) throws -> [ImportedNames.Name: Fingerprint] {
    let known = try segmentNames(of: stream, among: names)
    guard !known.isEmpty else { return [:] }
    return try read { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT fingerprint FROM segments WHERE stream = (SELECT id FROM streams WHERE stream = ?)
            AND first = ? AND last = ? AND digest = ?
          """)
      var ends: [ImportedNames.Name: Fingerprint] = [:]
      for name in known {
        let end = try Data.fetchOne(
          statement,
          arguments: [
            stream.databaseBytes, Int64(name.first), Int64(name.last),
            Int64(bitPattern: name.digest),
          ])
        ends[name] = try end.map { try Fingerprint(column: $0) }
      }
      return ends
    }
  }

  /// Where a stream stood before a segment, completely; nil if what led up to it is not kept.
  package func position(before range: Segment.Range) throws -> StreamPosition? {
    try read { db in try SegmentReplay.position(at: range.predecessor, streams(db), db) }
  }

  /// Puts a segment into the archive in the place of those that it was made of; beside them, where
  /// it lacks something that they have: they go as that is heeded.
  ///
  /// From then on it is what the folder has to have: ``SegmentArchive``. The others' names are
  /// kept, for their files are still there.
  ///
  /// - parameter now: in milliseconds since 1970.
  /// - returns: false, with nothing changed, if another process has joined any of them meanwhile,
  ///   or the stream branches by now.
  package func replaceArchived(
    _ parts: [ArchivedSegment], by joined: JoinedSegment, now: Int64
  ) throws -> Bool {
    defer { countStreamChange() }
    return try write { db in
      var streams = try readCache.streams(db, isWriting: true)
      guard let row = streams.row(of: joined.range.stream),
        streams.frontier.lineage.streams[row.stream]?.isBranching == false,
        try mayReplace(joined, row, db),
        try parts.allSatisfy({ try SegmentArchive.has($0, db) })
      else { return false }
      try SegmentRecords.note(
        joined.range, digest: joined.file.digest, hasOwnName: false,
        fingerprint: joined.fingerprint, stream: row.number, db)
      try SegmentArchive.store(
        joined.file.bytes, of: joined.range, digest: joined.file.digest,
        fingerprint: joined.fingerprint, stream: row.number, db)
      if let statement = joined.statement {
        let isNew = try StatementTable.note(
          statement, of: joined.range, digest: joined.file.digest, &streams, db)
        // It is made again of what came after it was heeded, and of which nobody else lets go.
        if !isNew {
          try StatementTable.lookAgain(
            at: joined.range, digest: joined.file.digest, stream: row.number, db)
        }
      } else {
        try SegmentArchive.remove(
          Self.replaced(parts, by: joined, row, db), stream: row.number, db)
      }
      try SegmentArchive.noteJoined(
        joined.range, digest: joined.file.digest, level: joined.level, now: now,
        stream: row.number, db)
      return true
    }
  }

  /// Whether no statement stands against it: one may have come since it was looked at what there
  /// is.
  private func mayReplace(
    _ joined: JoinedSegment, _ row: StreamDirectory.Row, _ db: Database
  ) throws -> Bool {
    guard try StatementTable.hasOpen(of: row.number, db) else {
      // One that is made again could come to wait for another's, wherever that waits.
      return try joined.statement == nil
        || !StatementTable.isAnyWaiting(
          beside: joined.range, digest: joined.file.digest, stream: row.number, db)
    }
    let sequences = joined.range.first...joined.range.last
    return try joined.statement == nil
      && !StatementTable.tells(ofAny: sequences, stream: row.number, db)
  }

  /// What is kept that a joined segment holds, too: what it was made of, and what lies beside that.
  private static func replaced(
    _ parts: [ArchivedSegment], by joined: JoinedSegment, _ row: StreamDirectory.Row,
    _ db: Database
  ) throws -> [SegmentArchive.Part] {
    let kept = try SegmentArchive.parts(of: joined.range, tips: nil, stream: row.number, db)
    guard kept.count > parts.count, let name = row.learntName,
      try !name.isTold(by: SegmentFile.decode(joined.file.bytes).segment)
    else { return kept }
    return try SegmentArchive.parts(kept, notTelling: name, db)
  }

  /// Notes that a joined segment's file stands in the folder under the name that it gives itself.
  package func noteNamed(_ joined: JoinedSegment) throws {
    defer { countStreamChange() }
    try write { db in
      let streams = try readCache.streams(db, isWriting: true)
      guard let row = streams.row(of: joined.range.stream) else { return }
      try SegmentRecords.note(
        joined.range, digest: joined.file.digest, hasOwnName: true,
        fingerprint: joined.fingerprint, stream: row.number, db)
    }
  }

  /// Notes that segments are not to be joined: from now on they count as if they had been just now,
  /// so that what is dead of them is looked for in time.
  ///
  /// - parameter now: in milliseconds since 1970.
  package func noteLarge(_ segments: [ArchivedSegment], now: Int64) throws {
    guard !segments.isEmpty else { return }
    try write { db in
      let streams = try readCache.streams(db, isWriting: true)
      for segment in segments where try SegmentArchive.has(segment, db) {
        guard let row = streams.row(of: segment.stream) else { continue }
        let range = (Int64(segment.first), Int64(segment.last))
        try SegmentArchive.noteJoinedUnlessNoted(
          range, digest: segment.digest, now: now, stream: row.number, db)
      }
    }
  }

  /// Takes for happened now what is noted for a time that is still to come, by a clock that was
  /// ahead: what was joined, found dead or let go, and when something arrived of a stream, or its
  /// device was said to be gone.
  package func clampTimes(to now: Int64) throws {
    let times = [
      ("joined", "joined_at"), ("dead", "found_at"), ("streams", "arrived_at"),
      ("streams", "retired_at"), ("spent", "spent_at"),
    ]
    let ahead = try read { db in
      try times.filter { table, column in
        try Bool.fetchOne(
          db.prepared("SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(column) > ?)"),
          arguments: [now]) ?? false
      }
    }
    guard !ahead.isEmpty else { return }
    try write { db in
      try StreamDirectory.clampTimes(to: now, db)
      for (table, column) in ahead where table != "streams" {
        try db.run("UPDATE \(table) SET \(column) = ?1 WHERE \(column) > ?1", [now])
      }
    }
  }

  /// Up to where some other device says that it has a stream; 0 if none does, or the stream
  /// branches, so that the number does not tell.
  ///
  /// What it says it has seen, it has applied and keeps, in its own database; of one that never
  /// comes back, or has not been heard of for long, nobody knows where that is.
  ///
  /// - parameter horizon: who counts is one of which something new arrived here after that, in
  ///   milliseconds since 1970.
  package func heldByAnother(_ stream: StreamID, liveSince horizon: Int64) throws -> UInt64 {
    try read { db in
      let streams = try streams(db)
      guard streams.frontier.lineage.streams[stream]?.isBranching == false else { return 0 }
      let sql = "SELECT id FROM streams WHERE retired_at IS NULL AND arrived_at >= ?"
      let live = try Set(Int64.fetchAll(db.prepared(sql), arguments: [horizon]))
      return streams.all.filter { !$0.isOwn && live.contains($0.number) }.flatMap(\.positions)
        .map { $0.context.sequence(of: stream) }.max() ?? 0
    }
  }
}

extension SegmentArchive {
  /// A file that is kept, by its number, and its borders.
  typealias Part = (id: Int64, first: Int64, last: Int64)

  /// What is kept of that which a segment holds, in smaller files; none from which something was
  /// dropped, which the segment may have.
  ///
  /// - parameter tips: the fingerprints of the segment's transactions, which fix all that stands
  ///   before each; nil where the stream has one line, so that borders tell.
  static func parts(
    of range: Segment.Range, tips: [Fingerprint]?, stream: Int64, _ db: Database
  ) throws -> [Part] {
    // Another file with the same borders is as good, and as many.
    guard range.first < range.last else { return [] }
    let rows = try Row.fetchAll(
      db.prepared(
        """
        SELECT id, first, last, fingerprint FROM archive
        WHERE stream = ?1 AND first BETWEEN ?2 AND ?3 AND last <= ?3
          AND (first > ?2 OR last < ?3)
          AND id NOT IN (SELECT segment FROM statements)
        """),
      arguments: [stream, Int64(range.first), Int64(range.last)])
    return try rows.compactMap { row in
      let part: Part = (try row.value(0), try row.value(1), try row.value(2))
      guard let tips else { return part }
      let index = Int(part.last) - Int(range.first)
      let end = try Fingerprint(column: row.value(3) as Data)
      return tips.indices.contains(index) && tips[index] == end ? part : nil
    }
  }

  /// Less what tells a device's name.
  ///
  /// Two copies of a device may write the same transactions, and one be called something else by
  /// then: where the larger file is the other's, the name is in the smaller one alone.
  static func parts(
    _ parts: [Part], notTelling name: LearntName, _ db: Database
  ) throws -> [Part] {
    try parts.filter { part in
      do {
        guard let kept = try segment(part.id, db) else { return true }
        return !name.isTold(by: kept.segment)
      } catch is SegmentError {
        // What has rotted tells nothing.
        return true
      }
    }
  }

  /// Removes what a segment that is kept holds, too.
  ///
  /// So whoever puts back what the folder loses does not put back what was taken out of it on
  /// purpose.
  static func remove(_ parts: [Part], stream: Int64, _ db: Database) throws {
    for part in parts {
      try db.run("DELETE FROM archive WHERE id = ?", [part.id])
      // Another with these borders may be kept, and has been joined as often.
      try db.run(
        """
        DELETE FROM joined WHERE stream = ?1 AND first = ?2 AND last = ?3 AND NOT EXISTS (
          SELECT 1 FROM archive WHERE archive.stream = ?1 AND archive.first = ?2
            AND archive.last = ?3 AND archive.digest = joined.digest)
        """, [stream, part.first, part.last])
    }
  }

  /// Notes that a kept segment took the place of others now.
  ///
  /// - parameter level: how often its transactions have been written into a larger file here.
  static func noteJoined(
    _ range: Segment.Range, digest: UInt64, level: Int, now: Int64, stream: Int64, _ db: Database
  ) throws {
    try db.run(
      "INSERT OR REPLACE INTO joined VALUES (?, ?, ?, ?, ?, ?)",
      [
        stream, Int64(range.first), Int64(range.last), Int64(bitPattern: digest), level, now,
      ])
  }

  /// Notes that a kept segment took the place of others now that never were written into a larger
  /// file here; what was noted of it before stays.
  static func noteJoinedUnlessNoted(
    _ borders: (first: Int64, last: Int64), digest: UInt64, now: Int64, stream: Int64,
    _ db: Database
  ) throws {
    try db.run(
      "INSERT OR IGNORE INTO joined VALUES (?, ?, ?, ?, 0, ?)",
      [stream, borders.first, borders.last, Int64(bitPattern: digest), now])
  }
}
