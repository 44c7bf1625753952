import CanonicalJSON
import Replication
import SegmentFormat
import SystemPackage

/// Every transaction that was ever published, in the words of the model, and what it claimed.
struct Ledger {
  struct Transaction {
    let fingerprint: Fingerprint
    /// How many transactions of each author its author had seen, by its own words.
    let seen: [Int]
    let operations: [(document: DocumentKey, operation: Model.Operation)]
  }

  private let streams: [StreamID]
  /// Each author's place in the order of the streams.
  private let ranks: [Int]
  private var positions: [StreamPosition]
  /// By author: the ranges of the files.
  private var ranges: [Set<ClosedRange<UInt64>>]
  private(set) var published: [[Transaction]]
  /// By author and number of transactions: the most that these had seen of each device's stream.
  private var reaches: [[[Int]]]

  init(streams: [StreamID]) {
    self.streams = streams
    let sorted = streams.sorted()
    ranks = streams.map { sorted.firstIndex(of: $0) ?? 0 }
    positions = Array(repeating: .start, count: streams.count)
    ranges = Array(repeating: [], count: streams.count)
    published = Array(repeating: [], count: streams.count)
    reaches = Array(
      repeating: [Array(repeating: 0, count: streams.count)], count: streams.count)
  }

  /// Reads a file that its author has published.
  ///
  /// - parameter applied: what the author has applied now of each device's stream.
  mutating func take(_ bytes: [UInt8], appliedByAuthor applied: [Int]) throws {
    // What is no segment will be missed at the end.
    guard let segment = try? SegmentFile.decode(bytes).segment,
      let author = streams.firstIndex(of: segment.range.stream)
    else { return }
    try note(segment.range, of: author)
    guard let transactions = try? segment.transactions(after: positions[author])
    else { return }
    for transaction in transactions {
      try enter(transaction, by: author)
      try checkClaim(of: transaction.header, by: author, applied: applied)
      positions[author] = StreamPosition(after: transaction.header)
    }
  }

  /// The borders of a file are fixed before it is written (rule 32).
  private mutating func note(_ range: Segment.Range, of author: Int) throws {
    let range = range.first...range.last
    if let other = ranges[author].first(where: { $0 != range && $0.overlaps(range) }) {
      throw Finding("device \(author) has published \(range) and \(other)")
    }
    ranges[author].insert(range)
  }

  private mutating func enter(_ transaction: Replication.Transaction, by author: Int) throws {
    let header = transaction.header
    let seen = streams.map { Int(header.context.sequence(of: $0)) }
    let reach = reaches[author].last ?? seen
    reaches[author].append(zip(reach, seen).map { max($0, $1) })
    published[author].append(
      Transaction(
        fingerprint: header.fingerprint, seen: seen,
        operations: try transaction.operations.enumerated().map { index, operation in
          let dot = Model.Dot(author: author, sequence: Int(header.sequence), index: index)
          return (
            operation.document,
            Model.Operation(
              dot: dot, time: header.time.rawValue, rank: ranks[author],
              path: operation.path.keys, kind: try Model.Kind(operation), seen: seen)
          )
        }))
  }

  /// A context claims what its author had, under the right fingerprints, and is closed (rule 4).
  private func checkClaim(
    of header: Replication.Transaction.Header, by author: Int, applied: [Int]
  ) throws {
    let name = "\(author):\(header.sequence)"
    for entry in header.context.entries {
      guard let other = streams.firstIndex(of: entry.stream) else {
        throw Finding("\(name) claims a stream that nobody has")
      }
      let sequence = Int(entry.sequence)
      guard sequence <= applied[other], sequence <= published[other].count else {
        throw Finding("\(name) claims \(other):\(sequence), which has not arrived")
      }
      guard published[other][sequence - 1].fingerprint == entry.fingerprint else {
        throw Finding("\(name) claims another \(other):\(sequence)")
      }
      for earlier in published[other].prefix(sequence) {
        for (third, seen) in earlier.seen.enumerated()
        where seen > Int(header.context.sequence(of: streams[third])) {
          throw Finding("the context of \(name) is not closed: \(third):\(seen) is missing")
        }
      }
    }
  }

  /// What whoever has applied so much of each stream has, or knows to have been seen.
  func reach(of applied: [Int]) -> [Int] {
    var result = applied
    for (author, count) in applied.enumerated() {
      // One's own last transactions may not be published yet.
      let reach = reaches[author][min(count, reaches[author].count - 1)]
      result = zip(result, reach).map { max($0, $1) }
    }
    return result
  }

  /// All operations on a document.
  func operations(on key: DocumentKey) -> [Model.Operation] {
    published.joined().flatMap { transaction in
      transaction.operations.filter { $0.document == key }.map(\.operation)
    }
  }

  /// What a trace calls a file: its author and range.
  func name(of file: Syncer.File) -> String {
    let range = try? SegmentFile.range(of: file.bytes)
    return "\(file.author):" + (range.map { "\($0.first)-\($0.last)" } ?? file.name.string)
  }
}

extension Model.Kind {
  /// A lane that brings a new kind of operation adds it here and to the model.
  fileprivate init(_ operation: Replication.Operation) throws {
    switch operation.kind {
    case .set: self = .set(Leaf(unchecked: operation.payload).json)
    case .clear: self = .clear
    case .remove: self = .remove
    case .delete: self = .delete
    default: throw Finding("the model does not know operations of kind \(operation.kind.code)")
    }
  }
}
