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

  /// What it says of itself, without its transactions: of the first, how it begins.
  package var frame: Segment {
    Segment(
      range: range, attributes: attributes,
      transactions: transactions.prefix(1).map(\.withoutOperations))
  }

  /// Whether operations of it were dropped.
  package var isReduced: Bool { transactions.contains { $0.reduced != nil } }

  /// What each of its operations is named by, in their order.
  package var dots: [Dot] {
    var dots: [Dot] = []
    var sequence = range.first - 1
    for transaction in transactions {
      sequence += transaction.span
      for offset in transaction.operations.indices {
        let place = transaction.reduced?.partial.places[offset] ?? offset
        dots.append(
          Dot(
            stream: range.stream, sequence: sequence, index: UInt32(truncatingIfNeeded: place)))
      }
    }
    return dots
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

  /// A device's name, and since when it has it; of two the later counts.
  package struct Naming: Hashable, Sendable {
    package let name: String
    /// Nil where it is that of a transaction which leans on one before it.
    package let time: HybridTime?

    /// Whether nobody who reads it needs `other`.
    package func isAsNew(as other: Naming) -> Bool {
      guard name != other.name else { return true }
      guard let time, let otherTime = other.time else { return false }
      guard time == otherTime else { return time > otherTime }
      return other.name.utf8.lexicographicallyPrecedes(name.utf8)
    }
  }

  /// The device's name, and since when it has it, if the segment tells it.
  package var naming: Naming? {
    guard let name = deviceName else { return nil }
    let first = transactions.first.flatMap { first in
      first.isRelative ? nil : HybridTime(rawValue: first.time)
    }
    return Naming(name: name, time: nameTime ?? first)
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
  package internal(set) var operations: OperationList
  /// What is missing of it, and before it; nil if it is whole and follows the one before it.
  package let reduced: Reduced?

  /// What stands in the place of what was dropped (protocol.md 22).
  package struct Reduced: Hashable, Sendable {
    /// The fingerprints of the transactions right before it of which nothing is left.
    package let leftOut: [Fingerprint]
    /// Its fingerprint, which cannot be computed.
    package let fingerprint: Fingerprint
    package let partial: Reduction.Partial

    package init(leftOut: [Fingerprint], fingerprint: Fingerprint, partial: Reduction.Partial) {
      self.leftOut = leftOut
      self.fingerprint = fingerprint
      self.partial = partial
    }
  }

  package init(
    time: UInt64, nonce: UInt64?, isRelative: Bool, hasSeenOwn: Bool,
    changes: [Context.Entry], operations: OperationList, reduced: Reduced? = nil
  ) {
    self.time = time
    self.nonce = nonce
    self.isRelative = isRelative
    self.hasSeenOwn = hasSeenOwn
    self.changes = changes
    self.operations = operations
    self.reduced = reduced
  }

  /// How many transactions it stands for.
  package var span: UInt64 { 1 + UInt64(reduced?.leftOut.count ?? 0) }

  /// Writes `transaction` for a segment.
  ///
  /// - parameters:
  ///   - previous: where the stream stood before it, and before what is left out; nil to write the
  ///     transaction with its whole context.
  ///   - leftOut: the fingerprints of the transactions right before it of which nothing is left.
  package init(
    _ transaction: Transaction, after previous: StreamPosition?, leftOut: [Fingerprint] = []
  ) {
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
      operations: transaction.operations,
      reduced: Reduced(transaction, leftOut: leftOut))
  }

  /// How it begins.
  fileprivate var withoutOperations: EncodedTransaction {
    EncodedTransaction(
      time: time, nonce: nonce, isRelative: isRelative, hasSeenOwn: hasSeenOwn, changes: changes,
      operations: [])
  }

  /// Whether it cannot be completed without the transaction before it.
  package var leansOnPrevious: Bool { isRelative || nonce == nil }
}

extension Context {
  /// Whether `later` has got as far in every stream.
  func isReached(by later: Context) -> Bool {
    entries.allSatisfy { later.contains(stream: $0.stream, sequence: $0.sequence) }
  }
}

extension EncodedTransaction.Reduced {
  /// Nil for a transaction that is whole, and follows the one before it.
  fileprivate init?(_ transaction: Transaction, leftOut: [Fingerprint]) {
    let partial: Reduction.Partial
    switch transaction.reduction {
    case .partial(let left): partial = left
    case nil where leftOut.isEmpty: return nil
    case .leftOut, nil:
      partial = Reduction.Partial(
        count: transaction.operations.count, places: Array(transaction.operations.indices))
    }
    self.init(
      leftOut: leftOut, fingerprint: transaction.header.fingerprint, partial: partial)
  }
}
