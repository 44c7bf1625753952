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
    /// What it is to the device (`OwnStream`).
    let own: Int
    /// Since when its device is known never to come back, in milliseconds since 1970.
    package let retiredAt: Int64?
    /// Whether that is known, and nothing has arrived of it since.
    package let isGone: Bool
    /// How far it was applied.
    let applied: Int64
    /// Up to where the user has given up what is missing of it; 0 if nothing is.
    package let givenUp: UInt64
    /// Whether it is known to have, or to have had, several branches.
    let isForked: Bool
  }

  package func knownStreams() throws -> [KeptStream] {
    try read { db in
      let sql = """
        SELECT stream, own, retired_at, given_up, forked,
          coalesce(retired_at >= coalesce(arrived_at, retired_at), 0), applied
        FROM streams ORDER BY id
        """
      return try Row.fetchAll(db.prepared(sql)).map { row in
        KeptStream(
          stream: try StreamID(column: row.value(0)), own: try row.value(1),
          retiredAt: try row.value(2), isGone: try row.value(5), applied: try row.value(6),
          givenUp: try row.number(3), isForked: try row.value(4))
      }
    }
  }

  /// Local transactions that wait to be published in one file.
  package struct WaitingBatch: Sendable {
    let stream: Int64
    /// Their sequences in the stream.
    package let sequences: ClosedRange<UInt64>
    let introduction: Introduction

    /// - throws: if no device could have made such a batch.
    fileprivate init(
      stream: Int64, first: UInt64, last: UInt64, introduction: Introduction
    ) throws {
      guard first > 0, first <= last, last - first < Outbox.batchTransactions else {
        throw StoredBytes.damage
      }
      self.stream = stream
      sequences = first...last
      self.introduction = introduction
    }

    var first: Int64 { Int64(sequences.lowerBound) }
    var last: Int64 { Int64(sequences.upperBound) }
  }

  /// What waits to be published in files whose borders are fixed, of present and former streams.
  package func fixedBatches() throws -> [WaitingBatch] {
    try read { db in
      try Row.fetchAll(db.prepared("SELECT * FROM batches ORDER BY stream, first")).map { row in
        try WaitingBatch(
          stream: row.value("stream"), first: row.number("first"), last: row.number("last"),
          introduction: Introduction(row))
      }
    }
  }

  /// What waits to be published besides, divided as publishing would divide it.
  package func openBatches() throws -> [WaitingBatch] {
    try read { db in
      let sql = "SELECT stream, name FROM device"
      guard let device = try Row.fetchOne(db.prepared(sql)) else { return [] }
      return try Outbox.openBorders(db).map { border in
        try WaitingBatch(
          stream: device.value(0), first: UInt64(clamping: border.first),
          last: UInt64(clamping: border.last),
          introduction: Introduction(of: device.value(1), from: border.first, db))
      }
    }
  }

  package func segment(of batch: WaitingBatch) throws -> Segment {
    try read { db in
      try Outbox.stored(
        of: batch.stream, first: batch.first, last: batch.last, introduction: batch.introduction,
        streams: StreamDirectory(numbers: db), db
      ).segment().segment
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
          range: stored.range, attributes: batch.introduction.attributes,
          transactions: stored.transactions)
      }
    }
  }

  /// What holds files, or transactions as files of their own.
  package enum ContentTable: String, Sendable {
    case archive
    case outbox
  }

  /// How many transactions wait, whatever indexes say.
  package func countOfWaiting() throws -> Int {
    try read { db in
      try Int.fetchOne(db.prepared("SELECT count(*) FROM outbox NOT INDEXED")) ?? 0
    }
  }

  /// How many files are kept, whatever indexes say.
  package func countOfArchived() throws -> Int {
    try read { db in
      try Int.fetchOne(db.prepared("SELECT count(*) FROM archive NOT INDEXED")) ?? 0
    }
  }

  /// The first row of a table from a number on, whatever its indexes say; nil at the end.
  ///
  /// It fails where that row, or what leads to it, cannot be read.
  package func content(
    of table: ContentTable, from number: Int64
  ) throws -> (number: Int64, bytes: [UInt8])? {
    try read { db in
      // Not what is greater than the one before: that begins there.
      let sql = """
        SELECT rowid, content FROM \(table.rawValue) NOT INDEXED WHERE rowid >= ?
        ORDER BY rowid LIMIT 1
        """
      return try Row.fetchOne(db.prepared(sql), arguments: [number]).map { row in
        (try row.value(0), try [UInt8](row.value(1) as Data))
      }
    }
  }

  /// The documents some of whose local removals wait.
  ///
  /// - parameter byIndex: whether to use the index of them, which may be damaged where the
  ///   documents are not.
  package func documentsWithRemovals(byIndex: Bool = true) throws -> [DocumentKey] {
    try read { db in try DocumentTable.waiting(db, byIndex: byIndex) }
  }

  /// The removals of a document that wait; they are in no transaction yet.
  package func waitingRemovals(of key: DocumentKey) throws -> [WaitingRemoval] {
    try read { db in
      try DocumentTable(db).state(of: key, streams: StreamDirectory(numbers: db)).pending
        .map { WaitingRemoval(key: key, removal: $0) }
    }
  }
}
