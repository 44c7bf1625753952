import Foundation
import GRDB
import Replication
import SegmentFormat

/// What a stream is to this device, as `streams.own` has it; 0 is another's.
enum OwnStream {
  /// It writes it, or did.
  static let written = 1
  /// Whoever writes it wrote one of this device's before.
  ///
  /// That is a copy of the device, or the device itself before it was put back to an older state:
  /// then nobody else answers for it.
  static let continued = 2
}

// What this device has written, under whatever stream, and what it answers for.
extension StoreDatabase {
  /// The names of the segments of `stream` whose content is here.
  package func segmentNames(of stream: StreamID) throws -> Set<ImportedNames.Name> {
    try read { db in
      let rows = try Row.fetchCursor(
        db.prepared(
          """
          SELECT first, last, digest FROM segments
          WHERE stream = (SELECT id FROM streams WHERE stream = ?)
          """),
        arguments: [stream.databaseBytes])
      var names: Set<ImportedNames.Name> = []
      while let row = try rows.next() {
        names.insert(
          ImportedNames.Name(
            stream: stream, first: try row.number(0), last: try row.number(1),
            digest: UInt64(bitPattern: try row.value(2))))
      }
      return names
    }
  }

  /// Those of some names of segments of `stream` whose content is here.
  package func segmentNames(
    of stream: StreamID, among names: [ImportedNames.Name]
  ) throws -> Set<ImportedNames.Name> {
    // One scan of all is worth some hundred searches.
    guard names.count <= Self.fewNames else {
      return try segmentNames(of: stream).intersection(names)
    }
    guard !names.isEmpty else { return [] }
    return try read { db in
      let statement = try db.cachedStatement(
        sql: """
          SELECT 1 FROM segments WHERE stream = (SELECT id FROM streams WHERE stream = ?)
            AND first = ? AND last = ? AND digest = ?
          """)
      return try Set(
        names.filter { name in
          // What a file's name claims may be any number.
          guard let first = Int64(exactly: name.first), let last = Int64(exactly: name.last)
          else { return false }
          return try Bool.fetchOne(
            statement,
            arguments: [
              stream.databaseBytes, first, last, Int64(bitPattern: name.digest),
            ]) ?? false
        })
    }
  }

  private static var fewNames: Int { 256 }

  /// Whether every transaction of a segment is applied here; what a process of this device is just
  /// publishing counts as such.
  package func holds(_ segment: Segment) throws -> Bool {
    try read { db in
      let streams = try streams(db)
      let range = segment.range
      guard let number = streams.row(of: range.stream)?.number,
        var start = try streams.position(at: range.predecessor, db)
      else { return false }
      if segment.leansOnPrevious, !start.isComplete {
        guard let complete = try SegmentReplay.position(at: range.predecessor, streams, db) else {
          return try SegmentRecords.isBeingPublished(range, stream: number, db)
        }
        start = complete
      }
      let transactions = (try? segment.transactions(after: start)) ?? []
      // Each of them: behind a hole that was given up, the last tells nothing of those before it.
      return try !transactions.isEmpty
        && transactions.allSatisfy { try streams.holding($0.header.tip, db) == .held }
    }
  }

  /// The streams whose segments this device puts back where the folder has lost them.
  ///
  /// Its own, present and former, those that go on from one of its own, and those of devices that
  /// it was told never come back; its own come first.
  package func keptStreams() throws -> [StreamID] {
    try read { db in
      try Data.fetchAll(
        db.prepared(
          """
          SELECT stream FROM streams WHERE own OR retired_at IS NOT NULL ORDER BY NOT own, stream
          """)
      ).map { try StreamID(column: $0) }
    }
  }

  /// The streams that this device writes, or wrote before, and of which nothing has come since it
  /// was first looked after that it had not written itself.
  ///
  /// Of others a copy of this device may go on writing one, or it may have written it itself before
  /// it was put back to an older state: that cannot be told.
  package func soleStreams() throws -> [StreamID] {
    try read { db in
      try Data.fetchAll(
        db.prepared(
          """
          SELECT stream FROM streams WHERE stream = (SELECT stream FROM device)
            OR own = \(OwnStream.written) AND retired_at IS NULL AND coalesce(arrived_at, 0)
              <= coalesce((SELECT min(at) FROM looks), arrived_at, 0)
          ORDER BY stream
          """)
      ).map { try StreamID(column: $0) }
    }
  }

  /// Of streams that this device does not answer for otherwise, the segments that it has written
  /// whole: each begins a branch where something was dropped that it leaned on.
  ///
  /// Others may have it still as it was, and not what it leaned on; be it who answers for it and
  /// was put back.
  package func completedSegments() throws -> [ArchivedSegment] {
    try read { db in
      let streams = try streams(db)
      return try streams.all.filter { row in
        !row.isOwn && row.retiredAt == nil
          && streams.frontier.lineage.streams[row.stream]?.isBranching == true
      }.flatMap { row in
        try SegmentArchive.list(row.stream, db).filter { segment in
          segment.first == segment.last && segment.joinedAt != nil && !segment.isReduced
        }
      }
    }
  }
}
