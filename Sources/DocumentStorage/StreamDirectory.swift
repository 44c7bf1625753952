import Foundation
import GRDB
import Replication
import SegmentFormat

/// The streams as one transaction sees them: local numbers, names, positions, the frontier.
///
/// Read whole at the start of a transaction (a container has tens of streams), written back where
/// changed.
struct StreamDirectory {
  struct Row {
    let number: Int64
    let stream: StreamID
    var name: String?
    var position: StreamPosition
    var gapSince: Int64?
  }

  private(set) var frontier: Frontier
  private var rows: [StreamID: Row] = [:]
  private var streamsByNumber: [Int64: StreamID] = [:]
  private var changed: Set<StreamID> = []
  private var newlyOpen: [Frontier.Open] = []

  init(_ db: Database) throws {
    var applied: [Context.Entry] = []
    var closed: [Context.Entry] = []
    var contexts: [(StreamID, [UInt8])] = []
    for row in try GRDB.Row.fetchAll(db, sql: "SELECT * FROM streams") {
      let stream = try StreamID(column: row["stream"])
      let number: Int64 = row["id"]
      streamsByNumber[number] = stream
      let sequence = UInt64(row["applied"] as Int64)
      let fingerprint = try Fingerprint(optionalColumn: row["applied_fingerprint"])
      applied.append(
        Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint))
      closed.append(
        Context.Entry(
          stream: stream, sequence: UInt64(row["closed"] as Int64),
          fingerprint: try Fingerprint(optionalColumn: row["closed_fingerprint"])))
      contexts.append((stream, [UInt8](row["context"] as Data? ?? Data())))
      rows[stream] = Row(
        number: number, stream: stream, name: row["name"],
        position: StreamPosition(
          sequence: sequence, fingerprint: fingerprint, context: Context(),
          time: HybridTime(rawValue: UInt64(bitPattern: row["time"])),
          nonce: (row["nonce"] as Int64?).map { UInt64(bitPattern: $0) }),
        gapSince: row["gap_since"])
    }
    frontier = Frontier()
    for (stream, bytes) in contexts {
      guard let row = rows[stream] else { continue }
      let position = StreamPosition(
        sequence: row.position.sequence, fingerprint: row.position.fingerprint,
        context: try ContextCoding.decode(bytes, streams: self), time: row.position.time,
        nonce: row.position.nonce)
      rows[stream]?.position = position
    }
    frontier = Frontier(
      applied: Context(applied), closed: Context(closed),
      open: try Self.open(db, directory: self))
  }

  private static func open(
    _ db: Database, directory: StreamDirectory
  ) throws -> [StreamID: [Frontier.Open]] {
    var open: [StreamID: [Frontier.Open]] = [:]
    let newer = try Set(NewerTransactions.all(db, streams: directory).map(\.tip))
    let sql = "SELECT * FROM open_transactions ORDER BY stream, sequence"
    for row in try GRDB.Row.fetchAll(db, sql: sql) {
      let tip = Context.Entry(
        stream: try directory.stream(number: row["stream"]),
        sequence: UInt64(row["sequence"] as Int64),
        fingerprint: try Fingerprint(optionalColumn: row["fingerprint"]))
      let context = try ContextCoding.decode(
        [UInt8](row["context"] as Data), streams: directory)
      open[tip.stream, default: []].append(
        Frontier.Open(tip: tip, context: context, isUnderstood: !newer.contains(tip)))
    }
    return open
  }

  func stream(number: Int64) throws -> StreamID {
    guard let stream = streamsByNumber[number] else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unknown stream \(number)")
    }
    return stream
  }

  /// The row of `stream`; nil if it was never met.
  func row(of stream: StreamID) -> Row? { rows[stream] }

  var all: [Row] { rows.values.sorted { $0.stream < $1.stream } }

  func position(of stream: StreamID) -> StreamPosition { rows[stream]?.position ?? .start }

  /// The local number of `stream`, a new one if it was never met.
  mutating func number(of stream: StreamID, _ db: Database) throws -> Int64 {
    if let row = rows[stream] { return row.number }
    try db.execute(
      sql: "INSERT INTO streams(stream) VALUES (?)", arguments: [stream.databaseBytes])
    let number = db.lastInsertedRowID
    streamsByNumber[number] = stream
    rows[stream] = Row(
      number: number, stream: stream, name: nil, position: .start, gapSince: nil)
    return number
  }

  mutating func setName(_ name: String, of stream: StreamID, _ db: Database) throws {
    _ = try number(of: stream, db)
    guard rows[stream]?.name != name else { return }
    rows[stream]?.name = name
    changed.insert(stream)
  }

  /// Notes that `header`, the next of its stream, is applied.
  ///
  /// - parameter newer: the kinds of its operations that this program does not understand.
  mutating func apply(
    _ header: Transaction.Header, newer: KindCodes = [], _ db: Database
  ) throws {
    let number = try number(of: header.stream, db)
    if !newer.isEmpty { try NewerTransactions.note(header.tip, newer, stream: number, db) }
    rows[header.stream]?.position = StreamPosition(after: header)
    rows[header.stream]?.gapSince = nil
    frontier.apply(header, isUnderstood: newer.isEmpty)
    newlyOpen.append(Frontier.Open(tip: header.tip, context: header.context))
    changed.insert(header.stream)
  }

  /// Lets transactions close of which this program, being a newer one, understands all.
  mutating func understand(_ known: KindCodes, _ db: Database) throws {
    let understood = try NewerTransactions.forget(knowing: known, db, streams: self)
    frontier.understand { understood.contains($0) }
    try save(db)
  }

  /// Moves the closed part on and writes all that changed.
  mutating func save(_ db: Database) throws {
    // What is new and closes at once was never stored.
    let hadOpen = frontier.open.values.reduce(0) { $0 + $1.count } > newlyOpen.count
    let closed = frontier.close()
    changed.formUnion(closed.map(\.tip.stream))
    for transaction in newlyOpen
    where !frontier.closed.contains(
      stream: transaction.tip.stream, sequence: transaction.tip.sequence)
    {
      try store(transaction, db)
    }
    if hadOpen {
      for transaction in closed { try forget(transaction, db) }
    }
    newlyOpen = []
    for stream in changed { try save(stream, db) }
    changed = []
  }

  private mutating func store(_ transaction: Frontier.Open, _ db: Database) throws {
    let number = try self.number(of: transaction.tip.stream, db)
    let context = Data(
      try ContextCoding.encode(transaction.context) { try self.number(of: $0, db) })
    try db.execute(
      sql: "INSERT OR REPLACE INTO open_transactions VALUES (?, ?, ?, ?)",
      arguments: [
        number, Int64(transaction.tip.sequence), transaction.tip.fingerprint.databaseBytes,
        context,
      ])
  }

  private mutating func forget(_ transaction: Frontier.Open, _ db: Database) throws {
    try db.execute(
      sql: "DELETE FROM open_transactions WHERE stream = ? AND sequence = ?",
      arguments: [
        try number(of: transaction.tip.stream, db), Int64(transaction.tip.sequence),
      ])
  }

  private mutating func save(_ stream: StreamID, _ db: Database) throws {
    guard let row = rows[stream] else { return }
    let closed = frontier.closed.entry(of: stream)
    let context = Data(
      try ContextCoding.encode(row.position.context) { try self.number(of: $0, db) })
    try db.execute(
      sql: """
        UPDATE streams SET name = ?, applied = ?, applied_fingerprint = ?, context = ?,
          time = ?, nonce = ?, closed = ?, closed_fingerprint = ?, gap_since = ? WHERE id = ?
        """,
      arguments: [
        row.name, Int64(row.position.sequence), row.position.fingerprint.databaseBytes, context,
        Int64(bitPattern: row.position.time.rawValue),
        row.position.nonce.map { Int64(bitPattern: $0) }, Int64(closed?.sequence ?? 0),
        closed?.fingerprint.databaseBytes, row.gapSince, row.number,
      ])
  }
}
