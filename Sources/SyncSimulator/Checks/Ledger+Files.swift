import CanonicalJSON
import ReferenceModel
import Replication
import SegmentFormat

// What the files of a stream may hold.
extension Ledger {
  /// Where the files of a stream stand: whoever brings them along into another container writes
  /// them anew, with that one's name in them.
  struct Shelf: Hashable {
    let container: UInt128
    let stream: StreamID
  }

  /// The borders of a file are fixed before it is written, and its content is, however often it
  /// is written (rule 32), until something is dropped from it; of a copied stream, each copy has
  /// its own.
  mutating func note(
    _ range: Segment.Range, digest: UInt64, isReduced: Bool
  ) throws {
    guard !copied.contains(range.stream) else { return }
    let borders = range.first...range.last
    let shelf = Shelf(container: range.container.rawValue, stream: range.stream)
    let known = ranges[shelf, default: [:]]
    let overlapping = known.keys.filter { $0 != borders && $0.overlaps(borders) }
    if let other = overlapping.first(where: { !isJoining || !$0.isNested(with: borders) }),
      !isJoining || !isJoinedTwice(range.stream)
    {
      throw Finding("\(range.stream) is published as \(borders) and \(other)")
    }
    guard known[borders] ?? digest == digest || salvaged.contains(range.stream) || isReduced else {
      throw Finding("\(range.stream) is published as two files of \(borders)")
    }
    guard !isReduced else { return }
    ranges[shelf, default: [:]][borders] = digest
  }

  /// Whether several databases may join a stream, each where it sees fit: those of several devices,
  /// or a new one and that in whose place it was made, whose files are put into the folder later.
  private func isJoinedTwice(_ stream: StreamID) -> Bool {
    shared.contains(stream) || salvaged.contains(stream)
  }

  /// Notes what a file leaves nothing of.
  mutating func noteEmptied(_ transactions: [Replication.Transaction]) {
    for transaction in transactions where transaction.reduction != nil {
      if transaction.operations.isEmpty { emptied.insert(transaction.header.tip) }
    }
  }

  /// What is forgotten of what a transaction did to a document.
  func forgotten(of key: DocumentKey, at place: Place) -> Forgotten {
    let operations = authors[place.author][place.sequence].operations.filter { $0.document == key }
    let isOutOfSight = self.operations(on: key).contains { operation in
      dropped[operation.dot].map { $0[place.author] < place.sequence } ?? false
    }
    let isDropped = operations.map { dropped[$0.operation.dot] != nil }
    return Forgotten(
      isAll: isOutOfSight || isDropped.allSatisfy(\.self),
      dropped: zip(operations, isDropped).filter(\.1).map(\.0.operation.path),
      kept: zip(operations, isDropped).filter { !$1 }.map(\.0.operation.path))
  }

  /// What may be forgotten of what a removal did to a document that waited to be published: whoever
  /// writes the document anew may not have heard of it yet.
  func forgottenOfWaiting(_ key: DocumentKey) -> Forgotten {
    let isAnyDropped = operations(on: key).contains { dropped[$0.dot] != nil }
    return Forgotten(isAll: isAnyDropped, dropped: [], kept: [])
  }

  /// Whether the insert that a transaction's edits of a document belong to was dropped by somebody
  /// who had never heard of them: there, they show nothing until the document is written anew.
  func isStump(_ key: DocumentKey, editedAt place: Place) -> Bool {
    guard let insert = insert(of: key, editedAt: place) else { return false }
    return authors[insert.author][insert.sequence].operations.contains { document, operation in
      document == key && operation.isClear && operation.path.isEmpty
        && (dropped[operation.dot].map { $0[place.author] < place.sequence } ?? false)
    }
  }

  /// Whether an operation is one of a document that was written anew (protocol.md 24).
  func isRevival(_ stamp: Stamp) -> Bool {
    guard let place = place(of: stamp.transaction) else { return false }
    return authors[place.author].transactions.first?.isRevival == true
      && authors[place.author][place.sequence].goesOnWithRevival
  }

  /// Notes what is in files that were published, before something is left out of them.
  mutating func noteWhole(_ files: [[UInt8]]) {
    let segments = files.compactMap { try? SegmentFile.decode($0).segment }
    for segment in segments.sorted(by: { $0.range.first < $1.range.first }) {
      guard let position = position(before: segment.range),
        let transactions = try? segment.transactions(after: position)
      else { continue }
      for transaction in transactions where transaction.reduction == nil {
        whole[transaction.header.tip] = transaction
      }
    }
  }

  /// Where the transactions of a file begin, as far as what it follows is known.
  func position(before range: Segment.Range) -> StreamPosition? {
    guard range.first > 1 else { return .start }
    let before = Context.Entry(
      stream: range.stream, sequence: range.first - 1, fingerprint: range.fingerprintBefore)
    return whole[before].map { StreamPosition(after: $0.header) }
      ?? place(of: before).map { authors[$0.author][$0.sequence].position }
  }

  /// Notes what the author of a file has that leaves something out, as it writes it.
  mutating func noteReduced(_ bytes: [UInt8], by device: Had) {
    guard let (segment, digest) = try? SegmentFile.decode(bytes), segment.isReduced,
      reducers[digest] == nil
    else { return }
    reducers[digest] = device
  }

  /// What the author of a file had when it wrote it; of one whose database was put back since, what
  /// it had first of which what the file states is a part.
  private func known(to device: Had, stating statement: DropStatement?) -> Seen {
    let stated = statement?.applied.entries ?? []
    let first = device.applied.first { applied in
      stated.allSatisfy { $0.sequence <= applied.sequence(of: $0.stream) }
    }
    var known = Seen()
    for context in first.map({ [$0] }) ?? device.applied {
      known.formUnion(self.known(of: context))
    }
    return known
  }

  /// Notes which operations a file leaves out of a transaction.
  mutating func noteDropped(
    from transaction: Replication.Transaction, at place: Place, by device: Had,
    stating statement: DropStatement?
  ) {
    guard transaction.reduction != nil else { return }
    let known = known(to: device, stating: statement)
    let left = Set(transaction.operations.indices.map { transaction.place($0) })
    for (_, operation) in authors[place.author][place.sequence].operations
    where !left.contains(operation.dot.index) && dropped[operation.dot] == nil {
      dropped[operation.dot] = known
    }
  }
}

/// What is forgotten of what a transaction did to a document.
struct Forgotten {
  /// Whether all of it was dropped, or something else of the document was by somebody who had never
  /// heard of the transaction.
  let isAll: Bool
  /// Where it had an operation that was dropped.
  let dropped: [[ByteString]]
  /// Where it has one that was not.
  let kept: [[ByteString]]

  /// Whether whatever it did at a path or above it is.
  func holds(_ path: [ByteString]) -> Bool {
    isAll || dropped.contains { path.starts(with: $0) } && !kept.contains { path.starts(with: $0) }
  }
}

extension Ledger.Transaction {
  /// Whether it writes documents anew that others had deleted and forgotten: its author claims to
  /// have seen nothing, and deletes at once what it writes, for an edit to undo.
  var isRevival: Bool { seen.authors.isEmpty && goesOnWithRevival }

  /// The same of one that goes on with that, where there is much.
  fileprivate var goesOnWithRevival: Bool {
    operations.last?.operation.isDelete == true && operations.first?.operation.isClear == true
  }
}
