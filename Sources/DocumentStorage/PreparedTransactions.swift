import Replication
import SegmentFormat

/// A segment's transactions as an import takes them in, with what is asked of their operations
/// found out.
///
/// It is made beside the thread that has the database, which then has little left to do for each
/// operation.
struct PreparedTransactions: Sendable {
  struct Piece: Sendable {
    let transaction: Transaction
    let facts: OperationFacts
    /// What it takes at most once it is collected.
    let mostBytes: Int

    var header: Transaction.Header { transaction.header }
    /// Whether nothing is left of it but its name.
    var isLeftOut: Bool { transaction.isLeftOut }
  }

  let pieces: [Piece]
  /// What having applied each of them means.
  let tips: [Context.Entry]

  init(_ transactions: [Transaction]) {
    pieces = transactions.map { transaction in
      Piece(
        transaction: transaction,
        facts: transaction.operations.isEmpty
          ? .none : OperationFacts(of: transaction.operations, in: transaction.header.stream),
        mostBytes: CollectedOperations.mostBytes(of: transaction))
    }
    tips = transactions.map(\.header.tip)
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

  init(of operations: OperationList, in stream: StreamID) {
    count = operations.count
    valueInserts = operations.inserts(besides: stream)
    var kinds = KindCodes(rawValue: 0)
    var inserts = StreamEnds()
    let table = operations.table
    // Those that follow one another mostly edit the same document.
    var last: UInt32?
    for index in operations.rows {
      kinds.formUnion(KindCodes(table.rows[index].kind))
      let document = table.rows[index].document
      guard document != last else { continue }
      last = document
      inserts.note(table.documents[Int(document)].insert)
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
