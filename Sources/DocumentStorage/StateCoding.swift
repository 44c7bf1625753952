import Replication

/// A document's state in its row: transactions and inserts in tables, then the operations kept.
package enum StateCoding {
  static let version: UInt8 = 1
  /// The same behind the body that shows, where what is stored does not tell (``Rendering``).
  static let renderedVersion: UInt8 = 2
  /// Stands behind what is counted as forgotten.
  private static let isExact: UInt8 = 1
  /// Stands there where it is not known, and more follows.
  private static let isUnknown: UInt8 = 2
  /// What older programs take it for then: so much that nothing is dropped.
  private static let unknownCount = 1 << 40

  package static func encode(
    _ state: DocumentState, number: (StreamID) throws -> Int64
  ) throws -> [UInt8] {
    var tables = Tables()
    var rows: [UInt8] = []
    // Not copied one by one: an import writes as many as it has operations.
    let entries = state.entries.span
    rows.reserveCapacity(entries.count * 40 + 16)
    rows.appendVarint(UInt64(entries.count))
    for index in entries.indices {
      let stamp = entries[index].stamp
      let insert = entries[index].effect.insert
      rows.appendVarint(
        UInt64(tables.index(of: stamp, at: index, isSettled: entries[index].context == nil)))
      rows.appendVarint(UInt64(stamp.dot.index))
      rows.appendVarint(insert == stamp.dot ? 0 : UInt64(tables.index(insert)))
      rows.appendBlock(entries[index].effect.path.bytes)
      entries[index].effect.kind.store(into: &rows)
      rows.appendBlock(entries[index].effect.payload)
    }
    rows.appendVarint(UInt64(state.pending.count))
    for removal in state.pending {
      rows.appendBlock(removal.path.bytes)
      removal.kind.store(into: &rows)
      rows.appendVarint(UInt64(tables.index(removal.insert)))
      try ContextCoding.append(removal.seen, to: &rows, number: number)
    }
    // Read as unknown where it is missing, and where nothing follows it, as older programs leave
    // it: they did not count at all, or too little.
    let hasMeanings = state.pending.contains { $0.meant != nil }
    if let forgotten = state.forgotten ?? (hasMeanings ? unknownCount : nil) {
      rows.appendVarint(UInt64(forgotten))
      rows.append(state.forgotten == nil ? isUnknown : isExact)
    }
    // Programs that do not know of it read no further.
    for removal in hasMeanings ? state.pending : [] {
      rows.append(removal.meant == nil ? 0 : 1)
      guard let meant = removal.meant else { continue }
      try ContextCoding.append(meant, to: &rows, number: number)
    }
    var output: [UInt8] = []
    output.reserveCapacity(rows.count + entries.count * 16 + 64)
    if let rendering = Rendering(of: state) {
      output.append(renderedVersion)
      rendering.write(into: &output)
    } else {
      output.append(version)
    }
    try tables.write(into: &output, of: entries, number: number)
    output.append(contentsOf: rows)
    return output
  }

  /// The transactions and inserts that entries refer to, each once.
  private struct Tables {
    private struct Key: Hashable {
      let stream: StreamID
      let sequence: UInt64
      let fingerprint: Fingerprint
      /// Of a transaction that was taken in piece by piece, what came first may be settled alone.
      let isSettled: Bool
    }

    /// The entry that first named each.
    private var transactions: [Int] = []
    private var keys = Numbered<Key>()
    private var inserts = Numbered<Dot>()

    mutating func index(of stamp: Stamp, at entry: Int, isSettled: Bool) -> Int {
      let key = Key(
        stream: stamp.dot.stream, sequence: stamp.dot.sequence, fingerprint: stamp.fingerprint,
        isSettled: isSettled)
      let index = keys.index(of: key)
      if index == transactions.count { transactions.append(entry) }
      return index
    }

    /// 0 is kept for an operation that is its own insert.
    mutating func index(_ insert: Dot) -> Int { inserts.index(of: insert) + 1 }

    func write(
      into output: inout [UInt8], of entries: Span<DocumentState.Entry>,
      number: (StreamID) throws -> Int64
    ) throws {
      output.appendVarint(UInt64(transactions.count))
      var previousTime: UInt64 = 0
      for index in transactions {
        let stamp = entries[index].stamp
        output.appendVarint(UInt64(try number(stamp.dot.stream)))
        output.appendVarint(stamp.dot.sequence)
        let time = stamp.time.rawValue
        output.appendVarint(Int64(bitPattern: time &- previousTime).zigzag)
        previousTime = time
        output.append(stamp.fingerprint)
        guard let context = entries[index].context else {
          output.append(0)
          continue
        }
        output.append(1)
        try ContextCoding.append(context, to: &output, number: number)
      }
      output.appendVarint(UInt64(inserts.values.count))
      for insert in inserts.values {
        output.appendVarint(UInt64(try number(insert.stream)))
        output.appendVarint(insert.sequence)
        output.appendVarint(UInt64(insert.index))
      }
    }
  }

  /// Values, each once, in the order of first use.
  private struct Numbered<Value: Hashable> {
    private(set) var values: [Value] = []
    /// Of the values, once they are more than a look at each is worth.
    private var indices: [Value: Int] = [:]

    private static var few: Int { 16 }

    mutating func index(of value: Value) -> Int {
      if let index = known(value) { return index }
      values.append(value)
      if values.count == Self.few {
        for (index, value) in values.enumerated() { indices[value] = index }
      } else if values.count > Self.few {
        indices[value] = values.count - 1
      }
      return values.count - 1
    }

    private func known(_ value: Value) -> Int? {
      values.count < Self.few ? values.firstIndex(of: value) : indices[value]
    }
  }

  static func decode(
    _ bytes: [UInt8], streams: some StreamNumbers, lineage: Lineage? = nil
  ) throws -> DocumentState {
    var reader = StoredBytes(bytes)
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
  fileprivate func store(into bytes: inout [UInt8]) {
    bytes.append(code)
    bytes.append(cover.rawValue | (carriesValue ? 4 : 0))
  }

  fileprivate static func stored(from reader: inout StoredBytes) throws -> OperationKind {
    let code = try reader.byte()
    let envelope = try reader.byte()
    guard let cover = Cover(rawValue: envelope & 3) else { throw StoredBytes.damage }
    return OperationKind(code: code, cover: cover, carriesValue: envelope & 4 != 0)
  }
}
