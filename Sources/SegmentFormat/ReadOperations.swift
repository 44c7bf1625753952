import Replication

/// The operations of a segment, as they are read.
struct ReadOperations {
  private let tables: ReadTables
  /// How many the segment has, by what it says.
  private let count: Int
  private(set) var rows: [OperationTable.Row] = []
  private var payloads: [UInt8] = []

  init(of tables: ReadTables, count: Int) {
    self.tables = tables
    self.count = count
    rows.reserveCapacity(plausible: count)
  }

  /// Whether all are here that the segment has.
  var isComplete: Bool { rows.count == count }

  func table() -> OperationTable {
    OperationTable(
      keys: tables.keys, inserts: tables.inserts, paths: tables.paths, rows: rows,
      payloads: payloads)
  }

  /// Reads those of a transaction.
  ///
  /// - returns: how many they are.
  mutating func read(from reader: inout ByteReader) throws(SegmentError) -> Int {
    let count = try reader.count(of: 2)
    // Now, not at the end: two bytes become twenty in memory, and 64 MiB of them too many.
    guard count <= self.count - rows.count else {
      throw .damaged("the number of operations is wrong")
    }
    var document: Int64 = -1
    var bytes = 0
    for _ in 0..<count {
      let head = try reader.varint()
      switch SegmentBody.DocumentStep(rawValue: head >> 1 & 3) {
      case .same: break
      case .next: document += 1
      case .indexed: document = Int64(clamping: try reader.varint())
      case nil: throw .damaged("an operation's head is malformed")
      }
      bytes += try read(
        from: &reader, document: document, path: head >> 3, isSet: head & 1 == 1)
      guard bytes <= SegmentFile.maximumTransactionBytes else {
        throw .damaged("a transaction is larger than one can be")
      }
    }
    return count
  }

  /// - returns: what it comes to (``SegmentFile/maximumTransactionBytes``).
  private mutating func read(
    from reader: inout ByteReader, document: Int64, path: UInt64, isSet: Bool
  ) throws(SegmentError) -> Int {
    guard document >= 0, document < tables.inserts.count, path < UInt64(tables.paths.count)
    else { throw .damaged("a reference points nowhere") }
    let start = payloads.count
    let kind = try kindAndPayload(from: &reader, isSet: isSet)
    guard isWellFormed(kind, at: Int(path), payloadFrom: start) else {
      throw .damaged("an operation is malformed")
    }
    rows.append(
      OperationTable.Row(
        document: UInt32(document), path: UInt32(path), kind: kind,
        payload: (UInt32(start), UInt32(payloads.count - start))))
    return payloads.count - start + tables.paths[Int(path)].bytes.count
      + SegmentFile.operationBytes
  }

  private func isWellFormed(_ kind: OperationKind, at path: Int, payloadFrom start: Int) -> Bool {
    kind.allows(payloads.span.extracting(start..<payloads.count), at: tables.paths[path])
  }

  private mutating func kindAndPayload(
    from reader: inout ByteReader, isSet: Bool
  ) throws(SegmentError) -> OperationKind {
    guard !isSet else {
      try readValue(from: &reader)
      return .set
    }
    // A `set` has one form only, so that equal content has equal bytes.
    guard let kind = OperationKind(envelope: try reader.byte()), kind != .set else {
      throw .damaged("an operation contradicts itself")
    }
    if kind.carriesPayload { try reader.take(reader.count(of: 1), into: &payloads) }
    return kind
  }

  private mutating func readValue(from reader: inout ByteReader) throws(SegmentError) {
    let code = try reader.varint()
    guard code > 2 else { return payloads.append(UInt8(code)) }
    guard code - 2 <= UInt64(reader.remaining) else {
      throw .damaged("a count exceeds the content")
    }
    let start = payloads.count
    try reader.take(Int(code - 2), into: &payloads)
    guard code > 3 || payloads[start] > 2 else {
      throw .damaged("a value stands in a longer form than it has")
    }
  }
}
