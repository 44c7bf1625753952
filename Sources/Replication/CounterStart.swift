/// What a `counter` operation says: from where its counter counts, and what is counted in that.
///
/// Its payload is the number, an integer as a ``Leaf``; behind it, where the start goes on from a
/// count, or counts what its author could not claim, stand 8 bytes of ``mark`` and ``counted``.
package struct CounterStart: Sendable, Equatable {
  package let number: Int128
  /// Tells apart what is counted in it; zero where the number was given by somebody.
  ///
  /// So starts that come to the same and have counted different increments differ.
  package var mark: UInt64 = 0
  /// The increments that are counted in it, and which its author could not claim to have seen.
  ///
  /// They do not count beside it, though its context does not cover them.
  package var counted: Set<Increment> = []

  /// What an operation is known by.
  package struct Increment: Hashable, Sendable {
    package let dot: Dot
    package let fingerprint: Fingerprint

    init(_ stamp: Stamp) { (dot, fingerprint) = (stamp.dot, stamp.fingerprint) }

    fileprivate init(dot: Dot, fingerprint: Fingerprint) {
      (self.dot, self.fingerprint) = (dot, fingerprint)
    }
  }

  init(_ number: Int128) { self.number = number }

  /// Reads a payload; nil if it is none.
  package init?(payload: [UInt8]) {
    var position = 1
    guard !payload.isEmpty, payload[...].readVarint(at: &position) != nil,
      let leaf = Leaf(validating: Array(payload[..<position])),
      let number = CounterAmount.integer(in: leaf.json)
    else { return nil }
    self.number = number
    guard position < payload.count else { return }
    var rest = payload[position...]
    guard let mark = rest.takeNumber() else { return nil }
    self.mark = mark
    while !rest.isEmpty {
      guard let stream = StreamID(bytes: rest.prefix(16)), rest.count >= Self.incrementBytes else {
        return nil
      }
      rest = rest.dropFirst(16)
      guard let sequence = rest.takeNumber(), let index = rest.takeNumber(),
        let index = UInt32(exactly: index), let fingerprint = Fingerprint(bytes: rest.prefix(16))
      else { return nil }
      rest = rest.dropFirst(16)
      counted.insert(
        Increment(
          dot: Dot(stream: stream, sequence: sequence, index: index), fingerprint: fingerprint))
    }
    guard self.payload == payload else { return nil }
  }

  private static let incrementBytes = 48
  /// What a payload has at most that names no increments: a number and a mark.
  package static let plainBytes = 19

  package var payload: [UInt8] {
    var bytes = CounterAmount.leaf(number).bytes
    guard mark != 0 || !counted.isEmpty else { return bytes }
    bytes += mark.bigEndianBytes
    let all = counted.sorted {
      ($0.dot.stream, $0.dot.sequence, $0.dot.index, $0.fingerprint)
        < ($1.dot.stream, $1.dot.sequence, $1.dot.index, $1.fingerprint)
    }
    for increment in all {
      bytes += increment.dot.stream.bytes + increment.dot.sequence.bigEndianBytes
      bytes += UInt64(increment.dot.index).bigEndianBytes + increment.fingerprint.bytes
    }
    return bytes
  }

  /// Whether two say the same of the counter, whatever they could claim.
  func agrees(with other: CounterStart) -> Bool { number == other.number && mark == other.mark }

  /// A mark of what some starts and increments come to.
  static func mark(of starts: [CounterStart], _ increments: [Stamp]) -> UInt64 {
    let known = Set(starts.map { $0.number.description + ":" + $0.mark.description })
    // What goes on from one start alone, counts what that did.
    if increments.isEmpty, known.count == 1 { return starts[0].mark }
    var bytes: [UInt8] = []
    for start in known.sorted() { bytes += Array(start.utf8) + [0] }
    for stamp in increments.sorted() {
      bytes += stamp.dot.stream.bytes + stamp.dot.sequence.bigEndianBytes
      bytes += UInt64(stamp.dot.index).bigEndianBytes + stamp.fingerprint.bytes
    }
    // FNV-1a: it is to tell apart what honest devices count, no more.
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    return max(hash, 1)
  }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension ArraySlice<UInt8> {
  /// Takes eight bytes off the front; nil where there are fewer.
  fileprivate mutating func takeNumber() -> UInt64? {
    guard count >= 8 else { return nil }
    let number = prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    self = dropFirst(8)
    return number
  }
}

extension Set<CounterStart.Increment> {
  /// Whether an entry is one of them.
  func has(_ entry: DocumentState.Entry) -> Bool {
    !isEmpty && entry.effect.kind == .increment && contains(CounterStart.Increment(entry.stamp))
  }
}

extension Collection<DocumentState.Entry> {
  /// The increments that do not count here, since a start has them counted in it.
  var countedIncrements: Set<CounterStart.Increment> {
    reduce(into: []) { counted, entry in
      // Most starts have none, and are short.
      guard entry.effect.kind == .counter, entry.effect.payload.count > CounterStart.plainBytes
      else { return }
      counted.formUnion(CounterStart(payload: entry.effect.payload.array)?.counted ?? [])
    }
  }
}
