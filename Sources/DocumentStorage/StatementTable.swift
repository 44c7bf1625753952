import Foundation
import GRDB
import Replication
import SegmentFormat

/// The kept segments of which operations were dropped: statements about what else holds their
/// transactions (protocol.md 22).
enum StatementTable {
  /// How far a statement is heeded here.
  enum Progress: Int {
    /// It is to be looked at once all that its writer had applied is applied.
    case waiting = 0
    /// What it leaves out is nowhere here.
    case heeded = 1
    /// Some of that has to stay for now (``DocumentState/canDrop(_:)``).
    case unfinished = 2
  }

  /// A statement, by its number in the archive, and the number of its stream.
  struct Kept {
    let id: Int64
    let stream: Int64
    let first: UInt64
    let last: UInt64
    /// A number may be given again; this tells which segment it is.
    let digest: UInt64
    /// A ``Progress``.
    let progress: Int
    /// How much of it is done (``HeedingMark``); nil if nothing is.
    let heeding: Data?
    /// What has to be applied before it is heeded.
    let applied: Context

    /// Whether its writer had applied something that another tells of.
    ///
    /// - parameter stream: that of the other.
    func leans(on other: Kept, of stream: StreamID) -> Bool {
      id != other.id && applied.sequence(of: stream) >= other.first
    }

    func isSame(as other: Kept) -> Bool {
      (id, stream, digest) == (other.id, other.stream, other.digest)
        && (first, last) == (other.first, other.last) && applied == other.applied
    }
  }

  /// Notes that a kept segment is a statement; one that is noted stays as it is.
  ///
  /// - returns: whether it was not noted yet.
  @discardableResult
  static func note(
    _ statement: DropStatement, of range: Segment.Range, digest: UInt64,
    _ streams: inout StreamDirectory, _ db: Database
  ) throws -> Bool {
    let applied = try ContextCoding.encode(statement.applied) { try streams.number(of: $0, db) }
    try db.run(
      """
      INSERT OR IGNORE INTO statements
        SELECT id, \(Progress.waiting.rawValue), ?, ?, NULL FROM archive
        WHERE stream = ? AND first = ? AND last = ? AND digest = ?
      """,
      [
        Data(applied), stored(statement.historyStart),
        try streams.number(of: range.stream, db), Int64(range.first),
        Int64(range.last), Int64(bitPattern: digest),
      ])
    return db.changesCount > 0
  }

  /// Has a statement that was heeded be heeded again, with what has come since.
  static func lookAgain(
    at range: Segment.Range, digest: UInt64, stream: Int64, _ db: Database
  ) throws {
    try db.run(
      """
      UPDATE statements SET progress = ?, heeding = NULL WHERE segment =
        (SELECT id FROM archive WHERE stream = ? AND first = ? AND last = ? AND digest = ?)
      """,
      [
        Progress.waiting.rawValue, stream, Int64(range.first), Int64(range.last),
        Int64(bitPattern: digest),
      ])
  }

  /// Whether a statement tells of all transactions that a segment has, as far as is known.
  ///
  /// They may be those of another branch; but then they are missed where somebody has seen them,
  /// and who cannot complete them gains nothing by waiting.
  static func supersedes(
    _ sequences: ClosedRange<UInt64>, of stream: StreamID, _ streams: StreamDirectory,
    _ db: Database
  ) throws -> Bool {
    guard let row = streams.row(of: stream) else { return false }
    return try exists(
      of: row.number, from: sequences.lowerBound, to: sequences.upperBound, db)
  }

  /// Whether a statement tells of any of a stream's transactions.
  static func tells(
    ofAny sequences: ClosedRange<UInt64>, stream: Int64, _ db: Database
  ) throws -> Bool {
    try exists(of: stream, from: sequences.upperBound, to: sequences.lowerBound, db)
  }

  /// Whether there is a statement that begins there or before, and ends there or behind.
  private static func exists(
    of stream: Int64, from first: UInt64, to last: UInt64, _ db: Database
  ) throws -> Bool {
    guard max(first, last) <= UInt64(Int64.max) else { return false }
    let statement = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM archive JOIN statements ON segment = id
          WHERE stream = ? AND first <= ? AND last >= ?)
        """)
    return try Bool.fetchOne(statement, arguments: [stream, Int64(first), Int64(last)]) ?? false
  }

  /// Whether a statement of a stream is not heeded yet.
  static func hasOpen(of stream: Int64, _ db: Database) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM archive JOIN statements ON segment = id
          WHERE stream = ? AND progress <> ?)
        """)
    return try Bool.fetchOne(statement, arguments: [stream, Progress.heeded.rawValue]) ?? false
  }

  /// Whether a statement is kept already, and any waits.
  static func isAnyWaiting(
    beside range: Segment.Range, digest: UInt64, stream: Int64, _ db: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      db.prepared(
        """
        SELECT EXISTS (SELECT 1 FROM archive JOIN statements ON segment = id
            WHERE stream = ? AND first = ? AND last = ? AND digest = ?)
          AND EXISTS (SELECT 1 FROM statements WHERE progress = ?)
        """),
      arguments: [
        stream, Int64(range.first), Int64(range.last), Int64(bitPattern: digest),
        Progress.waiting.rawValue,
      ]) ?? false
  }

  /// Bytes, since SQLite's integers have a sign, and the time's top bit is in use.
  private static func stored(_ time: HybridTime) -> Data {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: time.rawValue)
    return Data(bytes)
  }

  /// From when on history is whole; nil if nothing that is known here was dropped.
  ///
  /// Not later than all that is here: what covers what was dropped is, or has still to come.
  static func historyStart(_ streams: StreamDirectory, _ db: Database) throws -> HybridTime? {
    let sql = "SELECT max(history_start) FROM statements"
    return try Data.fetchOne(db.prepared(sql)).map { bytes in
      guard bytes.count == 8 else { throw StoredBytes.damage }
      let start = HybridTime(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
      return min(start, try DeviceRecord.clock(db, streams))
    }
  }

  /// Notes that some of a statement has to stay for now.
  static func setUnfinished(_ id: Int64, _ db: Database) throws {
    try db.run(
      "UPDATE statements SET progress = ? WHERE segment = ?", [Progress.unfinished.rawValue, id])
  }

  /// Notes a statement as heeded.
  ///
  /// - parameter clock: the latest time here. All that its writer had applied is here, so history
  ///   that begins later begins here: what is yet to be written is not dropped.
  static func setHeeded(_ id: Int64, clock: HybridTime, _ db: Database) throws {
    try db.run(
      """
      UPDATE statements SET progress = ?, heeding = NULL, history_start = min(history_start, ?)
      WHERE segment = ?
      """, [Progress.heeded.rawValue, stored(clock), id])
  }

  /// Notes a statement as heeded if nothing else is kept of its transactions, and all that was
  /// applied of the stream is kept: then nothing can be here that it leaves out.
  ///
  /// - parameter clock: as that of ``setHeeded(_:clock:_:)``.
  /// - returns: whether it is.
  static func heedIfAlone(
    _ statement: Kept, clock: HybridTime, _ db: Database
  ) throws -> Bool {
    try db.run(
      """
      UPDATE statements SET progress = \(Progress.heeded.rawValue),
        history_start = min(history_start, ?7)
      WHERE segment = ?1 AND progress = ?2 AND heeding IS NULL
        AND EXISTS (SELECT 1 FROM archive WHERE id = ?1 AND stream = ?3 AND digest = ?4)
        AND NOT EXISTS (SELECT 1 FROM archive
          WHERE stream = ?3 AND first <= ?6 AND last >= ?5 AND id <> ?1)
        AND NOT EXISTS (SELECT 1 FROM unarchived WHERE stream = ?3)
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE stream = ?3 AND sequence BETWEEN ?5 AND ?6)
      """,
      [
        statement.id, statement.progress, statement.stream,
        Int64(bitPattern: statement.digest), Int64(statement.first), Int64(statement.last),
        stored(clock),
      ])
    return db.changesCount > 0
  }

  /// Notes how far a statement has been heeded (``HeedingMark``).
  static func note(_ heeding: Data?, of id: Int64, _ db: Database) throws {
    try db.run("UPDATE statements SET heeding = ? WHERE segment = ?", [heeding, id])
  }

  /// Whether another statement about some of its transactions is heeded in part.
  static func isAnotherBegun(_ statement: Kept, _ db: Database) throws -> Bool {
    try Bool.fetchOne(
      db.prepared(
        """
        SELECT EXISTS (SELECT 1 FROM statements JOIN archive ON segment = id
          WHERE stream = ?1 AND first <= ?2 AND last >= ?3 AND segment <> ?4
            AND heeding IS NOT NULL)
        """),
      arguments: [
        statement.stream, Int64(statement.last), Int64(statement.first), statement.id,
      ]) ?? false
  }

  /// A statement by its number in the archive, if it is still to be heeded.
  static func open(
    _ id: Int64, streams: StreamDirectory, _ db: Database
  ) throws -> Kept? {
    try kept("segment = ? AND progress <> \(Progress.heeded.rawValue)", [id], streams, db).first
  }

  private static func kept(
    _ condition: String, _ arguments: StatementArguments, _ streams: StreamDirectory,
    _ db: Database
  ) throws -> [Kept] {
    let sql = """
      SELECT segment, stream, applied, first, progress, heeding, last, digest
      FROM statements JOIN archive ON archive.id = segment
      WHERE \(condition) ORDER BY segment
      """
    return try db.read(sql, arguments) { row in
      Kept(
        id: try row.value(0), stream: try row.value(1), first: try row.number(3),
        last: try row.number(6), digest: UInt64(bitPattern: try row.value(7)),
        progress: try row.value(4), heeding: try row.value(5),
        applied: try ContextCoding.decode([UInt8](row.value(2) as Data), streams: streams))
    }
  }

  /// The statements of which all is here that their writers had applied: also what such a one had
  /// of which only another tells, which is not heeded itself.
  ///
  /// For of that one, no more than its name may be here, and what covers may be missing.
  ///
  /// - parameter progress: how far those have come that are wanted.
  /// - returns: those, in the order of their arrival; and the numbers of all.
  static func due(
    _ progress: [Progress], _ streams: StreamDirectory, _ db: Database
  ) throws -> (wanted: [Kept], all: Set<Int64>) {
    // There is none in most containers, and each import asks.
    let open = try kept("progress <> \(Progress.heeded.rawValue)", [], streams, db)
    let late = try late(among: open, streams, db)
    let wanted = Set(progress.map(\.rawValue))
    let due = open.filter { late[$0.id] == nil }
    return (due.filter { wanted.contains($0.progress) }, Set(due.map(\.id)))
  }

  /// Those of which nothing is heeded yet, since not all is here that their writers had applied: by
  /// their numbers, with what is not.
  private static func late(
    among open: [Kept], _ streams: StreamDirectory, _ db: Database
  ) throws -> [Int64: Set<Context.Entry>] {
    var late: [Int64: Set<Context.Entry>] = [:]
    // What was begun was due then, and others wait for its end.
    for statement in open where statement.heeding == nil {
      // Nor what is given up, be it before what is here: where what covers never comes, what was
      // covered goes on showing.
      let absent = try statement.applied.entries.compactMap { entry in
        try streams.holds(entry, db) ? streams.frontier.lineage.gap(before: entry) : entry
      }
      if !absent.isEmpty { late[statement.id] = Set(absent) }
    }
    // Who needs one that is late is late, too, and so on.
    var newlyLate = late
    while !newlyLate.isEmpty {
      let blocking = open.filter { newlyLate[$0.id] != nil }
      var more: [Int64: Set<Context.Entry>] = [:]
      for statement in open where late[statement.id] == nil && statement.heeding == nil {
        let awaited = try blocking.filter { other in
          try statement.leans(on: other, of: streams.stream(number: other.stream))
        }
        guard !awaited.isEmpty else { continue }
        more[statement.id] = awaited.reduce(into: []) { $0.formUnion(newlyLate[$1.id] ?? []) }
      }
      newlyLate = more
      late.merge(more) { first, _ in first }
    }
    return late
  }

  /// Whose statements wait, and for what that is not here, be it given up.
  static func waiting(
    _ streams: StreamDirectory, _ db: Database
  ) throws -> [(author: StreamID, absent: Set<Context.Entry>)] {
    let open = try kept("progress = \(Progress.waiting.rawValue)", [], streams, db)
    let late = try late(among: open, streams, db)
    return try open.compactMap { statement in
      try late[statement.id].map { (try streams.stream(number: statement.stream), $0) }
    }
  }
}

extension StoreDatabase {
  /// Whether some statement is not heeded yet: something that its writer had seen may not have
  /// come, so that nothing may show where others show what was written instead.
  package func hasWaitingStatements() throws -> Bool {
    try read { db in
      try Bool.fetchOne(
        db.prepared("SELECT EXISTS (SELECT 1 FROM statements WHERE progress = ?)"),
        arguments: [StatementTable.Progress.waiting.rawValue]) ?? false
    }
  }

  /// The streams of which some statement is not heeded, or not all of it: what it leaves out is
  /// here.
  package func streamsWithOpenStatements() throws -> Set<StreamID> {
    try read { db in
      let sql = """
        SELECT DISTINCT streams.stream FROM statements JOIN archive ON archive.id = segment
        JOIN streams ON streams.id = archive.stream WHERE progress <> ?
        """
      let found = try Data.fetchAll(
        db.prepared(sql), arguments: [StatementTable.Progress.heeded.rawValue])
      return try Set(found.map { try StreamID(column: $0) })
    }
  }

  /// Those of some segments of a stream whose content is not here, and is not told of by a
  /// statement either: what leans on something that was dropped cannot be applied.
  package func missingSegments(
    of stream: StreamID, among names: Set<ImportedNames.Name>
  ) throws -> Set<ImportedNames.Name> {
    let missing = try names.subtracting(segmentNames(of: stream, among: Array(names)))
    guard !missing.isEmpty else { return [] }
    return try read { db in
      let streams = try streams(db)
      return try missing.filter { name in
        try !StatementTable.supersedes(name.first...name.last, of: stream, streams, db)
      }
    }
  }
}
