import CanonicalJSON
import Replication

/// The content of a segment, before compression: tables, then transactions.
///
/// Each stream, document and path stands once, in a table; operations refer to the tables.
enum SegmentBody {
  /// What a transaction's flags say.
  struct Flags: OptionSet {
    let rawValue: UInt64
    /// Context and time are those of the transaction before it, with changes.
    static let isRelative = Flags(rawValue: 1)
    static let hasSeenOwn = Flags(rawValue: 2)
    static let hasExtension = Flags(rawValue: 4)
    /// The same process wrote the transaction before it, so their nonces are one.
    static let hasSameNonce = Flags(rawValue: 8)
    /// Operations of it were dropped, or all of transactions right before it.
    static let isReduced = Flags(rawValue: 16)
    static let whole: Flags = [.isRelative, .hasSeenOwn, .hasExtension, .hasSameNonce]
  }

  /// How an operation's document is found, in bits 1 and 2 of its head; bit 0 tells a `set`.
  enum DocumentStep: UInt64 {
    /// It is that of the operation before it.
    case same = 0
    /// It is the next in the table.
    case next = 1
    /// Its index follows.
    case indexed = 2
  }

  static func encode(_ segment: Segment) -> [UInt8] {
    var tables = SegmentTables(own: segment.range.stream, first: segment.range.first)
    var rows: [UInt8] = []
    for transaction in segment.transactions { append(transaction, to: &rows, tables: &tables) }
    var output: [UInt8] = []
    output.reserveCapacity(rows.count * 2)
    output.appendVarint(UInt64(segment.attributes.count))
    for attribute in segment.attributes {
      output.appendVarint(attribute.number)
      output.appendBlock(attribute.content)
    }
    tables.write(into: &output)
    output.append(contentsOf: rows)
    return output
  }

  private static func append(
    _ transaction: EncodedTransaction, to rows: inout [UInt8], tables: inout SegmentTables
  ) {
    var flags: Flags = []
    if transaction.isRelative { flags.insert(.isRelative) }
    if transaction.hasSeenOwn { flags.insert(.hasSeenOwn) }
    if transaction.nonce == nil { flags.insert(.hasSameNonce) }
    if transaction.reduced != nil { flags.insert(.isReduced) }
    rows.appendVarint(flags.rawValue)
    rows.appendVarint(transaction.time)
    if let nonce = transaction.nonce { rows.append(bigEndian: nonce) }
    rows.appendVarint(UInt64(transaction.changes.count))
    for entry in transaction.changes {
      rows.appendVarint(UInt64(tables.index(ofStream: entry.stream)))
      rows.appendVarint(entry.sequence)
      rows.append(entry.fingerprint)
    }
    if let reduced = transaction.reduced { append(reduced, to: &rows) }
    append(transaction.operations, to: &rows, tables: &tables)
  }

  private static func append(
    _ operations: OperationList, to rows: inout [UInt8], tables: inout SegmentTables
  ) {
    rows.appendVarint(UInt64(operations.count))
    let table = operations.table
    var previousDocument = -1
    // That of the operation before, in the operations' table.
    var named: UInt32?
    for index in operations.rows {
      let row = table.rows[index]
      let document =
        row.document == named
        ? previousDocument : tables.index(ofDocument: Int(row.document), in: table)
      named = row.document
      let step: DocumentStep =
        switch document - previousDocument {
        case 0: .same
        case 1: .next
        default: .indexed
        }
      previousDocument = document
      let path = UInt64(tables.index(ofPath: table.paths[Int(row.path)]))
      rows.appendVarint(path << 3 | step.rawValue << 1 | (row.kind == .set ? 1 : 0))
      if step == .indexed { rows.appendVarint(UInt64(document)) }
      append(row.kind, table.payloads[row.bytes], to: &rows)
    }
  }

  private static func append(_ reduced: EncodedTransaction.Reduced, to rows: inout [UInt8]) {
    rows.appendVarint(UInt64(reduced.leftOut.count))
    for fingerprint in reduced.leftOut { rows.append(fingerprint) }
    rows.append(reduced.fingerprint)
    rows.appendVarint(UInt64(reduced.partial.count))
    rows.appendVarint(UInt64(reduced.partial.places.count))
    var next = 0
    for place in reduced.partial.places {
      rows.appendVarint(UInt64(place - next))
      next = place + 1
    }
  }

  /// A `set` of null, false or true is its first byte alone; other values stand behind their
  /// length and 2.
  private static func append(
    _ kind: OperationKind, _ payload: ArraySlice<UInt8>, to rows: inout [UInt8]
  ) {
    guard kind == .set else {
      rows.append(kind.envelope)
      guard kind.carriesPayload else { return }
      rows.appendVarint(UInt64(payload.count))
      rows.append(contentsOf: payload)
      return
    }
    if payload.count == 1, let constant = payload.first, constant <= 2 {
      rows.append(constant)
    } else {
      rows.appendVarint(UInt64(payload.count) + 2)
      rows.append(contentsOf: payload)
    }
  }

  static func decode(
    _ body: [UInt8], range: Segment.Range, operationCount: Int, mayBeReduced: Bool
  ) throws(SegmentError) -> Segment {
    do {
      return try decodeWhole(
        body, range: range, operationCount: operationCount,
        flags: mayBeReduced ? [.whole, .isReduced] : .whole)
    } catch .incomplete {
      // The checksum was right: it is not that bytes are still to come.
      throw .damaged("the content ends too early")
    }
  }

  private static func decodeWhole(
    _ body: [UInt8], range: Segment.Range, operationCount: Int, flags: Flags
  ) throws(SegmentError) -> Segment {
    var reader = ByteReader(body)
    let attributes = try self.attributes(from: &reader)
    let tables = try ReadTables(from: &reader, own: range.stream, first: range.first)
    let (span, _) = range.last.subtractingReportingOverflow(range.first)
    guard span < UInt64(reader.remaining), span < UInt64(SegmentFile.maximumTransactions) else {
      throw .damaged("there are fewer transactions than the header says")
    }
    var transactions: [EncodedTransaction] = []
    transactions.reserveCapacity(plausible: Int(span) + 1)
    var operations = ReadOperations(of: tables, count: operationCount)
    var ends: [Int] = []
    var rest = span + 1
    while rest > 0 {
      let transaction = try self.transaction(
        from: &reader, tables: tables, flags: flags, operations: &operations)
      guard transaction.span <= rest else {
        throw .damaged("there are more transactions than the header says")
      }
      rest -= transaction.span
      transactions.append(transaction)
      ends.append(operations.rows.count)
    }
    guard reader.remaining == 0 else { throw .damaged("more follows the last transaction") }
    guard operations.isComplete else { throw .damaged("the number of operations is wrong") }
    let table = operations.table()
    for index in transactions.indices {
      let start = index > 0 ? ends[index - 1] : 0
      transactions[index].operations = OperationList(table, rows: start..<ends[index])
    }
    // Only a lone transaction may lean on the one before it, which another file holds.
    guard span == 0 || !transactions[0].leansOnPrevious else {
      throw .damaged("the first transaction is not whole")
    }
    let segment = Segment(range: range, attributes: attributes, transactions: transactions)
    guard segment.isReduced else { return segment }
    guard segment.statement != nil else {
      throw .damaged("it does not say what its writer had applied")
    }
    // Whoever compares it with the originals reads it by itself.
    guard !transactions[0].leansOnPrevious else {
      throw .damaged("the first transaction of what is reduced is not whole")
    }
    return segment
  }

  private static func attributes(
    from reader: inout ByteReader
  ) throws(SegmentError) -> [Segment.Attribute] {
    let count = try reader.count(of: 2)
    guard count <= SegmentFile.maximumAttributes else {
      throw .damaged("it has more attributes than it can")
    }
    var attributes: [Segment.Attribute] = []
    for _ in 0..<count {
      attributes.append(
        Segment.Attribute(number: try reader.varint(), content: try reader.block()))
    }
    return attributes
  }

  /// Reads a transaction, and its operations to behind the others.
  private static func transaction(
    from reader: inout ByteReader, tables: ReadTables, flags known: Flags,
    operations: inout ReadOperations
  ) throws(SegmentError) -> EncodedTransaction {
    let flags = Flags(rawValue: try reader.varint())
    guard flags.isSubset(of: known) else { throw .damaged("a transaction has unknown flags") }
    let time = try reader.varint()
    guard (1...HybridTime.latest.rawValue).contains(time) else {
      throw .damaged("a time is not possible")
    }
    let nonce = flags.contains(.hasSameNonce) ? nil : try reader.unsigned64()
    var changes: [Context.Entry] = []
    let entries = try reader.count(of: 18)
    guard entries <= SegmentFile.maximumContextEntries else {
      throw .damaged("a context names more than it can")
    }
    for _ in 0..<entries {
      let stream = try tables.stream(at: try reader.varint())
      let sequence = try reader.varint()
      guard sequence > 0, sequence < UInt64(Int64.max) else {
        throw .damaged("a context is not possible")
      }
      changes.append(
        Context.Entry(stream: stream, sequence: sequence, fingerprint: try reader.identifier()))
    }
    let reduced = flags.contains(.isReduced) ? try self.reduced(from: &reader) : nil
    let count = try operations.read(from: &reader)
    guard reduced.map({ $0.partial.places.count == count }) ?? true else {
      throw .damaged("operations are left that have no place")
    }
    if flags.contains(.hasExtension) { _ = try reader.block() }
    return EncodedTransaction(
      time: time, nonce: nonce, isRelative: flags.contains(.isRelative),
      hasSeenOwn: flags.contains(.hasSeenOwn), changes: changes, operations: [],
      reduced: reduced)
  }

  private static func reduced(
    from reader: inout ByteReader
  ) throws(SegmentError) -> EncodedTransaction.Reduced {
    var leftOut: [Fingerprint] = []
    for _ in 0..<(try reader.count(of: 16)) { leftOut.append(try reader.identifier()) }
    let fingerprint: Fingerprint = try reader.identifier()
    let count = try reader.varint()
    guard count <= UInt64(SegmentFile.maximumOperations) else {
      throw .damaged("a transaction had more operations than it can have")
    }
    var places: [Int] = []
    var next: UInt64 = 0
    for _ in 0..<(try reader.count(of: 1)) {
      let (place, overflow) = next.addingReportingOverflow(try reader.varint())
      guard !overflow, place < count else { throw .damaged("an operation has no place") }
      places.append(Int(place))
      next = place + 1
    }
    // Else its fingerprint could be computed, and would not be.
    guard !leftOut.isEmpty || places.count < Int(count) else {
      throw .damaged("nothing was dropped where something was said to be")
    }
    return EncodedTransaction.Reduced(
      leftOut: leftOut, fingerprint: fingerprint,
      partial: Reduction.Partial(count: Int(count), places: places))
  }
}

extension OperationKind {
  /// Whether bytes follow: a `clear` stands for an object, but there is nothing more to say of it.
  var carriesPayload: Bool { carriesValue && self != .clear }
}
