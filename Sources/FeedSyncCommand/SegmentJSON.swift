import CanonicalJSON
import Replication
import SegmentFormat

extension Segment {
  /// All that the file says; what another file holds (a relative context) stays relative.
  func json(digest: UInt64) -> JSON {
    .object([
      "container": .text(range.container.description),
      "stream": .text(range.stream.description),
      "first": .number(range.first), "last": .number(range.last),
      "fingerprint_before": .text(range.fingerprintBefore.description),
      "digest": .text(digest.lowercaseHexadecimal(digits: 16)),
      "device_name": deviceName.map { .text($0) } ?? .null,
      "transactions": .array(
        zip(sequences, transactions).map { sequence, transaction in
          transaction.json(sequence: sequence)
        }),
    ])
  }

  /// The sequences of the transactions that are written.
  private var sequences: [UInt64] {
    var next = range.first
    return transactions.map { transaction in
      next += transaction.span
      return next - 1
    }
  }
}

extension EncodedTransaction {
  fileprivate func json(sequence: UInt64) -> JSON {
    var members: JSONObject = [
      "sequence": .number(sequence),
      "time": .object([
        "milliseconds": .number(time >> 16), "counter": .number(time & 0xFFFF),
      ]),
      "nonce": nonce.map { .text($0.lowercaseHexadecimal(digits: 16)) } ?? .null,
      "context": .object([
        "relative": .bool(isRelative), "own": .bool(hasSeenOwn),
        "entries": .array(changes.map(\.json)),
      ]),
      "operations": .array(operations.all.map(\.json)),
    ]
    if let reduced { members["dropped"] = reduced.json }
    return .object(members)
  }
}

extension EncodedTransaction.Reduced {
  fileprivate var json: JSON {
    .object([
      "left_out": .array(leftOut.map { .text($0.description) }),
      "fingerprint": .text(fingerprint.description),
      "operations": .number(UInt64(partial.count)),
      "places": .array(partial.places.map { .number(UInt64($0)) }),
    ])
  }
}

extension Context.Entry {
  fileprivate var json: JSON {
    .object([
      "stream": .text(stream.description), "sequence": .number(sequence),
      "fingerprint": .text(fingerprint.description),
    ])
  }
}

extension Operation {
  fileprivate var json: JSON {
    var members: JSONObject = [
      "collection": .string(document.collection), "id": .string(document.id),
      "insert": .object([
        "stream": .text(insert.stream.description), "sequence": .number(insert.sequence),
        "index": .number(insert.index),
      ]),
      "path": .text(path.pointer), "kind": .text(kind.name),
    ]
    let (name, value) = meaning
    if let name { members[name] = value }
    return .object(members)
  }

  /// What the payload, or an element's key, says, and under which name it is shown.
  private var meaning: (ByteString?, JSON) {
    switch kind {
    case .set: ("value", Leaf(unchecked: payload).json)
    case .counter: ("value", CounterAmount.leaf(CounterAmount.start(of: payload) ?? 0).json)
    case .increment: ("amount", .integer(CounterAmount.increment(of: payload) ?? 0))
    case .add: ("value", path.lastKey.flatMap { SetElement(key: $0) }?.json ?? .null)
    case .clear, .remove, .delete, .emptySet: (nil, .null)
    default:
      ("payload", .text(payload.map { UInt64($0).lowercaseHexadecimal(digits: 2) }.joined()))
    }
  }
}
