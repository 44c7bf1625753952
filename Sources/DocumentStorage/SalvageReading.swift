import Foundation
import GRDB
import Replication
import SegmentFormat

// What can be read of a database part of which is damaged: each part by itself, and with nothing
// but what it says itself and the numbers of streams. Nothing is written.
extension StoreDatabase {
  /// What a database answers for of a stream.
  package struct KeptStream: Sendable, Equatable {
    package let stream: StreamID
    /// Whether it is or was this device's.
    package let isOwn: Bool
    /// Since when its device is known never to come back, in milliseconds since 1970.
    package let retiredAt: Int64?
    /// Up to where the user has given up what is missing of it; 0 if nothing is.
    package let givenUp: UInt64
  }

  package func knownStreams() throws -> [KeptStream] {
    try read { db in
      let sql = "SELECT stream, own, retired_at, given_up FROM streams ORDER BY id"
      return try Row.fetchAll(db.prepared(sql)).map { row in
        KeptStream(
          stream: try StreamID(column: row[0]), isOwn: row[1], retiredAt: row[2],
          givenUp: UInt64(row[3] as Int64))
      }
    }
  }

  /// Local transactions that wait to be published in one file.
  package struct WaitingBatch: Sendable {
    let stream: Int64
    let first: Int64
    let last: Int64
    let name: String?

    /// Their sequences in the stream.
    package var sequences: ClosedRange<UInt64> { UInt64(first)...UInt64(last) }
  }

  /// What waits to be published, of present and former streams.
  ///
  /// Borders that are not fixed yet are the ones that publishing would fix.
  package func waitingBatches() throws -> [WaitingBatch] {
    try read { db in
      let rows = try Row.fetchAll(db.prepared("SELECT * FROM batches ORDER BY stream, first"))
      let fixed = rows.map { row in
        WaitingBatch(
          stream: row["stream"], first: row["first"], last: row["last"], name: row["device_name"])
      }
      let device = try Row.fetchOne(db.prepared("SELECT stream, name FROM device"))
      guard let device else { return fixed }
      return fixed
        + (try Outbox.openBorders(db).map { border in
          WaitingBatch(
            stream: device[0], first: border.first, last: border.last, name: device[1])
        })
    }
  }

  package func segment(of batch: WaitingBatch) throws -> Segment {
    try read { db in
      try Outbox.segment(
        of: batch.stream, first: batch.first, last: batch.last, name: batch.name,
        streams: StreamDirectory(numbers: db), db
      ).segment
    }
  }

  /// One transaction of a batch as a segment of its own, which needs no other; nil if it is not
  /// there.
  package func segment(of batch: WaitingBatch, at sequence: UInt64) throws -> Segment? {
    try read { db in
      let sql = "SELECT content FROM outbox WHERE stream = ? AND sequence = ?"
      let content = try Data.fetchOne(
        db.prepared(sql), arguments: [batch.stream, Int64(sequence)])
      return try content.map { content in
        let stored = try SegmentFile.decode([UInt8](content)).segment
        return Segment(
          range: stored.range, attributes: batch.name.map { [.deviceName($0)] } ?? [],
          transactions: stored.transactions)
      }
    }
  }

  /// The last row of the archive, for whoever tries all of them.
  package func archiveEnd() throws -> Int64 {
    try read { db in try Int64.fetchOne(db.prepared("SELECT max(id) FROM archive")) ?? 0 }
  }

  /// The content of a file in the archive by its row; nil if there is none.
  package func archivedBytes(row: Int64) throws -> [UInt8]? {
    try read { db in
      let sql = "SELECT content FROM archive WHERE id = ?"
      return try Data.fetchOne(db.prepared(sql), arguments: [row]).map { [UInt8]($0) }
    }
  }

  /// The documents some of whose local removals wait.
  package func documentsWithRemovals() throws -> [DocumentKey] {
    try read { db in try DocumentTable(db).waiting() }
  }

  /// The removals of a document that wait; they are in no transaction yet.
  package func waitingRemovals(of key: DocumentKey) throws -> [WaitingRemoval] {
    try read { db in
      try DocumentTable(db).state(of: key, streams: StreamDirectory(numbers: db)).pending
        .map { WaitingRemoval(key: key, removal: $0) }
    }
  }
}
