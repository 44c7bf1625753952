import CanonicalJSON

/// What the operations of a counter say, and what they come to (protocol.md 14).
///
/// The payload of an `increment` is a zigzag number; that of a `counter`, its start, an integer as
/// a ``Leaf``, and behind it, where it goes on from what showed, a mark of what is counted in it:
/// starts that come to the same and have counted different increments differ. What is summed is
/// exact; only what shows is brought into the range of JSON.
package enum CounterAmount {
  /// What an operation of a counter adds; 0 where the payload is malformed, which no segment is
  /// that this version has read.
  package static func amount(_ kind: OperationKind, payload: [UInt8]) -> Int128 {
    switch kind {
    case .increment: Int128(increment(of: payload) ?? 0)
    case .counter: start(of: payload) ?? 0
    default: 0
    }
  }

  package static func amount(_ effect: DocumentState.Effect) -> Int128 {
    amount(effect.kind, payload: effect.payload)
  }

  package static func increment(of payload: [UInt8]) -> Int64? {
    var position = 0
    guard let number = payload[...].readVarint(at: &position), position == payload.count else {
      return nil
    }
    return Int64(zigzag: number)
  }

  package static func start(of payload: [UInt8]) -> Int128? {
    guard let end = endOfNumber(in: payload), [0, markBytes].contains(payload.count - end) else {
      return nil
    }
    return Leaf(validating: Array(payload[..<end])).flatMap { integer(in: $0.json) }
  }

  /// What marks a start that goes on from a count; empty for one that does not.
  package static func mark(of payload: [UInt8]) -> [UInt8] {
    endOfNumber(in: payload).map { Array(payload[$0...]) } ?? []
  }

  static func payload(ofStart number: Int128, mark: [UInt8]) -> [UInt8] {
    leaf(number).bytes + mark
  }

  /// A mark of what some starts, by their payloads, and increments come to.
  static func mark(starts: Set<[UInt8]>, increments: [Stamp]) -> [UInt8] {
    // What goes on from one start alone, counts what that did.
    if increments.isEmpty, starts.count < 2 { return starts.first.map { mark(of: $0) } ?? [] }
    var bytes: [UInt8] = []
    for start in starts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes += start }
    for stamp in increments.sorted() {
      bytes += bigEndian(stamp.time.rawValue) + stamp.dot.stream.bytes
      bytes += bigEndian(stamp.dot.sequence) + bigEndian(UInt64(stamp.dot.index))
      bytes += stamp.fingerprint.bytes
    }
    // FNV-1a: it is to tell apart what honest devices count, no more.
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return bigEndian(hash)
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static let markBytes = 8

  private static func endOfNumber(in payload: [UInt8]) -> Int? {
    var position = 1
    guard !payload.isEmpty, payload[...].readVarint(at: &position) != nil else { return nil }
    return position
  }

  package static func payload(ofIncrement amount: Int64) -> [UInt8] {
    var payload: [UInt8] = []
    payload.appendVarint(amount.zigzag)
    return payload
  }

  /// The number as it shows: the nearest that JSON has as an integer.
  package static func leaf(_ number: Int128) -> Leaf {
    if let small = Int64(exactly: number) {
      var bytes: [UInt8] = [3]
      bytes.appendVarint(small.zigzag)
      return Leaf(unchecked: bytes)
    }
    guard number > 0 else { return leaf(Int128(Int64.min)) }
    var bytes: [UInt8] = [4]
    bytes.appendVarint(UInt64(clamping: number))
    return Leaf(unchecked: bytes)
  }

  package static func integer(in json: JSON) -> Int128? {
    switch json {
    case .integer(let number): Int128(number)
    case .unsigned(let number): Int128(number)
    default: nil
    }
  }
}
