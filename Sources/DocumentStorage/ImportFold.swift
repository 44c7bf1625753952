import CanonicalJSON
import GRDB
import Replication
import SegmentFormat

/// Collects operations by document, so that each row is read and written once, in key order.
///
/// What becomes of documents is found out by several threads (``DocumentFold``); the database is
/// this one's.
///
/// When they take too much memory, they are written, and collecting begins anew; a document may
/// then be written more than once.
///
/// Not copied: it is at work on each operation, and a copy would count each of its parts.
struct ImportFold: ~Copyable {
  let db: Database
  var streams: StreamDirectory
  private var table: DocumentTable
  private let own: StreamID?
  /// Whether somebody else has written this device's stream, or seen more of it than it wrote.
  private(set) var isForked = false
  private var clock = HybridClock(latest: .zero)
  var collected = CollectedOperations()
  private var clocks: ClockRecords
  /// The wall clock, in milliseconds since 1970.
  let now: Int64
  private let limit: Int
  private let onProgress: (Int) -> Void
  private var unreported = 0
  private var streamPages = StreamPages()
  private static let reportedAtOnce = 2048
  private var hasWritten = false
  private var part = ImportedPart()
  private var devices = ImportedDevices()
  /// How far streams had come of which inserts are awaited, when that was first so.
  private var awaited: [StreamID: UInt64]
  /// How much was known of streams of which files wait, when the first of them was tried.
  private var knowledge: [StreamID: Int] = [:]

  init(
    _ db: Database, streams: StreamDirectory, now: HybridTime, limit: Int,
    onProgress: @escaping (Int) -> Void
  ) throws {
    let device = try DeviceRecord.fetch(db)
    guard device?.leftAt == nil else { throw StorageError.left }
    let table = try DocumentTable(db)
    self.db = db
    clocks = ClockRecords(now: now)
    self.now = Int64(now.milliseconds)
    self.limit = limit
    self.onProgress = onProgress
    self.streams = streams
    self.table = table
    awaited = streams.frontier.awaitedEnds
    own = device?.stream
  }

  mutating func take(_ opened: SegmentsAhead.Opened, of held: HeldSegment) throws {
    switch opened {
    case .success(let opened): try take(opened)
    case .failure(let error): part.rejected[held.file] = error
    }
  }

  private mutating func take(_ opened: OpenedSegment) throws {
    let held = opened.held
    let range = held.range
    try streamPages.keep(db, beside: held.bytes.count)
    if !opened.isUnderOwnName { part.misnamed.insert(held.file) }
    let number = try streams.number(of: range.stream, db)
    if let known = try SegmentRecords.fingerprint(
      of: range, digest: opened.digest, stream: number, db)
    {
      return try noteKnown(opened, fingerprint: known)
    }
    var isBehindStatement = false
    // The stream goes on, or branches, where what the segment follows is held.
    guard var start = try streams.start(of: opened.frame, db) else {
      return try noteWaiting(held)
    }
    if opened.frame.leansOnPrevious, !start.isComplete {
      guard let complete = try SegmentReplay.position(at: range.predecessor, streams, db) else {
        // A process of this device may be about to note it.
        guard try !SegmentRecords.isBeingPublished(range, stream: number, db) else { return }
        let isSuperseded = try StatementTable.supersedes(
          range.first...range.last, of: range.stream, streams, db)
        return try isSuperseded ? noteSuperseded(held) : noteWaiting(held)
      }
      start = complete
      isBehindStatement = try StatementTable.supersedes(
        range.first - 1...range.first - 1, of: range.stream, streams, db)
    }
    do {
      try take(opened, from: start, isBehindStatement: isBehindStatement)
    } catch let error as SegmentError {
      part.rejected[held.file] = error
    }
  }

  /// - parameter isBehindStatement: Whether of what it leans on no more than the name may be left,
  ///   but here.
  private mutating func take(
    _ opened: OpenedSegment, from start: StreamPosition, isBehindStatement: Bool
  ) throws {
    let held = opened.held
    let range = held.range
    let (prepared, new) = try opened.transactions(after: start)
    // Two files may share transactions, at the front or, where one of them came behind a hole that
    // this one fills, anywhere.
    let pieces = prepared.pieces[new]
    let tips = prepared.tips[new]
    let holdings = try tips.map { try streams.holding($0, db) }
    let end = tips.last?.fingerprint ?? start.fingerprint
    // A fingerprint tells of all before it: what stands before one that is held, and may be
    // another, is that.
    let rest = holdings.suffix(from: holdings.lastIndex(of: .held).map { $0 + 1 } ?? 0)
    let name = pieces.first.flatMap { LearntName(of: opened.frame, first: $0.header.time) }
    let isNewName = try name.map { try streams.learn($0, of: range.stream, db) } ?? false
    try noteFormerStreams(of: opened.frame)
    guard !rest.isEmpty || holdings.contains(.absent) else {
      try noteKnown(opened, fingerprint: end)
      if isBehindStatement, isNewName { return try archiveWhole(opened, after: start) }
      let isKept = try archive(opened, pieces, telling: name, isNew: isNewName)
      return isKept ? () : try keepSpent(opened, fingerprint: end)
    }
    guard !rest.contains(.unknown) else {
      // Until it is known which transactions an older program had applied: not to be lost.
      return try noteWaiting(held)
    }
    if range.stream == own { isForked = true }
    if !devices.has(range.stream) { devices.add(fromDevice(range.stream)) }
    var place = new.lowerBound
    while place < new.upperBound {
      let previous = place > new.lowerBound ? tips[place - 1].fingerprint : start.fingerprint
      let run = leftOut(from: place, of: pieces, tips, holdings, after: previous)
      if run.isEmpty, holdings[place - new.lowerBound] == .absent {
        try take(pieces[place], after: previous)
      } else if !run.isEmpty {
        take(run, of: pieces[place].header, after: previous)
      }
      place += max(run.count, 1)
    }
    try streams.closeIfMany(db)
    part.segments += 1
    part.applied.append(held.file)
    try remember(opened, fingerprint: end)
    if isBehindStatement { return try archiveWhole(opened, after: start) }
    try archive(opened, pieces, telling: name, isNew: true)
  }

  /// The new transactions from `place` on, one after another, of which nothing is left and which
  /// can be taken in at once: after much was dropped they are most of a file.
  ///
  /// - parameter holdings: of all in `pieces`.
  private func leftOut(
    from place: Int, of pieces: ArraySlice<PreparedTransactions.Piece>,
    _ tips: ArraySlice<Context.Entry>, _ holdings: [StreamDirectory.Holding],
    after previous: Fingerprint
  ) -> ArraySlice<Context.Entry> {
    guard pieces[place].isLeftOut, streams.frontier.extends(pieces[place].header, after: previous)
    else { return [] }
    // By place: an iterator would copy each.
    var end = place
    while end < pieces.endIndex, pieces[end].isLeftOut,
      holdings[end - pieces.startIndex] == .absent
    {
      end += 1
    }
    return streams.frontier.agreeing(tips[place..<end])
  }

  /// - parameters:
  ///   - tips: Transactions of which nothing is left; their time is that of the one behind them.
  ///   - header: The first one's.
  private mutating func take(
    _ tips: ArraySlice<Context.Entry>, of header: Transaction.Header, after previous: Fingerprint
  ) {
    streams.applyLeftOut(tips, of: header, after: previous)
    note(tips.count, of: header, operations: 0)
  }

  private mutating func take(
    _ piece: PreparedTransactions.Piece, after previous: Fingerprint
  ) throws {
    let header = piece.header
    if collected.bytes + piece.mostBytes > limit { try writeDocuments() }
    // Only what does not fit by itself is written in pieces: without the transaction in hand, whose
    // later operations have not come to the documents.
    let whole = piece.mostBytes > limit ? streams.frontier.lineage : nil
    try streams.apply(header, piece.facts, after: previous, isLeftOut: piece.isLeftOut, db)
    try streams.number(what: header, and: piece.facts, db)
    try noteFork(by: piece)
    // A branch that it tells of is unknown to what was whole before it: nothing may be forgotten by
    // that, so all of it is held.
    let branching = Self.branching
    let pieces = whole.flatMap { branching($0) == branching(streams.frontier.lineage) ? $0 : nil }
    note(1, of: header, operations: piece.facts.count)
    collected.begin(header)
    let operations = piece.transaction.operations.indices
    guard let pieces else { return collected.append(operations, of: piece.transaction) }
    for offset in operations {
      collected.append(offset..<offset + 1, of: piece.transaction)
      guard collected.bytes > limit else { continue }
      try writeDocuments(judgedBy: pieces)
      collected.begin(header)
    }
  }

  /// Notes that so many transactions are applied that have the time of `header`.
  private mutating func note(_ count: Int, of header: Transaction.Header, operations: Int) {
    clock.merge(header.time)
    clocks.note(header)
    devices.count(transactions: count, operations: operations, of: header.stream)
  }

  /// Looks whether its author knows more of this device's stream than this device does.
  private mutating func noteFork(by piece: PreparedTransactions.Piece) throws {
    guard let own, !isForked else { return }
    isForked =
      try piece.header.context.entries(of: own).contains { try !streams.holds($0, db) }
      // Its author had it, also where it could not claim it.
      || piece.facts.inserts.contains {
        $0.stream == own && !streams.frontier.lineage.reaches($0.end, of: own)
      }
    if isForked { try streams.fork(own, db) }
  }

  /// The streams that are judged by fingerprint.
  private static func branching(in lineage: Lineage) -> Set<StreamID> {
    Set(lineage.streams.filter(\.value.isBranching).keys)
  }

  private func fromDevice(_ stream: StreamID) -> ImportedPart.FromDevice {
    ImportedPart.FromDevice(stream: stream, name: streams.name(of: stream))
  }

  private mutating func noteWaiting(_ held: HeldSegment) throws {
    let stream = held.range.stream
    // One that has become too small since costs one more look at the file.
    let known = try knowledge[stream] ?? streams.knowledge(of: stream, db)
    knowledge[stream] = known
    part.waiting[held.file] = known
  }

  private mutating func noteSuperseded(_ held: HeldSegment) throws {
    try noteWaiting(held)
    part.superseded.insert(held.file)
  }

  /// Whose device wrote a stream of this one's before, goes on from what this one was once.
  private func noteFormerStreams(of segment: Segment) throws {
    guard segment.formerStreams.contains(where: { streams.row(of: $0)?.isOwn == true }) else {
      return
    }
    try db.run(
      "UPDATE streams SET own = \(OwnStream.continued) WHERE stream = ? AND own = 0",
      [segment.range.stream.databaseBytes])
  }

  /// A segment all of whose transactions are applied.
  private mutating func noteKnown(
    _ opened: OpenedSegment, fingerprint: Fingerprint
  ) throws {
    part.duplicates.append(opened.held.file)
    try remember(opened, fingerprint: fingerprint)
    let isAwaited = try SegmentArchive.storeIfAwaited(
      opened, fingerprint: fingerprint,
      stream: try streams.number(of: opened.held.range.stream, db), db)
    guard isAwaited else { return }
    // Once in a file's life, so that it may be read again.
    try noteMarks(of: SegmentFile.decode(opened.held.bytes).segment, endingWith: fingerprint)
  }

  /// An older program applied it, and kept no marks.
  private mutating func noteMarks(
    of segment: Segment, endingWith end: Fingerprint
  ) throws {
    var tips = [end]
    if segment.transactions.count > 1 {
      let before = segment.range.predecessor
      let start = StreamPosition(
        sequence: before.sequence, fingerprint: before.fingerprint, context: Context())
      tips = ((try? segment.transactions(after: start)) ?? []).map(\.header.fingerprint)
      guard tips.last == end else { return }
    }
    try streams.fillMarks(
      tips.map(Lineage.mark), from: segment.range.first, of: segment.range.stream, db)
  }

  private mutating func remember(
    _ opened: OpenedSegment, fingerprint: Fingerprint
  ) throws {
    let range = opened.held.range
    try SegmentRecords.note(
      range, digest: opened.digest, hasOwnName: opened.isUnderOwnName,
      fingerprint: fingerprint, stream: try streams.number(of: range.stream, db), db)
  }

  /// Writes what was collected.
  ///
  /// Also in the middle of a transaction: all of this is one transaction of SQLite's.
  ///
  /// - parameter lineage: what contexts are judged by; all that is applied if nil.
  private mutating func writeDocuments(judgedBy lineage: Lineage? = nil) throws {
    var collected = CollectedOperations()
    swap(&collected, &self.collected)
    let lineage = lineage ?? streams.frontier.lineage
    let fold = DocumentFold(lineage: lineage, streams: streams)
    let documents = collected.documents(judgedBy: lineage)
    var table = table
    try table.fold(documents, by: fold) {
      devices.listings(mayBeKnown: hasWritten)
    } note: {
      note($0, of: documents)
      try streamPages.keep(db, beside: $0.states.count)
    }
    self.table = table
    report()
    // What is written by now of edits whose insert may yet come in this import.
    awaited.merge(streams.frontier.awaitedEnds) { first, _ in first }
    hasWritten = true
  }

  private mutating func note(_ written: FoldedDocuments, of documents: CollectedDocuments) {
    let keys = documents.keys
    // By place: an iterator would copy each.
    for index in written.documents.indices {
      guard let isVisible = written.documents[index].row?.isVisible else { continue }
      let number = documents.number(at: written.start + index)
      for place in written.documents[index].changes {
        let stream = written.changes.all[place].stream
        if written.changes.all[place].isListed {
          devices.note(
            keys[number], isDeleted: !isVisible, paths: written.changes.all[place].paths,
            mayBeKnown: hasWritten, by: stream)
        } else {
          devices.count(
            documentIn: keys.collections[Int(keys.places[number].collection)], by: stream)
        }
      }
    }
    unreported += written.operations
    if unreported >= Self.reportedAtOnce { report() }
  }

  private mutating func report() {
    onProgress(unreported)
    unreported = 0
  }

  mutating func finish() throws -> ImportedPart {
    try writeDocuments()
    try clocks.save(&streams, own: own, db)
    try streams.save(db)
    for device in devices.all { try streams.noteArrival(of: device.stream, at: now, db) }
    try judgeProvisional()
    try DeviceRecord.raiseClock(to: clock.latest, db)
    part.devices = devices.all.sorted { $0.stream < $1.stream }
    try ChangeLog.append(part.devices.map { CommittedChange.Origin($0) }, db)
    return part
  }

  /// Judges again what branches have left in doubt, and what edits an insert that may have been on
  /// another branch; who brought the branch changed it.
  private mutating func judgeProvisional() throws {
    let scope: DocumentTable.Scope
    if streams.hasRebranched {
      scope = streams.hasNewMeaning ? .all : .provisional
    } else {
      let lineage = streams.frontier.lineage
      guard awaited.contains(where: { lineage.end(of: $0.key) != $0.value }) else { return }
      scope = .orphans
    }
    let judged = try table.judgeAgain(&streams, scope)
    let origin =
      streams.rebranched.filter { devices.has($0) }.min() ?? devices.all.map(\.stream).min()
    guard !judged.isEmpty, let origin = origin ?? own else { return }
    if !devices.has(origin) { devices.add(fromDevice(origin)) }
    devices.note(judged, by: origin)
  }
}
