import Replication

/// A document's state in its row: transactions and inserts in tables, then the operations kept.
package enum StateCoding {
  static let version: UInt8 = 1
  /// The same behind the body that shows, where what is stored does not tell (``Rendering``).
  static let renderedVersion: UInt8 = 2
  /// Stands behind what is counted as forgotten.
  static let isExact: UInt8 = 1
  /// Stands there where it is not known, and more follows.
  static let isUnknown: UInt8 = 2
  /// What older programs take it for then: so much that nothing is dropped.
  static let unknownCount = 1 << 40

  package static func encode(
    _ state: DocumentState, number: (StreamID) throws -> Int64
  ) throws -> [UInt8] {
    var encoder = StateEncoder()
    var bytes: [UInt8] = []
    try encoder.append(state, to: &bytes, number: number)
    return bytes
  }

  /// - parameter range: Where in `bytes` it stands; nil for all of them.
  static func decode(
    _ bytes: [UInt8], in range: Range<Int>? = nil, streams: some StreamNumbers,
    lineage: Lineage? = nil
  ) throws -> DocumentState {
    var reader = StoredBytes(bytes, in: range)
    switch try reader.byte() {
    case version: break
    case renderedVersion: _ = try Rendering(from: &reader)
    default: throw StoredBytes.damage
    }
    let transactions = try self.transactions(from: &reader, streams: streams)
    var inserts: [Dot] = []
    for _ in 0..<(try reader.count()) {
      inserts.append(
        Dot(
          stream: try streams.stream(number: Int64(clamping: try reader.varint())),
          sequence: try reader.varint(), index: UInt32(truncatingIfNeeded: try reader.varint())))
    }
    var entries: [DocumentState.Entry] = []
    let count = try reader.count()
    entries.reserveCapacity(count)
    for _ in 0..<count {
      entries.append(try entry(from: &reader, transactions: transactions, inserts: inserts))
    }
    var pending: [DocumentState.PendingRemoval] = []
    for _ in 0..<(try reader.count()) {
      let path = Path(unchecked: try reader.block())
      let kind = try OperationKind.stored(from: &reader)
      let insert = try inserts.element(at: Int(clamping: try reader.varint()) - 1)
      pending.append(
        DocumentState.PendingRemoval(
          path: path, kind: kind, seen: try ContextCoding.decode(&reader, streams: streams),
          insert: insert))
    }
    var forgotten: Int?
    if !reader.isAtEnd {
      let count = Int(clamping: try reader.varint())
      // An older program has taken it for so many, and may have counted on.
      let isKnown = try !reader.isAtEnd && reader.byte() == isExact && count < unknownCount / 2
      forgotten = isKnown ? count : nil
      for index in pending.indices where !reader.isAtEnd {
        guard try reader.byte() != 0 else { continue }
        let removal = pending[index]
        pending[index] = DocumentState.PendingRemoval(
          path: removal.path, kind: removal.kind, seen: removal.seen, insert: removal.insert,
          meant: try ContextCoding.decode(&reader, streams: streams))
      }
    }
    return DocumentState(
      sorted: entries, pending: pending, lineage: lineage, forgotten: forgotten)
  }

  private struct StoredTransaction {
    let stream: StreamID
    let sequence: UInt64
    let time: HybridTime
    let fingerprint: Fingerprint
    let context: Context?
  }

  private static func transactions(
    from reader: inout StoredBytes, streams: some StreamNumbers
  ) throws -> [StoredTransaction] {
    var result: [StoredTransaction] = []
    var time: UInt64 = 0
    for _ in 0..<(try reader.count()) {
      let stream = try streams.stream(number: Int64(clamping: try reader.varint()))
      let sequence = try reader.varint()
      time = time &+ UInt64(bitPattern: Int64(zigzag: try reader.varint()))
      let fingerprint = try reader.fingerprint()
      let context =
        try reader.byte() == 0 ? nil : try ContextCoding.decode(&reader, streams: streams)
      result.append(
        StoredTransaction(
          stream: stream, sequence: sequence, time: HybridTime(rawValue: time),
          fingerprint: fingerprint, context: context))
    }
    return result
  }

  private static func entry(
    from reader: inout StoredBytes, transactions: [StoredTransaction], inserts: [Dot]
  ) throws -> DocumentState.Entry {
    let transaction = try transactions.element(at: Int(clamping: try reader.varint()))
    let index = UInt32(truncatingIfNeeded: try reader.varint())
    let insert = Int(clamping: try reader.varint())
    let path = Path(unchecked: try reader.block())
    let kind = try OperationKind.stored(from: &reader)
    let payload = try reader.block()
    let dot = Dot(stream: transaction.stream, sequence: transaction.sequence, index: index)
    let stamp = Stamp(
      time: transaction.time, dot: dot, fingerprint: transaction.fingerprint)
    return DocumentState.Entry(
      effect: DocumentState.Effect(
        path: path, kind: kind, payload: payload,
        insert: insert == 0 ? dot : try inserts.element(at: insert - 1)),
      stamp: stamp, context: transaction.context)
  }
}

extension Array {
  fileprivate func element(at index: Int) throws -> Element {
    guard indices.contains(index) else { throw StoredBytes.damage }
    return self[index]
  }
}

extension OperationKind {
  fileprivate static func stored(from reader: inout StoredBytes) throws -> OperationKind {
    let code = try reader.byte()
    let envelope = try reader.byte()
    guard let cover = Cover(rawValue: envelope & 3) else { throw StoredBytes.damage }
    return OperationKind(code: code, cover: cover, carriesValue: envelope & 4 != 0)
  }
}
