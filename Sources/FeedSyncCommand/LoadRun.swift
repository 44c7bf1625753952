import DocumentStorage
import Replication
import Syncing

/// One `load` on its way: writes transactions, and notes how far it came; lines are read, and what
/// is written is published, beside that.
struct LoadRun {
  /// A transaction is ended early when its documents have this many bytes.
  private static let transactionBytes = 2 << 20
  /// It waits when so much was written since what is being published.
  private static let mostBytesAhead = 32 << 20

  /// How the input ended.
  enum End { case complete, interrupted }

  private let device: Device
  private let transactionSize: Int
  private let journal: LoadJournal
  private let interruption: Interruption?
  /// Called after each commit with the last line that is written.
  var onCommit: (_ line: Int) -> Void = { _ in }
  private var lines: LineReader
  private var progress = Progress()
  private let clock = ContinuousClock()
  private let began: ContinuousClock.Instant
  private let publication: BackgroundPublication
  private var pace = PublishPace(now: .zero)
  private var hasWarned = false
  /// The last transaction that this device had written when the last line was.
  private var tip: Context.Entry?
  /// Where in the input this load began.
  private var start: Int64 = 0
  /// The last line that is written now, and where the next begins.
  private var written = (line: 0, offset: Int64(0))
  private var documents = 0
  /// How much was written since a publication began, and how many have.
  private var bytesAhead = 0
  private var publications = 0
  private(set) var changed = 0
  private(set) var last: StoreWriter.Result?

  init(
    device: Device, lines: LineReader, interruption: Interruption?, transactionSize: Int,
    journal: LoadJournal
  ) throws {
    self.device = device
    self.lines = lines
    publication = BackgroundPublication(device) { interruption?.isRequested ?? false }
    self.interruption = interruption
    self.transactionSize = transactionSize
    self.journal = journal
    began = clock.now
    tip = try device.database.ownTip()
  }

  private var isInterrupted: Bool { interruption?.isRequested ?? false }

  /// Goes on where an interrupted load of the same file ended, unless all of it is wanted.
  ///
  /// - returns: the last line that need not be read again, if so.
  mutating func begin(fromStart: Bool) throws -> Int? {
    guard let look = lines.look else { return nil }
    guard !fromStart else {
      try journal.clear(look)
      return nil
    }
    guard let entry = try journal.entry(for: look, device: device) else { return nil }
    try lines.skip(to: entry.offset, line: entry.line)
    written = (entry.line, entry.offset)
    start = entry.offset
    return entry.line
  }

  mutating func writeAll() throws -> End {
    defer {
      publication.end()
      progress.clear()
    }
    var reader = LoadReader(lines)
    while !isInterrupted {
      let batch = try batch(from: &reader)
      // What was read and is no whole transaction is dropped: nobody was told that it is safe.
      guard !isInterrupted else { break }
      guard !batch.isEmpty else { return .complete }
      try write(batch)
      showProgress()
      publishFromTimeToTime()
    }
    return .interrupted
  }

  /// Forgets how far it came: the next load of the file is a new one.
  func conclude() throws {
    if let look = lines.look { try journal.clear(look) }
  }

  /// What an interrupted load says for itself.
  ///
  /// It answers for what it wrote alone: an earlier one may have been killed before it had noted
  /// its last transaction.
  var summary: String {
    switch (documents, written.line) {
    case (0, 0): "interrupted before it wrote anything"
    case (0, let line): "interrupted before it wrote anything behind line \(line)"
    case (_, let line): "interrupted: lines 1 to \(line) are written, and it wrote no others"
    }
  }

  private mutating func publishFromTimeToTime() {
    if let outcome = publication.takeOutcome() {
      // Where it fails, once is enough to say so.
      if case .failed(let error) = outcome, !hasWarned {
        Output.warning(error)
        hasWarned = true
      }
      pace.note(isDone: outcome.isDone, at: clock.now - began)
    }
    let (isRunning, runs) = publication.begin(after: pace.delay(at: clock.now - began))
    if runs > publications {
      publications = runs
      bytesAhead = 0
    }
    // A slow folder is waited for, lest all of the input lie in the database first.
    if isRunning, bytesAhead > Self.mostBytesAhead { publication.wait() }
    if !isRunning, pace.isDue(waiting: bytesAhead) { publication.hasten() }
  }

  private mutating func write(_ batch: [LoadReader.Line]) throws {
    var rest = batch[...]
    while !rest.isEmpty {
      let result = try writeOne(&rest)
      changed += result.changed
      guard result.sequence != nil else { continue }
      tip = result.tip
      last = result
    }
    documents += batch.count
    bytesAhead += batch.reduce(0) { $0 + $1.bytes }
    if let line = batch.last { written = (line.number, line.end) }
    onCommit(written.line)
    guard let look = lines.look else { return }
    try journal.note(
      LoadJournal.Entry(look: look, line: written.line, offset: written.offset), writtenBy: tip)
  }

  /// Writes as many documents as fit into one transaction, and takes them off the front.
  private func writeOne(
    _ documents: inout ArraySlice<LoadReader.Line>
  ) throws -> StoreWriter.Result {
    var taken = 0
    let result = try device.database.writeDocuments(
      now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: false
    ) { writer in
      for line in documents where writer.bytes <= Self.transactionBytes {
        _ = try writer.put(line.body, at: line.key)
        taken += 1
      }
    }
    documents = documents.dropFirst(taken)
    return result
  }

  private mutating func showProgress() {
    let share = lines.look.map { look in
      ProgressText.Share(start: start, done: written.offset, total: look.size)
    }
    let (documents, seconds) = (documents, progress.seconds)
    progress.show(ProgressText.load(documents: documents, share: share, seconds: seconds))
  }

  /// The lines of the next transaction.
  private func batch(from reader: inout LoadReader) throws -> [LoadReader.Line] {
    var batch: [LoadReader.Line] = []
    var bytes = 0
    while batch.count < transactionSize, bytes < Self.transactionBytes,
      let line = try reader.next()
    {
      batch.append(line)
      bytes += line.bytes
    }
    return batch
  }
}
