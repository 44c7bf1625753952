import CanonicalJSON
import Replication
import SegmentFormat

/// Identifiers that are the same in every run.
enum Sample {
  static let container = ContainerID(rawValue: 0xC0FF_EE00_0000_0000_0000_0000_0000_0001)
  static let laptop = StreamID(rawValue: 0x1A91_0900_0000_0000_0000_0000_0000_000A)
  static let phone = StreamID(rawValue: 0x9407_E000_0000_0000_0000_0000_0000_000B)
  static let nonce: UInt64 = 0x0123_4567_89AB_CDEF
  static let startMilliseconds: Int64 = 1_767_225_600_000
  static let statement = DropStatement(
    applied: Context([
      Context.Entry(stream: laptop, sequence: 6, fingerprint: Fingerprint(rawValue: 6))
    ]), historyStart: HybridTime(milliseconds: startMilliseconds + 60_000, counter: 2))
}

/// Writes one stream's transactions one after another, as a device does.
struct StreamAuthor {
  let stream: StreamID
  let container: ContainerID
  private(set) var position: StreamPosition = .start
  private(set) var segments: [Segment] = []

  init(stream: StreamID, container: ContainerID = Sample.container) {
    self.stream = stream
    self.container = container
  }

  /// The identity of an operation in the next transaction.
  func nextDot(_ index: UInt32 = 0) -> Dot {
    Dot(stream: stream, sequence: position.sequence + 1, index: index)
  }

  /// Writes the next transaction, alone in a segment, and returns it.
  ///
  /// - parameter seen: what the author has seen of other streams.
  @discardableResult
  mutating func write(
    _ operations: some Collection<Operation>, seen: Context = Context(),
    nonce: UInt64 = Sample.nonce, attributes: [Segment.Attribute] = [], own: UInt64? = nil
  ) -> Transaction {
    var context = seen
    let ownSequence = own ?? position.sequence
    context.advance(
      Context.Entry(
        stream: stream, sequence: ownSequence, fingerprint: fingerprint(at: ownSequence)))
    let milliseconds = Sample.startMilliseconds + Int64(position.sequence) * 1000
    let transaction = transaction(
      OperationList(operations), time: HybridTime(milliseconds: milliseconds, counter: 7),
      context: context, nonce: nonce)
    let range = Segment.Range(
      container: container, stream: stream, first: position.sequence + 1,
      last: position.sequence + 1, fingerprintBefore: position.fingerprint)
    segments.append(
      Segment(
        range: range, attributes: attributes,
        transactions: [EncodedTransaction(transaction, after: position)]))
    position = StreamPosition(after: transaction.header)
    return transaction
  }

  private func transaction(
    _ operations: OperationList, time: HybridTime, context: Context, nonce: UInt64
  ) -> Transaction {
    let form = CanonicalTransaction.bytes(
      sequence: position.sequence + 1, time: time, context: context, operations: operations)
    let header = Transaction.Header(
      stream: stream, sequence: position.sequence + 1, time: time, context: context,
      nonce: nonce,
      fingerprint: Fingerprint(
        after: position.fingerprint, nonce: nonce, canonicalForm: form))
    return Transaction(header: header, operations: operations)
  }

  private func fingerprint(at sequence: UInt64) -> Fingerprint {
    if sequence == position.sequence { return position.fingerprint }
    let following = segments.first { $0.range.first == sequence + 1 }
    return following?.range.fingerprintBefore ?? .origin
  }
}

extension Operation {
  static func set(
    _ document: DocumentKey, insert: Dot, _ pointer: String, _ value: JSON
  ) -> Operation {
    Operation(
      document: document, insert: insert, path: Path(pointer: pointer) ?? .root, kind: .set,
      payload: Leaf(value)?.bytes ?? [])
  }

  static func clear(
    _ document: DocumentKey, insert: Dot, _ pointer: String = ""
  ) -> Operation {
    Operation(
      document: document, insert: insert, path: Path(pointer: pointer) ?? .root, kind: .clear)
  }

  static func delete(_ document: DocumentKey, insert: Dot) -> Operation {
    Operation(document: document, insert: insert, path: .root, kind: .delete)
  }

  static func remove(
    _ document: DocumentKey, insert: Dot, _ pointer: String
  ) -> Operation {
    Operation(
      document: document, insert: insert, path: Path(pointer: pointer) ?? .root, kind: .remove)
  }
}

/// What decoding `bytes` fails with, or nil if it succeeds.
///
/// Call it outside of `#expect`, which miscompiles typed throws in this Swift.
func refusal(of bytes: [UInt8]) -> SegmentError? {
  do throws(SegmentError) {
    _ = try SegmentFile.decode(bytes)
    return nil
  } catch {
    return error
  }
}

extension SegmentError {
  var isDamage: Bool {
    if case .damaged = self { return true }
    return false
  }
}
