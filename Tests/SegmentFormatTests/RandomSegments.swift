import CanonicalJSON
import Replication
import SegmentFormat
import TestSupport

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

  /// A number of any magnitude, small ones as often as large ones.
  mutating func sequence() -> UInt64 {
    max(1, (next() >> 2) >> UInt64.random(in: 0..<62, using: &self))
  }

  mutating func stream() -> StreamID {
    [Sample.laptop, Sample.phone, StreamID(rawValue: UInt128(below(5)))].randomElement(
      using: &self) ?? Sample.phone
  }

  /// A segment of any stream with up to eight transactions of any kind.
  mutating func segment() -> Segment {
    let count = UInt64(below(8))
    let first = sequence()
    var attributes = (0..<below(3)).map { _ in
      Segment.Attribute(number: next() >> 60, content: bytes(below(20)))
    }
    let transactions = (0...count).map { offset in
      // Only a lone transaction may lean on one that another file holds.
      transaction(mayLean: offset > 0, mayBeLone: count == 0)
    }
    if transactions.contains(where: { $0.reduced != nil }) {
      attributes.insert(statement().stored, at: 0)
    }
    let range = Segment.Range(
      container: .random(using: &self), stream: stream(), first: first,
      last: first + transactions.reduce(0) { $0 + $1.span } - 1,
      fingerprintBefore: .random(using: &self))
    return Segment(range: range, attributes: attributes, transactions: transactions)
  }

  private mutating func statement() -> DropStatement {
    DropStatement(
      applied: Context(
        (0..<below(4)).map { _ in
          Context.Entry(
            stream: stream(), sequence: sequence(), fingerprint: .random(using: &self))
        }),
      historyStart: HybridTime(
        milliseconds: Int64.random(in: 1...253_402_300_799_999, using: &self)))
  }

  private mutating func transaction(mayLean: Bool, mayBeLone: Bool) -> EncodedTransaction {
    let time = HybridTime(
      milliseconds: Int64.random(in: 1...253_402_300_799_999, using: &self),
      counter: UInt16(truncatingIfNeeded: next()))
    let operations = OperationList((0..<below(6)).map { _ in operation() })
    let reduced = below(3) == 0 ? reduced(leaving: operations.count) : nil
    let mayLean = mayLean || mayBeLone && reduced == nil
    return EncodedTransaction(
      time: time.rawValue, nonce: mayLean && below(2) == 0 ? nil : next() >> UInt64(below(64)),
      isRelative: mayLean && Bool.random(using: &self),
      hasSeenOwn: Bool.random(using: &self),
      changes: (0..<below(4)).map { _ in
        Context.Entry(
          stream: stream(), sequence: sequence(), fingerprint: .random(using: &self))
      },
      operations: operations, reduced: reduced)
  }

  private mutating func reduced(leaving count: Int) -> EncodedTransaction.Reduced {
    var places: [Int] = []
    for _ in 0..<count { places.append((places.last.map { $0 + 1 } ?? 0) + below(3)) }
    let leftOut = (0..<below(4)).map { _ in Fingerprint.random(using: &self) }
    let dropped = below(3) + (leftOut.isEmpty ? 1 : 0)
    return EncodedTransaction.Reduced(
      leftOut: leftOut, fingerprint: .random(using: &self),
      partial: Reduction.Partial(
        count: (places.last.map { $0 + 1 } ?? 0) + dropped, places: places))
  }

  private mutating func operation() -> Operation {
    let document = DocumentKey(
      collection: ["notes", "a-b.c_d", "x"].randomElement(using: &self) ?? "x",
      id: ["1", "é", "e\u{301}", "a/b ~ c", "日本", "😀"].randomElement(using: &self) ?? "1")
    let insert = Dot(
      stream: stream(), sequence: sequence(), index: UInt32(truncatingIfNeeded: next() >> 40))
    let (kind, payload) = kindAndPayload()
    let path = path(of: kind)
    return Operation(
      document: document, insert: insert, path: path, kind: kind, payload: payload)
  }

  private mutating func kindAndPayload() -> (OperationKind, [UInt8]) {
    switch below(9) {
    case 6: return (.counter, Leaf(below(2) == 0 ? JSON(next()) : .integer(-1))?.bytes ?? [])
    case 7:
      var amount: [UInt8] = []
      amount.appendVarint(next() >> UInt64(below(64)))
      return (.increment, amount)
    case 8: return ([.add, .emptySet].randomElement(using: &self) ?? .add, [])
    case 0: return (.clear, [])
    case 1: return (.remove, [])
    case 2: return (.delete, [])
    case 3:
      // What a later version may bring: any envelope, any content.
      let carriesValue = Bool.random(using: &self)
      let cover = OperationKind.Cover(rawValue: UInt8(below(3))) ?? .path
      let kind = OperationKind(
        code: UInt8(OperationKind.known.count + below(8)), cover: cover,
        carriesValue: carriesValue)
      return (kind, carriesValue ? bytes(below(30)) : [])
    default: return (.set, Leaf(value())?.bytes ?? [])
    }
  }

  private mutating func path(of kind: OperationKind) -> Path {
    switch kind {
    case .delete: .root
    case .set, .increment, .counter, .emptySet: path(isRootAllowed: false)
    case .add: path(isRootAllowed: false).appending(SetElement(value()).key)
    default: path(isRootAllowed: true)
    }
  }

  private mutating func path(isRootAllowed: Bool) -> Path {
    let keys: [ByteString] = ["", "a", "b/c", "~", "\u{0}", "\u{1}", "ü", "a\u{0}\u{1}\u{2}"]
    return (0..<(isRootAllowed ? below(4) : 1 + below(4))).reduce(.root) { path, _ in
      path.appending(keys.randomElement(using: &self) ?? "")
    }
  }

  private mutating func value() -> JSON {
    switch below(8) {
    case 0: .null
    case 1: .bool(Bool.random(using: &self))
    case 2: .integer(Int64(bitPattern: next()) >> Int64(below(64)))
    case 3: JSON(next())
    case 4: JSON(finite: Double(bitPattern: next())) ?? .double(-0.0)
    case 5: .array([.integer(1), .object(["k": .string("v")]), .double(1)])
    default: .string(ByteString(String(repeating: "né\u{0}", count: below(40))))
    }
  }
}
