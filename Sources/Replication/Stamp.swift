/// The identity of an operation: where in whose stream it stands (protocol.md 1).
package struct Dot: Hashable, Sendable {
  package let stream: StreamID
  package let sequence: UInt64
  package let index: UInt32

  package init(stream: StreamID, sequence: UInt64, index: UInt32) {
    self.stream = stream
    self.sequence = sequence
    self.index = index
  }
}

/// Orders all operations of all devices, the same way everywhere (protocol.md 3).
///
/// An operation that had seen another has the greater stamp, since the clock of a device is merged
/// with all that it imports. The fingerprint tells apart the branches of a cloned stream.
package struct Stamp: Hashable, Sendable {
  package let time: HybridTime
  package let dot: Dot
  package let fingerprint: Fingerprint

  package init(time: HybridTime, dot: Dot, fingerprint: Fingerprint) {
    self.time = time
    self.dot = dot
    self.fingerprint = fingerprint
  }

  /// Whether another is of the same transaction, and stands before it there.
  func hasSeenInSameTransaction(_ other: Stamp) -> Bool {
    other.dot.sequence == dot.sequence && other.dot.index < dot.index
      && other.dot.stream == dot.stream && other.fingerprint == fingerprint
  }

  /// What its transaction is known by.
  package var transaction: Context.Entry {
    Context.Entry(stream: dot.stream, sequence: dot.sequence, fingerprint: fingerprint)
  }
}

extension Stamp: Comparable {
  package static func < (lhs: Self, rhs: Self) -> Bool {
    if lhs.time != rhs.time { return lhs.time < rhs.time }
    if lhs.dot.stream != rhs.dot.stream { return lhs.dot.stream < rhs.dot.stream }
    if lhs.dot.sequence != rhs.dot.sequence { return lhs.dot.sequence < rhs.dot.sequence }
    if lhs.dot.index != rhs.dot.index { return lhs.dot.index < rhs.dot.index }
    return lhs.fingerprint < rhs.fingerprint
  }
}
