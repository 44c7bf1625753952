import CanonicalJSON

/// What the operations of a counter say, and what they come to (protocol.md 14).
///
/// The payload of an `increment` is a zigzag number; that of a `counter`, its start, a
/// ``CounterStart``. What is summed is exact; only what shows is brought into the range of JSON.
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
    amount(effect.kind, payload: effect.payload.array)
  }

  package static func increment(of payload: [UInt8]) -> Int64? {
    var position = 0
    guard let number = payload[...].readVarint(at: &position), position == payload.count else {
      return nil
    }
    return Int64(zigzag: number)
  }

  package static func start(of payload: [UInt8]) -> Int128? {
    CounterStart(payload: payload)?.number
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
