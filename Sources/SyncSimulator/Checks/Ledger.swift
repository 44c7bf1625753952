import ReferenceModel
import Replication
import SegmentFormat
import SystemPackage

/// Every transaction that was ever published, in the words of the model, and what it claimed.
///
/// What the protocol calls branches of a stream are **authors** here. The first that is published
/// of a stream is one; whatever does not follow the last transaction of an author is the first of
/// another, which had seen what it follows.
struct Ledger {
  struct Transaction {
    let entry: Context.Entry
    /// What its author had seen, by its own words.
    let context: Context
    /// How much of each author its author had seen, by its own words.
    let seen: Seen
    /// The same, and what the authors of all that had seen.
    let reach: Seen
    let operations: [(document: DocumentKey, operation: PlainModel.Operation)]
    /// Where the stream stands after it.
    let position: StreamPosition

    /// Whether only the newer program understands it.
    var isNewer: Bool { operations.contains { $0.operation.isNewer } }
  }

  struct Author {
    /// What its first transaction follows, if that is another's.
    let origin: Place?
    /// How many transactions of its stream are before its first.
    let base: Int
    var transactions: [Transaction] = []

    /// The sequence of its last.
    var end: Int { base + transactions.count }
    subscript(sequence: Int) -> Transaction { transactions[sequence - base - 1] }
  }

  struct Place: Hashable {
    let author: Int
    let sequence: Int
  }

  private(set) var authors: [Author] = []
  private var places: [Context.Entry: Place] = [:]
  /// Streams of which there are, or may be, several copies.
  private(set) var copied: Set<StreamID> = []
  private(set) var salvaged: Set<StreamID> = []
  /// Former streams that several devices may join, each where it sees fit.
  private(set) var shared: Set<StreamID> = []
  /// The ranges of the files of a stream in a container, and what each is known by.
  var ranges: [Shelf: [ClosedRange<UInt64>: UInt64]] = [:]
  /// Transactions of which a file leaves nothing: what their authors had seen is said nowhere.
  var emptied: Set<Context.Entry> = []
  /// Operations that a file of somebody leaves out, and what that one had applied then.
  var dropped: [PlainModel.Dot: Seen] = [:]
  /// What the authors of files had that something was left out of, by the files' digests.
  ///
  /// The syncer may take a file long after it was written.
  var reducers: [UInt64: Had] = [:]
  /// Transactions as they were before something was left out of them.
  ///
  /// The syncer may take a file only after that.
  var whole: [Context.Entry: Replication.Transaction] = [:]
  /// Whether somebody goes on without what is missing: then it may claim what builds on that.
  var isGivingUp = false
  /// Whether devices join what they have published.
  var isJoining = false
  /// What builds on something that was not published yet: healing brings it later.
  private(set) var early: [(bytes: [UInt8], device: Had)] = []

  /// Notes that somebody else may go on writing a stream.
  mutating func noteCopy(of stream: StreamID) { copied.insert(stream) }

  /// Notes that somebody else has also written a stream, which goes on no more.
  mutating func noteSharing(of stream: StreamID) { shared.insert(stream) }

  /// Notes that what waits of a stream may be published out of a database that is distrusted, each
  /// transaction by itself and whole.
  mutating func noteSalvage(of stream: StreamID) { salvaged.insert(stream) }

  /// Reads a file that its author has published.
  ///
  /// - parameter device: what its author has by now.
  mutating func take(_ bytes: [UInt8], by device: Had) throws {
    early.append((bytes, device))
    var isMoving = true
    while isMoving {
      isMoving = false
      let files = early
      early = []
      for file in files {
        if try enter(file.bytes, by: file.device) {
          isMoving = true
        } else {
          early.append(file)
        }
      }
    }
  }

  /// - returns: false if what comes before it was not published yet.
  private mutating func enter(_ bytes: [UInt8], by device: Had) throws -> Bool {
    // What is no segment will be missed at the end.
    guard let (segment, digest) = try? SegmentFile.decode(bytes) else { return true }
    let device = reducers[digest] ?? device
    let before = Context.Entry(
      stream: segment.range.stream, sequence: segment.range.first - 1,
      fingerprint: segment.range.fingerprintBefore)
    var position = StreamPosition.start
    if before.sequence > 0 {
      guard let place = places[before] else { return false }
      position = authors[place.author][place.sequence].position
    }
    try note(segment.range, digest: digest, isReduced: segment.isReduced)
    guard let transactions = try? segment.transactions(after: position) else { return true }
    var previous = places[before]
    noteEmptied(transactions)
    for found in transactions {
      let transaction = whole[found.header.tip] ?? found
      // A copy of a device may have found in the folder what the syncer has not taken yet.
      guard transaction.header.context.entries.allSatisfy({ places[$0] != nil }) else {
        return false
      }
      previous = try enter(transaction, after: previous, by: device)
      guard let previous else { continue }
      noteDropped(from: found, at: previous, by: device, stating: segment.statement)
    }
    return true
  }

  private mutating func enter(
    _ transaction: Replication.Transaction, after previous: Place?, by device: Had
  ) throws -> Place {
    let header = transaction.header
    if let known = places[header.tip] { return known }
    try checkClaim(of: header, after: previous, by: device)
    let author = try author(of: header.stream, after: previous)
    let place = Place(author: author, sequence: Int(header.sequence))
    let seen = known(of: header.context)
    var reach = previous.map { authors[$0.author][$0.sequence].reach } ?? Seen()
    reach.formUnion(seen)
    let operations = try transaction.operations.enumerated().map { index, operation in
      let dot = PlainModel.Dot(
        author: author, sequence: place.sequence, index: transaction.place(index))
      return (
        operation.document,
        PlainModel.Operation(
          dot: dot, time: header.time.rawValue, stream: header.stream.rawValue,
          sequence: header.sequence,
          fingerprint: header.fingerprint.rawValue,
          insert: PlainModel.Insert(
            stream: operation.insert.stream.rawValue, sequence: operation.insert.sequence,
            index: Int(operation.insert.index)),
          path: operation.path.keys, kind: try PlainModel.Kind(operation), seen: seen)
      )
    }
    authors[author].transactions.append(
      Transaction(
        entry: header.tip, context: header.context, seen: seen, reach: reach,
        operations: operations,
        position: StreamPosition(after: header)))
    places[header.tip] = place
    return place
  }

  /// Who wrote what follows `previous`: its author, or one who went on from a copy.
  private mutating func author(of stream: StreamID, after previous: Place?) throws -> Int {
    if let previous, authors[previous.author].end == previous.sequence { return previous.author }
    let isFirst = previous == nil && !authors.contains { $0.isOf(stream) }
    guard isFirst || copied.contains(stream) else {
      throw Finding("\(stream) branches, though nobody copied it")
    }
    authors.append(Author(origin: previous, base: previous?.sequence ?? 0))
    return authors.count - 1
  }

  /// A context claims what its author had, or had given up, under the right fingerprints, and is
  /// closed (rule 4).
  private func checkClaim(
    of header: Replication.Transaction.Header, after previous: Place?, by device: Had
  ) throws {
    // Of what nothing is left, it is said nowhere what its author had seen.
    guard !emptied.contains(header.tip) else { return }
    let name = "\(header.stream):\(header.sequence)"
    var had = previous.map { chain(to: $0) } ?? Seen()
    for context in device.applied { had.formUnion(known(of: context)) }
    // Of what a device had that is not published yet, it is not known here what leads up to it.
    let unknown = device.applied.flatMap(\.entries).filter { places[$0] == nil }
    for entry in header.context.entries where !device.hasGivenUp(entry) {
      let mayBe = unknown.contains {
        $0.stream == entry.stream && $0.sequence >= entry.sequence
      }
      guard let place = places[entry], had[place.author] >= place.sequence || mayBe else {
        throw Finding("\(name) claims \(entry.stream):\(entry.sequence), which has not arrived")
      }
    }
    let seen = known(of: header.context)
    for author in seen.authors {
      for earlier in authors[author].transactions.prefix(seen[author] - authors[author].base)
      where !earlier.seen.isPart(of: seen) && !emptied.contains(earlier.entry) {
        throw Finding("the context of \(name) is not closed: \(earlier.entry) saw more")
      }
    }
    try checkUnderstood(seen, claimedBy: name, device)
    guard !isGivingUp else { return }
    let before = previous.map { authors[$0.author][$0.sequence].seen } ?? Seen()
    for author in seen.authors {
      for earlier in authors[author].transactions.prefix(seen[author] - authors[author].base)
        .dropFirst(max(0, before[author] - authors[author].base))
      where !emptied.contains(earlier.entry) {
        try checkFounded(earlier, claimedBy: name, had, device)
      }
    }
  }

  /// Nobody claims what only a newer program understands than its own (rule 17), but who did
  /// without it, unread.
  private func checkUnderstood(_ seen: Seen, claimedBy name: String, _ device: Had) throws {
    guard !device.isUpgraded else { return }
    for author in seen.authors {
      let claimed = authors[author].transactions.prefix(seen[author] - authors[author].base)
      if let newer = claimed.first(where: { $0.isNewer && !device.hasGivenUp($0.entry) }) {
        throw Finding("\(name) claims \(newer.entry), which its program does not understand")
      }
    }
  }

  /// Nobody has seen an edit before its insert is there, whichever branch of a stream that is of,
  /// and whether or not it is known here yet what that builds on.
  private func checkFounded(
    _ edit: Transaction, claimedBy name: String, _ had: Seen, _ device: Had
  ) throws {
    // One that was dropped is dead, whoever claims it; who has but the rest knows nothing of it.
    for (document, operation) in edit.operations
    where operation.isValue && dropped[operation.dot] == nil {
      let insert = operation.insert
      let (stream, sequence) = (StreamID(rawValue: insert.stream), insert.sequence)
      guard stream != edit.entry.stream else { continue }
      let isThere =
        authors.indices.contains { authors[$0].isOf(stream) && had[$0] >= Int(sequence) }
        || device.applied.contains { $0.contains(stream: stream, sequence: sequence) }
      guard isThere else {
        throw Finding(
          "\(name) claims \(edit.entry), which edits \(document.id), whose insert is not there")
      }
    }
  }
}

// MARK: - Asking

extension Ledger.Author {
  var stream: StreamID? { transactions.first?.entry.stream }

  func isOf(_ stream: StreamID) -> Bool { self.stream == stream }
}

extension Ledger {
  /// Where a transaction stands; nil if it was never published.
  func place(of entry: Context.Entry) -> Place? { places[entry] }

  /// Where the transaction stands that is number `sequence` of those that lead up to `tip`.
  func place(at sequence: Int, leadingTo tip: Context.Entry) -> Place? {
    guard var place = places[tip] else { return nil }
    while sequence <= authors[place.author].base {
      guard let origin = authors[place.author].origin else { return nil }
      place = origin
    }
    return Place(author: place.author, sequence: sequence)
  }

  /// A transaction and all that lead up to it.
  private func chain(to place: Place) -> Seen {
    var seen = Seen()
    var next: Place? = place
    while let place = next {
      seen.raise(place.author, to: place.sequence)
      next = authors[place.author].origin
    }
    return seen
  }

  /// A context without what other entries of it have in themselves.
  func reduced(_ entries: [Context.Entry]) -> Context {
    let known = Set(entries).compactMap { entry in places[entry].map { (entry, $0) } }
    return Context(
      known.filter { entry, place in
        !known.contains { other in
          other.0 != entry && chain(to: other.1)[place.author] >= place.sequence
        }
      }.map(\.0))
  }

  /// Whether the author of one operation had seen another, or somebody had whom it had seen.
  ///
  /// What is not published does not, of what cannot be claimed.
  func builds(_ stamp: Stamp, on other: Stamp) -> Bool {
    guard let place = place(of: stamp.transaction), let earlier = self.place(of: other.transaction)
    else {
      return false
    }
    return led(upTo: place)[earlier.author] >= earlier.sequence
  }

  /// What led up to a transaction: what stands before it in its stream, also where that was not
  /// read, and what the authors of all that had seen.
  func led(upTo place: Place) -> Seen {
    var seen = authors[place.author][place.sequence].reach
    seen.formUnion(chain(to: place))
    return seen
  }

  /// How much of each author the author of a transaction had seen, by its own words.
  func claimed(by place: Place) -> Seen { authors[place.author][place.sequence].seen }

  /// How far any branch of each stream is there, where so much of each author is.
  func ends(of applied: Seen) -> [UInt128: UInt64] {
    applied.authors.reduce(into: [:]) { ends, author in
      guard let first = authors[author].transactions.first,
        applied[author] > authors[author].base
      else { return }
      let stream = first.entry.stream.rawValue
      ends[stream] = max(ends[stream] ?? 0, UInt64(applied[author]))
    }
  }

  /// Where the insert is of the values that a transaction writes into a document; nil if it writes
  /// none, or several branches have a transaction of that number.
  func insert(of key: DocumentKey, editedAt place: Place) -> Place? {
    let transaction = authors[place.author][place.sequence]
    // Where it deletes a document and makes it anew, the new one counts.
    let values = transaction.operations.filter { $0.document == key && $0.operation.isValue }
    guard let insert = values.last?.operation.insert else { return nil }
    let (stream, sequence) = (StreamID(rawValue: insert.stream), Int(insert.sequence))
    let candidates = authors.indices.filter { author in
      authors[author].isOf(stream) && authors[author].base < sequence
        && sequence <= authors[author].end
    }
    return candidates.count == 1
      ? Place(author: candidates[0], sequence: sequence) : nil
  }

  /// What a context means; nil if it names what was never published.
  func vector(of context: Context) -> Seen? {
    guard context.entries.allSatisfy({ places[$0] != nil }) else { return nil }
    return known(of: context)
  }

  /// What a context means, less what was never published.
  func known(of context: Context) -> Seen {
    var seen = Seen()
    for entry in context.entries {
      if let place = places[entry] { seen.formUnion(chain(to: place)) }
    }
    return seen
  }

  /// What whoever has applied so much of each author has, or knows to have been seen.
  func reach(of applied: Seen) -> Seen {
    var result = applied
    for author in applied.authors {
      result.formUnion(authors[author][min(applied[author], authors[author].end)].reach)
    }
    return result
  }

  /// All that was published.
  var everything: Seen {
    var seen = Seen()
    for (author, known) in authors.enumerated() { seen.raise(author, to: known.end) }
    return seen
  }

  var count: Int { authors.reduce(0) { $0 + $1.transactions.count } }

  /// All operations on a document.
  func operations(on key: DocumentKey) -> [PlainModel.Operation] {
    authors.flatMap { author in
      author.transactions.flatMap { transaction in
        transaction.operations.filter { $0.document == key }.map(\.operation)
      }
    }
  }

  /// The model's name for an operation.
  func dot(of stamp: Stamp) -> PlainModel.Dot {
    let place = places[stamp.transaction]
    return PlainModel.Dot(
      author: place?.author ?? -1, sequence: Int(stamp.dot.sequence), index: Int(stamp.dot.index))
  }

  /// What a trace calls a file: its author and range.
  func name(of file: Syncer.File) -> String {
    let range = try? SegmentFile.range(of: file.bytes)
    return "\(file.author):" + (range.map { "\($0.first)-\($0.last)" } ?? file.name.string)
  }
}
