import CanonicalJSON
import Replication

/// A run of one stream's transactions: what one file under `logs/` holds.
package struct Segment: Sendable {
  /// Which container, which stream, which transactions.
  package struct Range: Hashable, Sendable {
    package let container: ContainerID
    package let stream: StreamID
    package let first: UInt64
    package let last: UInt64
    /// The fingerprint of the transaction before the first.
    package let fingerprintBefore: Fingerprint

    package init(
      container: ContainerID, stream: StreamID, first: UInt64, last: UInt64,
      fingerprintBefore: Fingerprint
    ) {
      self.container = container
      self.stream = stream
      self.first = first
      self.last = last
      self.fingerprintBefore = fingerprintBefore
    }
  }

  package let range: Range
  /// Facts about the writer that are no part of any transaction, by number.
  ///
  /// Unknown ones are kept.
  package let attributes: [Attribute]
  package let transactions: [EncodedTransaction]

  package init(range: Range, attributes: [Attribute], transactions: [EncodedTransaction]) {
    self.range = range
    self.attributes = attributes
    self.transactions = transactions
  }

  /// A fact about the writer.
  package struct Attribute: Hashable, Sendable {
    package let number: UInt64
    package let content: [UInt8]

    package init(number: UInt64, content: [UInt8]) {
      self.number = number
      self.content = content
    }

    /// The name that people gave the device.
    package static func deviceName(_ name: String) -> Attribute {
      Attribute(number: 1, content: Array(name.utf8))
    }

    /// The other streams that the device had written when the segment's borders were fixed.
    package static func formerStreams(_ streams: [StreamID]) -> Attribute {
      var content: [UInt8] = []
      for stream in streams { content.append(stream) }
      return Attribute(number: 2, content: content)
    }

    /// When the device got its name: in a segment that was joined of several, not with the first
    /// transaction.
    package static func nameTime(_ time: HybridTime) -> Attribute {
      var content: [UInt8] = []
      content.append(bigEndian: time.rawValue)
      return Attribute(number: 3, content: content)
    }
  }

  /// The device's name, if the segment tells it.
  package var deviceName: String? {
    attributes.first { $0.number == 1 }.map { String(decoding: $0.content, as: UTF8.self) }
  }

  /// When the device got the name that the segment tells; nil if with its first transaction.
  package var nameTime: HybridTime? {
    guard let content = attributes.first(where: { $0.number == 3 })?.content, content.count == 8
    else { return nil }
    let time = HybridTime(rawValue: content.reduce(0) { $0 << 8 | UInt64($1) })
    return time <= .latest ? time : nil
  }

  /// The other streams that the device has written, if the segment tells them.
  package var formerStreams: [StreamID] {
    let attribute = attributes.first { $0.number == 2 }
    let content: [UInt8] = attribute?.content ?? []
    let starts = stride(from: 0, to: content.count - content.count % 16, by: 16)
    return starts.map { start -> StreamID in
      var value: UInt128 = 0
      for byte in content[start..<(start + 16)] { value = value << 8 | UInt128(byte) }
      return StreamID(rawValue: value)
    }
  }
}

/// A transaction as it stands in a segment: its context may refer to the one before it.
package struct EncodedTransaction: Hashable, Sendable {
  /// If relative, how much later than the transaction before it in the stream; else the time
  /// itself, as ``HybridTime/rawValue``.
  package let time: UInt64
  /// Nil if it is that of the transaction before it in the stream.
  package let nonce: UInt64?
  /// Whether time and context are given as changes to the transaction before it in the stream.
  package let isRelative: Bool
  /// Whether the author had seen all of its own stream; else `changes` says how far.
  package let hasSeenOwn: Bool
  /// The entries that differ from the transaction before it, or all of them; none for the author's
  /// own stream if `hasSeenOwn`.
  package let changes: [Context.Entry]
  package let operations: [Operation]

  package init(
    time: UInt64, nonce: UInt64?, isRelative: Bool, hasSeenOwn: Bool,
    changes: [Context.Entry], operations: [Operation]
  ) {
    self.time = time
    self.nonce = nonce
    self.isRelative = isRelative
    self.hasSeenOwn = hasSeenOwn
    self.changes = changes
    self.operations = operations
  }

  /// Writes `transaction` for a segment.
  ///
  /// - parameter previous: where the stream stood before it; nil to write the transaction whole.
  package init(_ transaction: Transaction, after previous: StreamPosition?) {
    let header = transaction.header
    let own = header.context.entry(of: header.stream)?.sequence ?? 0
    let hasSeenOwn = own == header.sequence - 1
    let claimed = hasSeenOwn ? header.context.without(header.stream) : header.context
    // There is nothing before the first to be relative to.
    let isRelative =
      hasSeenOwn && header.sequence > 1
      && previous.map { $0.context.isReached(by: claimed) && $0.time < header.time } ?? false
    let changes = claimed.streams.flatMap { stream -> ArraySlice<Context.Entry> in
      let entries = claimed.entries(of: stream)
      return isRelative && previous?.context.entries(of: stream) == entries ? [] : entries
    }
    self.init(
      time: header.time.rawValue - (isRelative ? previous?.time.rawValue ?? 0 : 0),
      nonce: header.sequence > 1 && header.nonce == previous?.nonce ? nil : header.nonce,
      isRelative: isRelative, hasSeenOwn: hasSeenOwn, changes: changes,
      operations: transaction.operations)
  }

  /// Whether it cannot be completed without the transaction before it.
  package var leansOnPrevious: Bool { isRelative || nonce == nil }
}

extension Context {
  /// Whether `later` has got as far in every stream.
  fileprivate func isReached(by later: Context) -> Bool {
    entries.allSatisfy { later.contains(stream: $0.stream, sequence: $0.sequence) }
  }
}

/// Where a stream stands: all that the next transaction's context and fingerprint build on.
package struct StreamPosition: Hashable, Sendable {
  package let sequence: UInt64
  package let fingerprint: Fingerprint
  /// The context of the last transaction, without its own stream.
  package let context: Context
  /// The time of the last transaction; zero where it is not known.
  package let time: HybridTime
  /// The nonce of the last transaction; nil before the first, or where it is not known.
  package let nonce: UInt64?

  package init(
    sequence: UInt64, fingerprint: Fingerprint, context: Context, time: HybridTime = .zero,
    nonce: UInt64? = nil
  ) {
    self.sequence = sequence
    self.fingerprint = fingerprint
    self.context = context
    self.time = time
    self.nonce = nonce
  }

  package static let start = StreamPosition(
    sequence: 0, fingerprint: .origin, context: Context())
}

extension StreamPosition {
  /// Reads the next transaction of the stream: completes its context, computes its fingerprint.
  ///
  /// - throws: ``SegmentError/damaged(_:)`` if it leans on a nonce that is not known here, or
  ///   its time is beyond the year 9999.
  package func next(
    _ encoded: EncodedTransaction, of stream: StreamID
  ) throws(SegmentError) -> Transaction {
    guard let nonce = encoded.nonce ?? nonce else {
      throw .damaged("the nonce before the first transaction is not known")
    }
    let (raw, overflow) = encoded.time.addingReportingOverflow(
      encoded.isRelative ? self.time.rawValue : 0)
    let time = HybridTime(rawValue: raw)
    guard !overflow, time <= .latest else { throw .damaged("a time is not possible") }
    var claimed = encoded.isRelative ? context : Context()
    let changes = Context(encoded.changes)
    for changed in changes.streams {
      claimed.replace(changed, with: changes.entries(of: changed))
    }
    guard claimed.sequence(of: stream) <= (encoded.hasSeenOwn ? 0 : sequence) else {
      throw .damaged("a context claims its own transaction, or one after it")
    }
    if encoded.hasSeenOwn {
      claimed.advance(
        Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint))
    }
    let form = CanonicalTransaction.bytes(
      sequence: sequence + 1, time: time, context: claimed,
      operations: encoded.operations)
    let header = Transaction.Header(
      stream: stream, sequence: sequence + 1, time: time, context: claimed,
      nonce: nonce,
      fingerprint: Fingerprint(after: fingerprint, nonce: nonce, canonicalForm: form))
    return Transaction(header: header, operations: encoded.operations)
  }

  /// The position after `header`.
  package init(after header: Transaction.Header) {
    self.init(
      sequence: header.sequence, fingerprint: header.fingerprint,
      context: header.context.without(header.stream), time: header.time,
      nonce: header.nonce)
  }
}

extension Segment {
  /// The transactions that come after `position`, complete.
  ///
  /// - parameter position: where the stream has been applied up to: from just before this
  ///   segment, anywhere into it.
  /// - throws: ``SegmentError/otherBranch`` if the segment does not continue that stream.
  package func transactions(after position: StreamPosition) throws(SegmentError) -> [Transaction] {
    guard position.sequence + 1 >= range.first, position.sequence < range.last else { return [] }
    let isAtStart = position.sequence + 1 == range.first
    var current = position
    if isAtStart {
      guard position.fingerprint == range.fingerprintBefore else { throw .otherBranch }
    } else {
      // Applied in part: what is known must be the same; its contexts matter no more.
      current = StreamPosition(
        sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    }
    var result: [Transaction] = []
    result.reserveCapacity(Int(range.last - position.sequence))
    for encoded in transactions {
      let transaction = try current.next(encoded, of: range.stream)
      current = StreamPosition(after: transaction.header)
      if transaction.header.sequence == position.sequence {
        guard transaction.header.fingerprint == position.fingerprint else { throw .otherBranch }
      }
      if transaction.header.sequence > position.sequence { result.append(transaction) }
    }
    return result
  }
}
