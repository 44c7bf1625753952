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
  /// The inserts that they edit, by their streams, in the order in which these were first named.
  let inserts: [EditedInserts]

  /// Of a transaction that has none, as many of a folder have that was compacted.
  static let none = OperationFacts(of: [], in: StreamID(rawValue: 0))

  /// - parameter own: The stream that they are of.
  init(of operations: OperationList, in own: StreamID) {
    count = operations.count
    var kinds = KindCodes(rawValue: 0)
    var inserts = InsertsByStream()
    let table = operations.table
    // Those that follow one another mostly edit the same document.
    var last: (document: UInt32, carriesValue: Bool)?
    for index in operations.rows {
      let row = table.rows[index]
      kinds.formUnion(KindCodes(row.kind))
      let carriesValue = row.kind.carriesValue
      if let last, last.document == row.document, last.carriesValue || !carriesValue { continue }
      last = (row.document, carriesValue)
      let insert = table.documents[Int(row.document)].insert
      inserts.note(insert, isOfValue: carriesValue && insert.stream != own)
    }
    (self.kinds, self.inserts) = (kinds, inserts.all)
  }

  /// Up to where other streams would have to be known for the inserts to be that values edit, as
  /// far as they are not.
  ///
  /// What only takes away needs none: nothing of it shows.
  func missingInserts(in lineage: Lineage) -> [StreamID: UInt64] {
    var missing: [StreamID: UInt64] = [:]
    for edited in inserts
    where edited.endOfValues > 0 && !lineage.reaches(edited.endOfValues, of: edited.stream) {
      missing[edited.stream] = edited.endOfValues
    }
    return missing
  }
}

/// How far the inserts of a stream lie in it that a transaction edits.
struct EditedInserts: Sendable {
  let stream: StreamID
  fileprivate(set) var end: UInt64
  /// The same of those that values edit, of another stream than the transaction's; 0 where there
  /// are none.
  fileprivate(set) var endOfValues: UInt64
}

/// Those of a transaction.
private struct InsertsByStream {
  private(set) var all: [EditedInserts] = []
  /// Where each stands, once there are more than a look at each is worth: whoever makes up a file
  /// may name a million.
  private var places: [StreamID: Int] = [:]

  private static let few = 16

  mutating func note(_ insert: Dot, isOfValue: Bool) {
    let endOfValues = isOfValue ? insert.sequence : 0
    if let place = place(of: insert.stream) {
      all[place].end = max(all[place].end, insert.sequence)
      all[place].endOfValues = max(all[place].endOfValues, endOfValues)
      return
    }
    all.append(
      EditedInserts(stream: insert.stream, end: insert.sequence, endOfValues: endOfValues))
    if all.count == Self.few {
      for (place, edited) in all.enumerated() { places[edited.stream] = place }
    } else if all.count > Self.few {
      places[insert.stream] = all.count - 1
    }
  }

  private func place(of stream: StreamID) -> Int? {
    all.count < Self.few ? all.firstIndex { $0.stream == stream } : places[stream]
  }
}
