import Foundation
import GRDB
import Replication

// Which transactions are applied, by fingerprint.
extension StreamDirectory {
  enum Holding {
    case held
    case absent
    /// One of that sequence was applied before marks were kept, and may be another.
    case unknown
  }

  /// Whether a transaction is applied, where that can be told for certain.
  func holding(_ entry: Context.Entry, _ db: Database) throws -> Holding {
    guard let stream = frontier.lineage.streams[entry.stream], entry.sequence > 0,
      stream.lines.indices.contains(where: { entry.sequence <= stream.lines[$0].tip.sequence }),
      let row = rows[entry.stream]
    else { return .absent }
    let lines = stream.lines.indices.filter {
      stream.lines[$0].base < entry.sequence && entry.sequence <= stream.lines[$0].tip.sequence
    }
    if lines.contains(where: { stream.lines[$0].tip == entry }) { return .held }
    var isUnknown = false
    for index in lines where stream.lines[index].tip.sequence > entry.sequence {
      let mark =
        try stream.lines[index].mark(at: entry.sequence)
        ?? storedMark(at: entry.sequence, of: row, line: index, db)
      if mark == Lineage.mark(entry.fingerprint) { return .held }
      if mark == nil || mark == Lineage.unknownMark { isUnknown = true }
    }
    guard isUnknown else { return .absent }
    let ends = try SegmentRecords.ends(at: entry.sequence, stream: row.number, db)
    if ends.contains(entry.fingerprint) { return .held }
    // Of several branches, it may be another's end.
    return ends.isEmpty || stream.isBranching ? .unknown : .absent
  }

  private func storedMark(
    at sequence: UInt64, of row: Row, line: Int, _ db: Database
  ) throws -> UInt64? {
    guard line == 0 else {
      return try MarkTable.mark(at: sequence, of: row.number, line: line, start: 0, db)
    }
    let end = marked[Lineage.LineID(stream: row.stream, index: line)] ?? 0
    let count = UInt64(row.lastMarks.count)
    if sequence <= end, sequence + count > end {
      return row.lastMarks[Int(sequence + count - end) - 1]
    }
    return try MarkTable.mark(
      at: sequence, of: row.number, line: line, start: row.unmarked, db)
  }

  /// Whether a write here may claim to have seen `context`: it is closed, and its tips are held, or
  /// given up.
  ///
  /// A stream of one line closes by sequence; somebody else's version may name another branch.
  func mayClaim(_ context: Context, _ db: Database) throws -> Bool {
    try frontier.isClosed(context)
      && context.entries.allSatisfy { try frontier.isGivenUp($0) || holds($0, db) }
  }

  /// Whether what the reader of a version had seen is here, or given up: else a write could not
  /// tell what it takes away.
  func knows(_ token: VersionToken, _ db: Database) throws -> Bool {
    try mayClaim(token.context, db)
      && token.applied.entries.allSatisfy { try frontier.isGivenUp($0) || holds($0, db) }
  }

  /// Notes the marks of what was applied before any were kept.
  ///
  /// - parameter marks: those of consecutive transactions, the first of which is `first`.
  mutating func fillMarks(
    _ marks: [UInt64], from first: UInt64, of stream: StreamID, _ db: Database
  ) throws {
    guard let row = rows[stream] else { return }
    if row.unmarked > 0 {
      try MarkTable.makeRoom(upTo: row.unmarked, of: row.number, db)
      try db.run("UPDATE streams SET unmarked = 0 WHERE id = ?", [row.number])
      rows[stream]?.unmarked = 0
    }
    try MarkTable.fill(marks, from: first, of: row.number, db)
    guard frontier.lineage.streams[stream]?.isBranching == true else { return }
    frontier.lineage.fill(marks, from: first, of: stream)
    hasNewMarks = true
  }
}

extension StoreDatabase {
  /// How much is known of each stream: a number that changes with whatever may let a file of it be
  /// read that could not be read before.
  package func knowledge(of streams: Set<StreamID>) throws -> [StreamID: Int] {
    guard !streams.isEmpty else { return [:] }
    return try read { db in
      let directory = try self.streams(db)
      return try Dictionary(
        uniqueKeysWithValues: streams.map { ($0, try directory.knowledge(of: $0, db)) })
    }
  }
}

extension StreamDirectory {
  /// What its files held, what is kept of them, what is given up, and whether its transactions can
  /// be told apart.
  ///
  /// What is kept is told by the last number given, since segments that are joined become one; that
  /// becomes less where the last one goes, so it must not make up for a file.
  ///
  /// An older program kept neither marks nor files: what is still to be taken from the folder
  /// becomes less as they come.
  func knowledge(of stream: StreamID, _ db: Database) throws -> Int {
    guard let row = rows[stream] else { return 0 }
    let statement = try db.cachedStatement(
      sql: """
        SELECT (SELECT count(*) FROM segments WHERE stream = ?1) * 1000003
          + (SELECT coalesce(max(id), 0) FROM archive WHERE stream = ?1)
          - (SELECT count(*) FROM unarchived WHERE stream = ?1)
        """)
    let count = try Int.fetchOne(statement, arguments: [row.number]) ?? 0
    // What is given up may be near the largest number.
    let givenUp = frontier.givenUp[stream] ?? 0
    // Weighed, lest it make up for files that have been joined.
    return count &+ Int(truncatingIfNeeded: givenUp &* 0x9E37_79B9_7F4A_7C15)
      &+ (row.unmarked == 0 ? 1 : 0)
  }
}
