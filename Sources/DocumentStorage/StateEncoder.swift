import Replication

/// Writes documents' states as their rows have them (``StateCoding``), one after another.
///
///     var encoder = StateEncoder()
///     try encoder.append(state, to: &bytes) { try streams.number(of: $0, db) }
struct StateEncoder {
  private struct Key: Hashable {
    let stream: StreamID
    let sequence: UInt64
    let fingerprint: Fingerprint
    /// Of a transaction that was taken in piece by piece, what came first may be settled alone.
    let isSettled: Bool
  }

  // What was made for a state before is made use of again: an import writes very many.
  private var keys = NumberedValues<Key>()
  /// The entry that first named each.
  private var transactions: [Int] = []
  private var inserts = NumberedValues<Dot>()
  private var rows: [UInt8] = []

  mutating func append(
    _ state: DocumentState, to output: inout [UInt8], number: (StreamID) throws -> Int64
  ) throws {
    keys.removeAll()
    transactions.removeAll(keepingCapacity: true)
    inserts.removeAll()
    rows.removeAll(keepingCapacity: true)
    // Not copied one by one: an import writes as many as it has operations.
    let entries = state.entries.span
    appendRows(of: entries)
    try appendPending(of: state, number: number)
    if let rendering = Rendering(of: state) {
      output.append(StateCoding.renderedVersion)
      rendering.write(into: &output)
    } else {
      output.append(StateCoding.version)
    }
    try appendTables(of: entries, to: &output, number: number)
    output.append(contentsOf: rows)
  }

  private mutating func appendRows(of entries: Span<DocumentState.Entry>) {
    rows.reserveCapacity(entries.count * 40 + 16)
    rows.appendVarint(UInt64(entries.count))
    for index in entries.indices {
      let stamp = entries[index].stamp
      let insert = entries[index].effect.insert
      rows.appendVarint(
        UInt64(number(of: stamp, at: index, isSettled: entries[index].context == nil)))
      rows.appendVarint(UInt64(stamp.dot.index))
      rows.appendVarint(insert == stamp.dot ? 0 : UInt64(number(of: insert)))
      rows.appendBlock(entries[index].effect.path.bytes)
      entries[index].effect.kind.store(into: &rows)
      rows.appendBlock(entries[index].effect.payload)
    }
  }

  /// What waits, what is counted as forgotten, and what that which waits means.
  private mutating func appendPending(
    of state: DocumentState, number: (StreamID) throws -> Int64
  ) throws {
    let pending = state.pending
    rows.appendVarint(UInt64(pending.count))
    for removal in pending {
      rows.appendBlock(removal.path.bytes)
      removal.kind.store(into: &rows)
      rows.appendVarint(UInt64(self.number(of: removal.insert)))
      try ContextCoding.append(removal.seen, to: &rows, number: number)
    }
    // Read as unknown where it is missing, and where nothing follows it, as older programs leave
    // it: they did not count at all, or too little.
    let hasMeanings = pending.contains { $0.meant != nil }
    if let forgotten = state.forgotten ?? (hasMeanings ? StateCoding.unknownCount : nil) {
      rows.appendVarint(UInt64(forgotten))
      rows.append(state.forgotten == nil ? StateCoding.isUnknown : StateCoding.isExact)
    }
    guard hasMeanings else { return }
    // Programs that do not know of it read no further.
    for removal in pending {
      rows.append(removal.meant == nil ? 0 : 1)
      guard let meant = removal.meant else { continue }
      try ContextCoding.append(meant, to: &rows, number: number)
    }
  }

  /// The transactions and inserts that entries refer to, each once.
  private func appendTables(
    of entries: Span<DocumentState.Entry>, to output: inout [UInt8],
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

  private mutating func number(of stamp: Stamp, at entry: Int, isSettled: Bool) -> Int {
    let key = Key(
      stream: stamp.dot.stream, sequence: stamp.dot.sequence, fingerprint: stamp.fingerprint,
      isSettled: isSettled)
    let number = keys.number(of: key)
    if number == transactions.count { transactions.append(entry) }
    return number
  }

  /// 0 is kept for an operation that is its own insert.
  private mutating func number(of insert: Dot) -> Int { inserts.number(of: insert) + 1 }
}

/// Values, each once, in the order of first use.
private struct NumberedValues<Value: Hashable> {
  private(set) var values: [Value] = []
  /// Of the values, once they are more than a look at each is worth.
  private var numbers: [Value: Int] = [:]

  private static var few: Int { 16 }

  mutating func removeAll() {
    if values.count >= Self.few { numbers = [:] }
    values.removeAll(keepingCapacity: true)
  }

  mutating func number(of value: Value) -> Int {
    if let number = known(value) { return number }
    values.append(value)
    if values.count == Self.few {
      for (number, value) in values.enumerated() { numbers[value] = number }
    } else if values.count > Self.few {
      numbers[value] = values.count - 1
    }
    return values.count - 1
  }

  private func known(_ value: Value) -> Int? {
    values.count < Self.few ? values.firstIndex(of: value) : numbers[value]
  }
}

extension OperationKind {
  fileprivate func store(into bytes: inout [UInt8]) {
    bytes.append(code)
    bytes.append(cover.rawValue | (carriesValue ? 4 : 0))
  }
}
