import Replication
import SegmentFormat

/// A segment's transactions as an import takes them in: each document, path and insert once where
/// it can be told cheaply, all payloads behind one another, and what is asked of a transaction's
/// operations found out.
///
/// It is made beside the thread that has the database, which then has little left to do for each
/// operation.
struct PreparedTransactions: Sendable {
  /// An operation, by what stands in the tables.
  struct Link: Sendable {
    let document: UInt32
    let path: UInt32
    /// ``CollectedOperations/none`` if it is an insert itself.
    let insert: UInt32
    /// The index by which it is named.
    let place: UInt32
    let payload: (start: UInt32, count: UInt32)
    let kind: OperationKind
  }

  struct Piece: Sendable {
    let header: Transaction.Header
    /// Whether nothing is left of it but its name.
    let isLeftOut: Bool
    let facts: OperationFacts
    /// Which of `links` are its operations.
    let links: Range<Int>
    /// What it takes at most once it is collected.
    let mostBytes: Int
  }

  private(set) var pieces: [Piece] = []
  private(set) var links: [Link] = []
  /// Those that operations one after another name, with their hashes.
  private(set) var documents: [(key: DocumentKey, hash: Int)] = []
  private(set) var paths: [Path] = []
  private(set) var inserts: [Dot] = []
  private(set) var payloads: [UInt8] = []
  private var pathNumbers: [Path: UInt32] = [:]
  /// Some of the paths that came last, by their last bytes: most come again and again.
  private var recent = [UInt32](repeating: 0, count: 64)

  init(_ transactions: [Transaction]) {
    pieces.reserveCapacity(transactions.count)
    links.reserveCapacity(transactions.reduce(0) { $0 + $1.operations.count })
    let transactions = transactions.span
    for index in transactions.indices { append(transactions[index]) }
    (pathNumbers, recent) = ([:], [])
  }

  private mutating func append(_ transaction: borrowing Transaction) {
    let header = transaction.header
    let first = links.count
    let operations = transaction.operations.span
    var mostBytes = CollectedOperations.mostBytes(of: header)
    for offset in operations.indices {
      append(operations[offset], named: header.stamp(transaction.place(offset)).dot)
      mostBytes += CollectedOperations.mostBytes(of: operations[offset])
    }
    pieces.append(
      Piece(
        header: header, isLeftOut: transaction.reduction == .leftOut,
        facts: transaction.operations.isEmpty
          ? .none : OperationFacts(of: transaction.operations, in: header.stream),
        links: first..<links.count, mostBytes: mostBytes))
  }

  private mutating func append(_ operation: borrowing Replication.Operation, named dot: Dot) {
    // In place: the last of an array is a copy.
    if documents.isEmpty || documents[documents.count - 1].key != operation.document {
      documents.append((operation.document, operation.document.hashValue))
    }
    var insert = CollectedOperations.none
    if operation.insert != dot {
      if inserts.last != operation.insert { inserts.append(operation.insert) }
      insert = UInt32(inserts.count - 1)
    }
    links.append(
      Link(
        document: UInt32(documents.count - 1), path: number(of: operation.path), insert: insert,
        place: dot.index, payload: (UInt32(payloads.count), UInt32(operation.payload.count)),
        kind: operation.kind))
    payloads.append(contentsOf: operation.payload)
  }

  private mutating func number(of path: Path) -> UInt32 {
    let slot = Int((path.bytes.last ?? 0) & 63)
    let known = Int(recent[slot])
    if known < paths.count, paths[known] == path { return recent[slot] }
    let next = UInt32(paths.count)
    let number = Self.read(&pathNumbers[path, default: next])
    recent[slot] = number
    if number == next { paths.append(path) }
    return number
  }

  private static func read(_ value: inout UInt32) -> UInt32 { value }

  /// The payloads of some operations that follow one another.
  func payloads(of links: Range<Int>) -> ArraySlice<UInt8> {
    guard let first = links.first, let last = links.last else { return [] }
    let end = self.links[last].payload
    return payloads[Int(self.links[first].payload.start)..<Int(end.start + end.count)]
  }
}

/// What is asked of a transaction's operations, be they at hand or not.
struct OperationFacts: Sendable {
  let count: Int
  /// Their kinds, whether or not this program understands them.
  let kinds: KindCodes
  /// How far those inserts lie, of other streams, that values edit.
  let valueInserts: [StreamID: UInt64]
  /// The same of all operations, and of all streams.
  let inserts: [(stream: StreamID, sequence: UInt64)]

  /// Of a transaction that has none, as many of a folder have that was compacted.
  static let none = OperationFacts(of: [], in: StreamID(rawValue: 0))

  init(of operations: [Replication.Operation], in stream: StreamID) {
    count = operations.count
    valueInserts = operations.inserts(besides: stream)
    var kinds = KindCodes(rawValue: 0)
    var inserts = StreamEnds()
    // By place: an iterator would copy each.
    let all = operations.span
    for index in all.indices {
      kinds.formUnion(KindCodes(all[index].kind))
      inserts.note(all[index].insert)
    }
    (self.kinds, self.inserts) = (kinds, inserts.all)
  }
}

/// How far inserts lie in their streams, in the order in which the streams were first named.
private struct StreamEnds {
  private(set) var all: [(stream: StreamID, sequence: UInt64)] = []
  /// Where each stands, once there are more than a look at each is worth: whoever makes up a file
  /// may name a million.
  private var places: [StreamID: Int] = [:]

  private static let few = 16

  mutating func note(_ insert: Dot) {
    if let place = place(of: insert.stream) {
      all[place].sequence = max(all[place].sequence, insert.sequence)
      return
    }
    all.append((insert.stream, insert.sequence))
    if all.count == Self.few {
      for (place, end) in all.enumerated() { places[end.stream] = place }
    } else if all.count > Self.few {
      places[insert.stream] = all.count - 1
    }
  }

  private func place(of stream: StreamID) -> Int? {
    all.count < Self.few ? all.firstIndex { $0.stream == stream } : places[stream]
  }
}
