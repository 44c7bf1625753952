import CanonicalJSON
import GRDB
import Replication

/// Finds out what becomes of documents as operations come to them.
///
/// It has no database, and needs none: rows are read and written by the one thread that has it,
/// while several find out what belongs into them.
final class DocumentFold: Sendable {
  /// What contexts are judged by.
  private let lineage: Lineage
  private let numbers: NumberedStreams
  /// What the program knows that this is done for: the simulator has a device run a newer one.
  fileprivate let understood = KindCodes.understood

  init(lineage: Lineage, streams: StreamDirectory) {
    self.lineage = lineage
    numbers = NumberedStreams(streams)
  }

  /// Finds out what becomes of a document, behind those before it.
  ///
  /// - parameters:
  ///   - incoming: What comes to it, in an order that keeps each stream's.
  ///   - stored: Where the state in its row stands in `states`; nil if there is none.
  ///   - isListed: Whether the paths are told that somebody changed.
  /// - precondition: This thread understands the same kinds of operations, as those of ``Folding``.
  /// - throws: where what is stored is damaged.
  func append(
    _ incoming: CollectedDocuments.Incoming, on stored: Range<Int>?, of states: [UInt8],
    by encoder: inout StateEncoder, to folded: inout FoldedDocuments,
    isListed: (StreamID) -> Bool
  ) throws {
    let operations = incoming.entries
    var state = try state(in: stored, of: states)
    folded.changes.begin()
    func note(_ path: Path, by stream: StreamID) {
      folded.changes.note(path, by: stream, isListed: isListed(stream))
    }
    // Edits that came before their insert show with it, be it that it is covered.
    if !state.isEmpty {
      for insert in operations where insert.effect.insert == insert.stamp.dot {
        for path in state.shownPaths(editing: insert.stamp.dot) {
          note(path, by: insert.stamp.dot.stream)
        }
      }
    }
    let forgotten = state.forgotten
    state.apply(operations) { note($1, by: $0.dot.stream) }
    state.forgetCovered(incoming.covered.count)
    for (path, stream) in incoming.covered { note(path, by: stream) }
    // What was covered before it came changes nothing, and is counted.
    var row: DocumentRow?
    if !folded.changes.current.isEmpty || state.forgotten != forgotten {
      state.settle()
      row = try DocumentRow(
        of: state, by: &encoder, to: &folded.states, number: numbers.number)
    }
    folded.append(row, operations: incoming.count)
  }

  private func state(in stored: Range<Int>?, of states: [UInt8]) throws -> DocumentState {
    guard let stored else { return DocumentState(lineage: lineage) }
    return try StateCoding.decode(states, in: stored, streams: numbers, lineage: lineage)
  }
}

/// What has become of some documents, one after another.
struct FoldedDocuments: Sendable {
  struct Document: Sendable {
    /// What is to be written; nil if nothing is.
    let row: DocumentRow?
    /// Who changed it, and where.
    let changes: Range<Int>
  }

  /// Where the first of them stands in the order of those that operations came to.
  let start: Int
  private(set) var documents: [Document] = []
  /// The states of their rows.
  fileprivate(set) var states: [UInt8] = []
  fileprivate(set) var changes = DocumentChanges()
  /// How many came to them.
  private(set) var operations = 0

  init(start: Int) { self.start = start }

  fileprivate mutating func append(_ row: DocumentRow?, operations: Int) {
    documents.append(Document(row: row, changes: changes.current))
    self.operations += operations
  }
}

extension DocumentTable {
  /// Brings operations to documents, several threads at work.
  ///
  /// - parameters:
  ///   - listings: Asked for which documents of each stream may be listed, from then on.
  ///   - note: Called with those that are written, in the order of their keys.
  mutating func fold(
    _ documents: CollectedDocuments, by fold: DocumentFold,
    listings: () -> [StreamID: Listing], note: (FoldedDocuments) throws -> Void
  ) throws {
    var done: [FoldedDocuments] = []
    // Of a new device nothing is stored: then a tenth of the time would go into asking for each.
    let reading = try isEmpty() ? nil : db.cachedStatement(sql: StatesInOrder.sql)
    var stored = try storedStates(of: documents, from: 0, by: reading)
    while !stored.isEmpty {
      let folding = Folding(fold, of: documents, on: stored, listings: listings())
      let next = stored.last?.range.upperBound ?? documents.count
      // What was found out before is written while others find out what comes next.
      let results = try folding.work().results {
        try save(done, of: documents, note)
        stored = try storedStates(of: documents, from: next, by: reading)
      }
      done = try results.map { try $0.get() }
    }
    try save(done, of: documents, note)
  }

  private mutating func save(
    _ done: [FoldedDocuments], of documents: CollectedDocuments,
    _ note: (FoldedDocuments) throws -> Void
  ) throws {
    var batch = DocumentBatch()
    let keys = documents.keys
    var collection: (key: UInt32, number: Int64)?
    // By place: an iterator would copy each.
    for piece in done {
      for index in piece.documents.indices {
        guard let row = piece.documents[index].row else { continue }
        let key = keys.places[documents.number(at: piece.start + index)]
        if collection?.key != key.collection {
          let name = keys.collections[Int(key.collection)]
          collection = (key.collection, try collections.makeNumber(of: name, db))
        }
        guard let collection else { continue }
        batch.append(
          row, of: piece.states, id: keys.ids[key.id], collection: collection.number)
        if batch.isFull { try write(&batch) }
      }
    }
    try write(&batch)
    for piece in done { try note(piece) }
  }
}

/// Some documents that operations come to, with what is stored of them.
private final class Folding: Sendable {
  private let fold: DocumentFold
  private let documents: CollectedDocuments
  private let stored: [StoredStates]
  private let listings: [StreamID: Listing]

  init(
    _ fold: DocumentFold, of documents: CollectedDocuments, on stored: [StoredStates],
    listings: [StreamID: Listing]
  ) {
    (self.fold, self.documents, self.stored) = (fold, documents, stored)
    self.listings = listings
  }

  func work() -> SharedWork<Result<FoldedDocuments, any Error>> {
    SharedWork(count: stored.count) { [self] piece in
      Result {
        // On other threads, too.
        try KindCodes.$understood.withValue(fold.understood) { try folded(on: stored[piece]) }
      }
    }
  }

  private func folded(on stored: StoredStates) throws -> FoldedDocuments {
    var folded = FoldedDocuments(start: stored.range.lowerBound)
    var shared = documents.shared(by: stored.range)
    var incoming = CollectedDocuments.Incoming()
    var encoder = StateEncoder()
    for place in stored.range {
      documents.read(&incoming, at: place, &shared)
      let number = documents.number(at: place)
      try fold.append(
        incoming, on: stored.state(at: place), of: stored.bytes, by: &encoder, to: &folded
      ) { listings[$0]?.has(number, of: documents.keys) ?? false }
    }
    return folded
  }
}
