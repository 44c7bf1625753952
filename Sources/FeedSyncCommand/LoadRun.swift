import CanonicalJSON
import DocumentStorage
import FeedSync
import Replication
import Syncing

/// One `load` on its way: reads lines, writes transactions, publishes, notes how far it came.
struct LoadRun {
  /// A transaction is ended early when its documents have this many bytes.
  private static let transactionBytes = 2 << 20

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
  private var pace = PublishPace(now: .zero)
  private var hasWarned = false
  /// The last transaction that this device had written when the last line was.
  private var tip: Context.Entry?
  /// Where in the input this load began.
  private var start: Int64 = 0
  /// The last line that is written now, and where the next begins.
  private var written = (line: 0, offset: Int64(0))
  private var documents = 0
  private(set) var changed = 0
  private(set) var last: StoreWriter.Result?

  init(
    device: Device, lines: LineReader, interruption: Interruption?, transactionSize: Int,
    journal: LoadJournal
  ) throws {
    self.device = device
    self.lines = lines
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
    defer { progress.clear() }
    while !isInterrupted {
      let batch = try nextBatch()
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
  var summary: String {
    guard written.line > 0 else { return "interrupted before anything was written" }
    return "interrupted: lines 1 to \(written.line) are written, and no others"
  }

  private mutating func publishFromTimeToTime() {
    guard pace.isDue(at: clock.now - began) else { return }
    let outcome = Writing.publication(of: device)
    // Where it fails, once is enough to say so.
    if case .failed(let error) = outcome, !hasWarned {
      Output.warning(error)
      hasWarned = true
    }
    pace.note(isDone: outcome.isDone, at: clock.now - began)
  }

  private mutating func write(_ batch: [(DocumentKey, JSON)]) throws {
    var rest = batch[...]
    while !rest.isEmpty {
      let result = try writeOne(&rest)
      changed += result.changed
      guard result.sequence != nil else { continue }
      tip = result.tip
      last = result
    }
    documents += batch.count
    written = (lines.number, lines.offset)
    onCommit(written.line)
    guard let look = lines.look else { return }
    try journal.note(
      LoadJournal.Entry(look: look, line: written.line, offset: written.offset), writtenBy: tip)
  }

  /// Writes as many documents as fit into one transaction, and takes them off the front.
  private func writeOne(
    _ documents: inout ArraySlice<(DocumentKey, JSON)>
  ) throws -> StoreWriter.Result {
    var taken = 0
    let result = try device.database.writeDocuments(
      now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: false
    ) { writer in
      for (key, body) in documents where writer.bytes <= Self.transactionBytes {
        _ = try writer.put(body, at: key)
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

  private mutating func nextBatch() throws -> [(DocumentKey, JSON)] {
    var batch: [(DocumentKey, JSON)] = []
    var bytes = 0
    while batch.count < transactionSize, bytes < Self.transactionBytes,
      let line = try lines.next()
    {
      do {
        batch.append(try LoadLine.document(Array(line)))
      } catch let error as FeedSyncError {
        throw FeedSyncError(
          error.code, operation: "load", file: lines.name,
          message: "line \(lines.number): \(error.message)",
          hint: "earlier transactions are written; mend the line and load again")
      }
      bytes += line.count
    }
    return batch
  }
}

/// A line of what `dump` prints.
private enum LoadLine {
  static func document(_ line: [UInt8]) throws -> (DocumentKey, JSON) {
    let value = try DocumentArguments.json(line, operation: "load", wrapping: 1)
    guard case .object(let object) = value, object.members.count == 3,
      case .string(let collection) = object["collection"],
      case .string(let id) = object["id"], let body = object["body"]
    else {
      throw FeedSyncError(
        .badInput, operation: "load",
        message: #"a line has the members "body", "collection" and "id""#)
    }
    let key = DocumentKey(collection: collection, id: id)
    if let problem = key.problem { throw DocumentRules.error(problem) }
    try DocumentRules.check(body, operation: "load")
    return (key, body)
  }
}
