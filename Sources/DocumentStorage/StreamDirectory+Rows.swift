import Foundation
import GRDB
import Replication
import SegmentFormat

// The rows of streams and their lines.
extension StreamDirectory {
  /// What the row of a line says: `streams` has that of the first, `lines` those of others.
  private struct StoredLine {
    let base: UInt64
    let before: Fingerprint?
    let parent: Int?
    let lost: [UInt8]
    let tip: Context.Entry
    let closed: Context.Entry?
    let context: [UInt8]
    let time: HybridTime
    let nonce: UInt64?

    /// What is read of a row, in the order in which `init` takes it: by their places, since to
    /// find columns by their names takes longer than to read them.
    static let columns = """
      base, predecessor, lost, parent, applied, applied_fingerprint, closed, closed_fingerprint,
      context, time, nonce
      """

    init(_ row: BareRow, stream: StreamID) throws {
      base = try row.number(0)
      before = try (try row.value(1) as Data?).map { try Fingerprint(column: $0) }
      lost = [UInt8](try row.value(2) as Data? ?? Data())
      parent = try row.value(3)
      tip = Context.Entry(
        stream: stream, sequence: try row.number(4),
        fingerprint: try Fingerprint(optionalColumn: row.value(5)))
      let end = Context.Entry(
        stream: stream, sequence: try row.number(6),
        fingerprint: try Fingerprint(optionalColumn: row.value(7)))
      closed = end.sequence > 0 ? end : nil
      context = [UInt8](try row.value(8) as Data? ?? Data())
      time = HybridTime(rawValue: UInt64(bitPattern: try row.value(9)))
      nonce = (try row.value(10) as Int64?).map { UInt64(bitPattern: $0) }
    }

    func position(_ directory: StreamDirectory) throws -> StreamPosition {
      StreamPosition(
        sequence: tip.sequence, fingerprint: tip.fingerprint,
        context: try ContextCoding.decode(context, streams: directory), time: time, nonce: nonce)
    }
  }

  mutating func read(_ db: Database) throws {
    var stored: [StreamID: [StoredLine]] = [:]
    var branching: Set<StreamID> = []
    var forked: Set<StreamID> = []
    var givenUp: [StreamID: UInt64] = [:]
    let sql = """
      SELECT \(StoredLine.columns), stream, id, branching, forked, given_up, own, unmarked,
        gap_since, retired_at, given_up_at, name, named_at, written, last_marks FROM streams
      """
    try db.forEachRow(sql) { row in
      let stream = try StreamID(column: row.value(11))
      let number: Int64 = try row.value(12)
      streamsByNumber[number] = stream
      stored[stream] = [try StoredLine(row, stream: stream)]
      if try row.value(13) { branching.insert(stream) }
      if try row.value(14) { forked.insert(stream) }
      let end = try row.number(15)
      if end > 0 { givenUp[stream] = end }
      rows[stream] = Row(
        number: number, stream: stream,
        learntName: LearntName(try row.value(21), time: try row.value(22)),
        isOwn: try row.value(16) == OwnStream.written,
        unmarked: try row.number(17),
        lastMarks: MarkTable.decode(try row.value(24) as Data? ?? Data()), positions: [],
        gapSince: try row.value(18),
        written: try (row.value(23) as Int64?).map { UInt64(clamping: $0) },
        retiredAt: try row.value(19), givenUpAt: try row.value(20))
    }
    if !branching.isEmpty {
      let sql = "SELECT \(StoredLine.columns), stream FROM lines ORDER BY stream, line"
      try db.forEachRow(sql) { row in
        let stream = try stream(number: row.value(11))
        stored[stream]?.append(try StoredLine(row, stream: stream))
      }
    }
    for (stream, lines) in stored {
      let positions = try lines.map { try $0.position(self) }
      rows[stream]?.positions = positions
    }
    try db.forEachRow("SELECT stream, name FROM device") { row in
      ownName = (try stream(number: row.value(0)), try row.value(1))
    }
    branchingBefore = branching
    let streams = try readStreams(stored, branching: branching, forked: forked, db)
    try readFrontier(stored, lineage: Lineage(streams), givenUp: givenUp, db)
  }

  private mutating func readStreams(
    _ stored: [StreamID: [StoredLine]], branching: Set<StreamID>, forked: Set<StreamID>,
    _ db: Database
  ) throws -> [StreamID: Lineage.Stream] {
    var streams: [StreamID: Lineage.Stream] = [:]
    for (stream, all) in stored {
      var lines: [Lineage.Line] = []
      for (index, line) in all.enumerated() where line.tip.sequence > 0 {
        let id = Lineage.LineID(stream: stream, index: index)
        marked[id] = line.tip.sequence
        let marks = branching.contains(stream) ? try self.marks(of: id, db) : []
        lines.append(
          Lineage.Line(
            parent: line.parent, base: line.base, before: line.before, tip: line.tip,
            marks: marks))
      }
      guard !lines.isEmpty || branching.contains(stream) else { continue }
      streams[stream] = Lineage.Stream(
        lines: lines, isBranching: branching.contains(stream), isForked: forked.contains(stream))
    }
    return streams
  }

  private mutating func readFrontier(
    _ stored: [StreamID: [StoredLine]], lineage: Lineage, givenUp: [StreamID: UInt64],
    _ db: Database
  ) throws {
    var closed: [Lineage.LineID: Context.Entry] = [:]
    var lost: [Lineage.LineID: Context] = [:]
    for (stream, lines) in stored {
      for (index, line) in lines.enumerated() {
        let id = Lineage.LineID(stream: stream, index: index)
        closed[id] = line.closed
        if !line.lost.isEmpty { lost[id] = try ContextCoding.decode(line.lost, streams: self) }
      }
    }
    if !givenUp.isEmpty { storedNames = try readNames(db) }
    let open = try Self.open(db, directory: self)
    self.stored = open.compactMapValues { $0.last?.first }
    frontier = Frontier(
      lineage: lineage, closedTips: closed, open: open,
      givenUp: givenUp, lost: lost, givenUpNames: storedNames)
  }

  private func marks(of line: Lineage.LineID, _ db: Database) throws -> [UInt64] {
    guard let row = rows[line.stream] else { return [] }
    let rows = try MarkTable.all(of: row.number, line: line.index, db)
    guard line.index == 0 else { return rows }
    return try MarkTable.unknown(row.unmarked) + rows + row.lastMarks
  }

  private static func open(
    _ db: Database, directory: StreamDirectory
  ) throws -> [Lineage.LineID: [Frontier.Open]] {
    var open: [Lineage.LineID: [Frontier.Open]] = [:]
    let newer = try Set(NewerTransactions.all(db, streams: directory).map(\.tip))
    let sql = """
      SELECT stream, line, sequence, fingerprint, context, inserts, coalesce(last, sequence)
      FROM open_transactions ORDER BY stream, line, sequence
      """
    try db.forEachRow(sql) { row in
      let tip = Context.Entry(
        stream: try directory.stream(number: row.value(0)), sequence: try row.number(6),
        fingerprint: try Fingerprint(optionalColumn: row.value(3)))
      let context = try ContextCoding.decode(
        try [UInt8](row.value(4) as Data), streams: directory)
      let inserts = try (row.value(5) as Data?).map {
        try ContextCoding.decode([UInt8]($0), streams: directory)
      }
      open[Lineage.LineID(stream: tip.stream, index: try row.value(1)), default: []].append(
        Frontier.Open(
          from: try row.number(2), tip: tip, context: context, isUnderstood: !newer.contains(tip),
          inserts: Dictionary(
            (inserts?.entries ?? []).map { ($0.stream, $0.sequence) }, uniquingKeysWith: max)))
    }
    return open
  }

  mutating func save(_ line: Lineage.LineID, _ db: Database) throws {
    try saveMarks(of: line, db)
    guard let row = rows[line.stream] else { return }
    let position = row.positions[line.index]
    let closed = frontier.closedTips[line]
    let lost = try frontier.lost[line].map { lost in
      try ContextCoding.encode(lost) { try self.number(of: $0, db) }
    }
    let lined = frontier.lineage.line(line)
    let values: [BoundValue] = [
      .integer(lined?.parent.map { Int64($0) }), .integer(Int64(lined?.base ?? 0)),
      .blob(lined?.before?.bytes), .integer(Int64(position.sequence)),
      .blob(position.fingerprint.bytes),
      .blob(try ContextCoding.encode(position.context) { try self.number(of: $0, db) }),
      .integer(Int64(bitPattern: position.time.rawValue)),
      .integer(position.nonce.map { Int64(bitPattern: $0) }),
      .integer(Int64(closed?.sequence ?? 0)), .blob(closed?.fingerprint.bytes), .blob(lost),
    ]
    guard line.index > 0 else { return try save(row, line: values, db) }
    try db.run(
      """
      INSERT OR REPLACE INTO lines(stream, line, parent, base, predecessor, applied,
        applied_fingerprint, context, time, nonce, closed, closed_fingerprint, lost)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, bound: [.integer(row.number), .integer(Int64(line.index))] + values)
  }

  /// Writes the row of a stream, with its first line.
  private func save(_ row: Row, line values: [BoundValue], _ db: Database) throws {
    let stream = frontier.lineage.streams[row.stream]
    let own: [BoundValue] = [
      row.learntName.map { .text($0.name) } ?? .null,
      .integer(Int64(bitPattern: row.learntName?.time.rawValue ?? 0)),
      .integer(stream?.isBranching == true ? 1 : 0), .integer(stream?.isForked == true ? 1 : 0),
      .integer(row.gapSince), .integer(row.written.map { Int64(clamping: $0) }),
      row.lastMarks.isEmpty ? .null : .blob(MarkTable.encode(row.lastMarks)),
      .integer(row.number),
    ]
    try db.run(
      """
      UPDATE streams SET parent = ?, base = ?, predecessor = ?, applied = ?,
        applied_fingerprint = ?, context = ?, time = ?, nonce = ?, closed = ?,
        closed_fingerprint = ?, lost = ?, name = ?, named_at = ?, branching = ?, forked = ?,
        gap_since = ?, written = ?, last_marks = ? WHERE id = ?
      """, bound: values + own)
  }

  private mutating func saveMarks(of line: Lineage.LineID, _ db: Database) throws {
    guard let row = rows[line.stream], let known = frontier.lineage.line(line) else { return }
    let stored = marked[line] ?? known.base
    let new = Int(known.tip.sequence - stored)
    guard new > 0 else { return }
    if line.index == 0 {
      rows[line.stream]?.lastMarks = try MarkTable.appendRows(
        row.lastMarks + known.marks.suffix(new), endingAt: known.tip.sequence, of: row.number,
        line: line.index, db)
    } else {
      try MarkTable.append(
        known.marks.suffix(new), endingAt: known.tip.sequence, of: row.number, line: line.index,
        db)
    }
    marked[line] = known.tip.sequence
  }
}
