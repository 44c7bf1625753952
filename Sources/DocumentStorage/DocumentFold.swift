import CanonicalJSON
import GRDB
import Replication

/// Finds out what becomes of documents as operations come to them.
///
/// It has no database, and needs none: rows are read and written by the one thread that has it,
/// while several find out what belongs into them.
final class DocumentFold: Sendable {
  typealias Entry = DocumentState.Entry

  /// What becomes of a document.
  struct Outcome: Sendable {
    /// What is to be written; nil if nothing is.
    var row: DocumentRow?
    /// Where it changed.
    var changes = DocumentChanges()
  }

  /// What contexts are judged by.
  private let lineage: Lineage
  private let numbers: NumberedStreams
  /// The streams whose documents are told with the paths that changed.
  private let listed: Set<StreamID>
  /// What the program knows that this is done for: the simulator has a device run a newer one.
  fileprivate let understood = KindCodes.understood

  init(lineage: Lineage, streams: StreamDirectory, listed: Set<StreamID>) {
    self.lineage = lineage
    numbers = NumberedStreams(streams)
    self.listed = listed
  }

  /// - parameters:
  ///   - incoming: What comes to a document, in an order that keeps each stream's.
  ///   - stored: The state in its row; nil if there is none.
  /// - precondition: This thread understands the same kinds of operations, as those of ``Folding``.
  /// - throws: where what is stored is damaged.
  func outcome(
    of incoming: CollectedDocuments.Incoming, on stored: [UInt8]?
  ) throws -> Outcome {
    let operations = incoming.entries
    var state = try state(in: stored)
    var outcome = Outcome()
    // Edits that came before their insert show with it, be it that it is covered.
    if !state.isEmpty {
      for insert in operations where insert.effect.insert == insert.stamp.dot {
        for path in state.shownPaths(editing: insert.stamp.dot) {
          note(path, by: insert.stamp.dot.stream, &outcome.changes)
        }
      }
    }
    let forgotten = state.forgotten
    state.apply(operations) { note($1, by: $0.stamp.dot.stream, &outcome.changes) }
    state.forgetCovered(incoming.covered.count)
    for (path, stream) in incoming.covered { note(path, by: stream, &outcome.changes) }
    // What was covered before it came changes nothing, and is counted.
    guard !outcome.changes.isEmpty || state.forgotten != forgotten else { return outcome }
    state.settle()
    outcome.row = try DocumentRow(of: state, number: numbers.number)
    return outcome
  }

  private func state(in stored: [UInt8]?) throws -> DocumentState {
    guard let stored else { return DocumentState(lineage: lineage) }
    return try StateCoding.decode(stored, streams: numbers, lineage: lineage)
  }

  private func note(_ path: Path, by stream: StreamID, _ changes: inout DocumentChanges) {
    changes.note(path, by: stream, isListed: listed.contains(stream))
  }
}

/// What has become of a document, and how many operations came to it.
typealias Folded = (key: DocumentKey, operations: Int, outcome: DocumentFold.Outcome)

extension DocumentTable {
  /// So many documents are read and written at once.
  private static var chunk: Int { 1024 }
  /// Fewer where they are large: three times as much is in memory at once.
  private static var chunkBytes: Int { 4 << 20 }

  /// Brings operations to documents, several threads at work.
  ///
  /// - parameter note: called with those that are written, in the order of their keys.
  mutating func fold(
    _ documents: CollectedDocuments, by fold: DocumentFold, note: ([Folded]) -> Void
  ) throws {
    var done: [[Folded]] = []
    var start = 0
    // Of a new device nothing is stored: then a tenth of the time would go into asking for each.
    let reading = try isEmpty() ? nil : db.cachedStatement(sql: StatesInOrder.sql)
    var stored = try storedStates(of: documents, from: start, by: reading)
    while start < documents.count {
      let folding = Folding(fold: fold, documents: documents, stored: stored, start: start)
      start += stored.count
      // What was found out before is written while others find out what comes next.
      let results = try folding.work().results {
        try save(done, note)
        stored = try storedStates(of: documents, from: start, by: reading)
      }
      done = try results.map { try $0.get() }
    }
    try save(done, note)
  }

  /// - parameter reading: nil if there is none.
  private func storedStates(
    of documents: CollectedDocuments, from start: Int, by reading: Statement?
  ) throws -> [[UInt8]?] {
    let end = min(start + Self.chunk, documents.count)
    guard let reading else { return Array(repeating: nil, count: end - start) }
    var rows = StatesInOrder(reading)
    var states: [[UInt8]?] = []
    var bytes = 0
    var collection: (name: ByteString, number: Int64?)?
    for place in start..<end where bytes < Self.chunkBytes {
      let key = documents.key(at: place)
      if collection?.name != key.collection {
        collection = (key.collection, collections.number(of: key.collection))
      }
      let state = try collection?.number.flatMap { try rows.state(of: key.id.bytes, in: $0) }
      states.append(state)
      bytes += state?.count ?? 0
    }
    return states
  }

  private mutating func save(_ done: [[Folded]], _ note: ([Folded]) -> Void) throws {
    var batch = DocumentBatch()
    // By place: an iterator would copy each.
    for piece in done {
      for index in piece.indices {
        guard let row = piece[index].outcome.row else { continue }
        try save(row, of: piece[index].key, in: &batch)
      }
    }
    try write(&batch)
    for piece in done { note(piece) }
  }
}

/// Some documents that operations come to, with what is stored of them.
final class Folding: Sendable {
  private let fold: DocumentFold
  private let documents: CollectedDocuments
  /// The states in the rows, from the document at `start` on.
  private let stored: [[UInt8]?]
  private let start: Int

  /// Enough that to take a piece takes no time against what it is.
  private static let pieceSize = 64

  init(
    fold: DocumentFold, documents: CollectedDocuments, stored: [[UInt8]?], start: Int
  ) {
    self.fold = fold
    self.documents = documents
    self.stored = stored
    self.start = start
  }

  func work() -> SharedWork<Result<[Folded], any Error>> {
    let count = (stored.count + Self.pieceSize - 1) / Self.pieceSize
    return SharedWork(count: count) { [self] piece in
      let first = piece * Self.pieceSize
      var shared = CollectedDocuments.Shared()
      return Result {
        // On other threads, too.
        try KindCodes.$understood.withValue(fold.understood) {
          try (first..<min(first + Self.pieceSize, stored.count)).map { try folded($0, &shared) }
        }
      }
    }
  }

  private func folded(
    _ index: Int, _ shared: inout CollectedDocuments.Shared
  ) throws -> Folded {
    let incoming = documents.incoming(at: start + index, &shared)
    let outcome = try fold.outcome(of: incoming, on: stored[index])
    return (documents.key(at: start + index), incoming.count, outcome)
  }
}
