import Foundation
import GRDB
import Replication
import SegmentFormat

/// The streams as one transaction sees them: local numbers, names, positions, the frontier.
///
/// Read whole at the start of a transaction (a container has tens of streams), written back where
/// changed. The rows of their lines are in StreamDirectory+Rows.swift.
package struct StreamDirectory: Sendable {
  struct Row: Sendable {
    let number: Int64
    let stream: StreamID
    /// The newest name that a file of it carries; ``StreamDirectory/name(of:)`` tells what people
    /// see.
    var learntName: LearntName?
    /// Whether it is or was this device's.
    var isOwn = false
    /// Up to where no marks were kept.
    var unmarked: UInt64 = 0
    /// The marks behind the last whole row of the first line's (``MarkTable``).
    var lastMarks: [UInt64] = []
    /// Where each line stands; the first is that of the branch which arrived first.
    var positions: [StreamPosition]
    var gapSince: Int64?
    /// The last transaction with operations that is applied; nil where an older program applied it.
    ///
    /// Of several lines it is the one with the greatest number.
    var written: UInt64?
    /// Since when its device is known never to come back.
    var retiredAt: Int64?
    /// Since when something of it is given up.
    var givenUpAt: Int64?

    /// Notes that a line goes on behind a transaction that has operations or not.
    fileprivate mutating func advance(
      _ line: Int, isWritten: Bool, to position: (StreamPosition) -> StreamPosition
    ) {
      if line == positions.count { positions.append(.start) }
      positions[line] = position(positions[line])
      gapSince = nil
      if isWritten { written = max(written ?? 0, positions[line].sequence) }
    }
  }

  var frontier: Frontier
  var rows: [StreamID: Row] = [:]
  var streamsByNumber: [Int64: StreamID] = [:]
  /// Lines that have to be written, and how much of each has its marks stored.
  var changed: Set<Lineage.LineID> = []
  var marked: [Lineage.LineID: UInt64] = [:]
  /// Streams that branch as of this transaction, or of whose branches one began or went on.
  private(set) var rebranched: Set<StreamID> = []
  /// The streams that were judged by fingerprint before this transaction.
  var branchingBefore: Set<StreamID> = []
  /// Whether marks have come that were unknown, of a stream that is judged by them.
  var hasNewMarks = false
  /// What is stored of ``Frontier/givenUpNames``.
  var storedNames: Set<Context.Entry> = []
  /// What this device calls itself, whether the others know or not.
  var ownName: (stream: StreamID, name: String)?
  /// Of each line whose open transactions are to be stored, the first of those.
  private var unstored: [Lineage.LineID: UInt64] = [:]
  /// The one of them, and of `changed`, that was noted last.
  private var noted: (line: Lineage.LineID, first: UInt64)?
  /// Of each line of which some are stored, where the last row of them begins.
  var stored: [Lineage.LineID: UInt64] = [:]
  /// So many that wait for something are worth a look at whether they close.
  private var manyOpen = 4096
  /// Whether a stream was met since they were read.
  private var hasNumbered = false

  package init(_ db: Database) throws {
    frontier = Frontier()
    try read(db)
  }

  /// Knows nothing but the numbers of streams: all that it takes to read contexts.
  init(numbers db: Database) throws {
    frontier = Frontier()
    for row in try GRDB.Row.fetchAll(db.prepared("SELECT id, stream FROM streams")) {
      streamsByNumber[try row.value(0)] = try StreamID(column: row.value(1))
    }
  }

  func stream(number: Int64) throws -> StreamID {
    guard let stream = streamsByNumber[number] else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unknown stream \(number)")
    }
    return stream
  }

  /// Whether `stream` was met; to ask for its row would copy that.
  private func isNumbered(_ stream: StreamID) -> Bool { rows.index(forKey: stream) != nil }

  /// The row of `stream`; nil if it was never met.
  func row(of stream: StreamID) -> Row? { rows[stream] }

  var all: [Row] { rows.values.sorted { $0.stream < $1.stream } }

  /// Where the first line of `stream` stands: all of it, unless it has branches.
  func position(of stream: StreamID) -> StreamPosition {
    rows[stream]?.positions.first ?? .start
  }

  /// The greatest time at which any line of any stream stands.
  var latestTime: HybridTime {
    rows.values.reduce(.zero) { latest, row in
      row.positions.reduce(latest) { max($0, $1.time) }
    }
  }

  /// The local number of `stream`, a new one if it was never met.
  mutating func number(of stream: StreamID, _ db: Database) throws -> Int64 {
    if let row = rows[stream] { return row.number }
    try db.run("INSERT INTO streams(stream) VALUES (?)", [stream.databaseBytes])
    let number = db.lastInsertedRowID
    hasNumbered = true
    streamsByNumber[number] = stream
    rows[stream] = Row(number: number, stream: stream, positions: [.start], written: 0)
    return number
  }

  /// Gives numbers to the streams that a transaction names: no document's row can be made without,
  /// and these are made without the database (``DocumentFold``).
  mutating func number(
    what header: Transaction.Header, and facts: OperationFacts, _ db: Database
  ) throws {
    for entry in header.context.entries where !isNumbered(entry.stream) {
      _ = try number(of: entry.stream, db)
    }
    for insert in facts.inserts where !isNumbered(insert.stream) {
      _ = try number(of: insert.stream, db)
    }
  }
}

// MARK: - Applying

extension StreamDirectory {
  /// Notes that `header` is applied, whose predecessor in its stream was `previous`.
  ///
  /// - parameters:
  ///   - facts: What its operations are.
  ///   - isLeftOut: whether nothing is left of it but its name, so that nothing can lean on it.
  mutating func apply(
    _ header: Transaction.Header, _ facts: OperationFacts,
    after previous: Fingerprint, isLeftOut: Bool = false, _ db: Database
  ) throws {
    let newer = facts.kinds.newer
    if !newer.isEmpty || !isNumbered(header.stream) {
      let number = try number(of: header.stream, db)
      if !newer.isEmpty { try NewerTransactions.note(header.tip, newer, stream: number, db) }
    }
    if let tip = frontier.lineage.streams[header.stream]?.lines.first?.tip,
      tip.sequence != header.sequence - 1 || tip.fingerprint != previous
    {
      try branch(header.stream, db)
    }
    let (line, first) = frontier.apply(
      header, after: previous, isUnderstood: newer.isEmpty,
      inserts: facts.missingInserts(in: frontier.lineage))
    try settleContradictions(db)
    // Also where a line goes on: what contexts name may have come with it.
    if frontier.lineage.streams[header.stream]?.isBranching == true {
      rebranched.insert(header.stream)
      noteConnected(to: header.tip)
    }
    rows[header.stream]?.advance(line.index, isWritten: facts.count > 0) { previous in
      isLeftOut
        ? StreamPosition(at: header.tip) : StreamPosition(after: header, behind: previous)
    }
    noteChanged(line, openFrom: first)
  }

  /// Notes that transactions are applied that follow one another and of which nothing is left, as
  /// ``apply(_:_:after:isLeftOut:_:)`` does with each: they contradict nothing that would have to
  /// be settled.
  ///
  /// - parameters:
  ///   - tips: One at least.
  ///   - header: The first.
  ///   - previous: What the first follows.
  /// - precondition: ``Frontier/extends(_:after:)``, and all are ``Frontier/agreeing(_:)``
  mutating func applyLeftOut(
    _ tips: ArraySlice<Context.Entry>, of header: Transaction.Header, after previous: Fingerprint
  ) {
    guard let end = tips.last else { return }
    let first = frontier.applyLeftOut(tips, of: header, after: previous)
    let line = Lineage.LineID(stream: header.stream, index: 0)
    rows[header.stream]?.advance(line.index, isWritten: false) { _ in StreamPosition(at: end) }
    noteChanged(line, openFrom: first)
  }

  /// Notes that a line has to be written, and its open transactions from `first` on.
  private mutating func noteChanged(_ line: Lineage.LineID, openFrom first: UInt64) {
    // Most come behind one that has been noted.
    if let noted, noted.line == line, noted.first <= first { return }
    unstored[line] = min(unstored[line] ?? .max, first)
    changed.insert(line)
    noted = (line, first)
  }

  /// Notes that a stream of this device's goes on elsewhere: what somebody names of it that is not
  /// here need not follow what is.
  ///
  /// Also before anything of it is here: a device that takes another's place knows.
  mutating func fork(_ stream: StreamID, _ db: Database) throws {
    frontier.expectFork(of: stream)
    try settleContradictions(db)
  }

  /// Compares what contexts name with the marks stored.
  private mutating func settleContradictions(_ db: Database) throws {
    for entry in frontier.takeUnverified() {
      if try !holds(entry, db) { frontier.contradict(entry.stream) }
    }
    for stream in frontier.takeContradicted() {
      try branch(stream, db)
      rebranched.insert(stream)
      changed.insert(Lineage.LineID(stream: stream, index: 0))
    }
  }

  /// A transaction may connect lines that began behind it, and tell that its stream branches.
  private mutating func noteConnected(to tip: Context.Entry) {
    let lines = frontier.lineage.streams[tip.stream]?.lines ?? []
    for index in lines.indices where index == 0 || lines[index].base == tip.sequence {
      changed.insert(Lineage.LineID(stream: tip.stream, index: index))
    }
  }

  /// Makes a stream be judged by fingerprint from now on.
  mutating func branch(_ stream: StreamID, _ db: Database) throws {
    guard let row = rows[stream], let known = frontier.lineage.streams[stream],
      !known.isBranching, let line = known.lines.first
    else { return }
    var marks = try MarkTable.unknown(row.unmarked)
    marks += try MarkTable.all(of: row.number, line: 0, db) + row.lastMarks
    let missing = max(Int(line.tip.sequence) - line.marks.count, 0)
    marks = Array(marks.prefix(missing))
    marks += try MarkTable.unknown(UInt64(missing - marks.count))
    frontier.branch(stream, earlierMarks: marks)
    rebranched.insert(stream)
    changed.insert(Lineage.LineID(stream: stream, index: 0))
  }

  /// Whether a transaction is applied, by its fingerprint, as far as can be told.
  func holds(_ entry: Context.Entry, _ db: Database) throws -> Bool {
    try holding(entry, db) != .absent
  }

  /// Where a stream stands at a transaction that is applied: completely, if a line ends with it.
  func position(at entry: Context.Entry, _ db: Database) throws -> StreamPosition? {
    guard entry.sequence > 0 else { return entry.fingerprint == .origin ? .start : nil }
    if let end = rows[entry.stream]?.positions.first(where: {
      $0.sequence == entry.sequence && $0.fingerprint == entry.fingerprint
    }) {
      return end
    }
    guard try holding(entry, db) == .held else { return nil }
    return StreamPosition(at: entry)
  }
}

// MARK: - What it means for documents

extension StreamDirectory {
  /// Whether documents may show something else because of what was applied to streams.
  var hasRebranched: Bool { !rebranched.isEmpty || hasNewMeaning }

  /// Whether that goes also for those of which all that an author had seen was held: it is judged
  /// by fingerprint now, or by more of them.
  var hasNewMeaning: Bool {
    hasNewMarks
      || frontier.lineage.streams.contains {
        $0.value.isBranching && !branchingBefore.contains($0.key)
      }
  }
}

// MARK: - Saving

extension StreamDirectory {
  /// Lets transactions close of which this program, being a newer one, understands all.
  mutating func understand(_ known: KindCodes, _ db: Database) throws {
    let understood = try NewerTransactions.forget(knowing: known, db, streams: self)
    frontier.understand { understood.contains($0) }
    try save(db)
  }

  /// Moves the closed part on and writes all that changed.
  mutating func save(_ db: Database) throws {
    try close(db)
    for (line, first) in unstored {
      guard let open = frontier.open[line] else { continue }
      for transactions in open.reversed().prefix(while: { $0.first >= first }) {
        try store(transactions, on: line, db)
      }
      stored[line] = open.last?.first
    }
    unstored = [:]
    for line in changed { try save(line, db) }
    changed = []
    noted = nil
    try saveNames(db)
  }

  /// What would be read of what is stored now; nil where that is not simply told, as with streams
  /// that branch.
  ///
  /// - precondition: it is saved.
  var asStored: StreamDirectory? {
    let streams = frontier.lineage.streams
    guard !hasNumbered, changed.isEmpty, unstored.isEmpty, frontier.open.isEmpty,
      frontier.givenUp.isEmpty, !hasRebranched, !streams.contains(where: \.value.isBranching)
    else { return nil }
    var stored = self
    stored.frontier = Frontier(
      lineage: frontier.lineage.withoutMarks, closedTips: frontier.closedTips, lost: frontier.lost,
      givenUpNames: storedNames)
    stored.noted = nil
    stored.manyOpen = 4096
    return stored
  }

  /// Moves the closed part on, if much has been applied since: each transaction is held with its
  /// context until then.
  mutating func closeIfMany(_ db: Database) throws {
    guard openCount >= manyOpen else { return }
    try close(db)
    // What cannot close is not looked at again until there is as much more of it.
    manyOpen = max(manyOpen, 2 * openCount)
  }

  private var openCount: Int { frontier.open.values.reduce(0) { $0 + $1.count } }

  private mutating func close(_ db: Database) throws {
    try settleContradictions(db)
    var ends: [Lineage.LineID: UInt64] = [:]
    for transactions in frontier.close() {
      guard let line = frontier.lineage.place(of: transactions.tip) else { continue }
      changed.insert(line)
      ends[line] = transactions.first
    }
    // What is new and closes at once was never stored.
    for (line, end) in ends {
      guard let last = stored[line] else { continue }
      try db.run(
        "DELETE FROM open_transactions WHERE stream = ? AND line = ? AND sequence <= ?",
        [try number(of: line.stream, db), line.index, Int64(end)])
      if last <= end { stored[line] = nil }
    }
  }

  private mutating func store(
    _ transactions: Frontier.Open, on line: Lineage.LineID, _ db: Database
  ) throws {
    let number = try self.number(of: line.stream, db)
    let inserts = Context(
      transactions.inserts.map { stream, sequence in
        Context.Entry(stream: stream, sequence: sequence, fingerprint: .origin)
      })
    let (context, awaited) = try (
      Data(ContextCoding.encode(transactions.context) { try self.number(of: $0, db) }),
      Data(ContextCoding.encode(inserts) { try self.number(of: $0, db) })
    )
    try db.run(
      """
      INSERT OR REPLACE INTO open_transactions
        (stream, line, sequence, fingerprint, context, inserts, last)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      [
        number, line.index, Int64(transactions.first),
        transactions.tip.fingerprint.databaseBytes, context,
        inserts.entries.isEmpty ? nil : awaited, Int64(transactions.tip.sequence),
      ])
  }
}
