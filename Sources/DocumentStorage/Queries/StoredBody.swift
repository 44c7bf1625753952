import CanonicalJSON
import Replication

/// Renders the body straight from a stored state in which nothing competes.
///
/// Such are nearly all documents, and a query that scans renders every one: neither streams, stamps
/// nor entries are made into values here. The order of entries is the order of the canonical text.
package struct StoredBody {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var output: [UInt8] = []
  /// The object that is open, as the range of its path in `bytes`.
  private var open = 0..<0
  /// The path of the entry before, if it was a value.
  private var leaf: Range<Int>?
  /// The counter or set at that path, whose operations are not all read yet.
  private var unfinished: Unfinished?

  private enum Unfinished {
    case counter(sum: Int128, hasStart: Bool)
    /// The set's last element so far.
    case set(last: Range<Int>?)
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
  }

  /// The canonical body; nil if it takes the whole merge to tell what shows, if anything does.
  package static func render(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [UInt8]? {
    var body = StoredBody(bytes)
    return try body.render() ? body.output : nil
  }

  /// Whether a stored state keeps what an author had seen, so that streams bear on what it shows.
  static func keepsContexts(_ bytes: UnsafeBufferPointer<UInt8>) throws -> Bool {
    guard bytes.first == StateCoding.version else { return true }
    var body = StoredBody(bytes)
    body.position = 1
    return try !body.skipTables()
  }

  private mutating func render() throws -> Bool {
    guard try byte() == StateCoding.version else { throw StoredBytes.damage }
    guard try skipTables() else { return false }
    let count = try varint()
    guard count > 0 else { return false }
    for index in 0..<count {
      guard try renderEntry(isFirst: index == 0) else { return false }
    }
    finish()
    close(downTo: 0)
    output.append(UInt8(ascii: "}"))
    return try varint() == 0
  }

  /// - returns: false if something may be hidden, since a context that is kept has seen something.
  private mutating func skipTables() throws -> Bool {
    for _ in 0..<(try varint()) {
      for _ in 0..<3 { _ = try varint() }
      try skip(16)
      guard try byte() == 0 || varint() == 0 else { return false }
    }
    for _ in 0..<(try varint()) {
      for _ in 0..<3 { _ = try varint() }
    }
    return true
  }

  /// - returns: false if the entry is no plain value or object of its own.
  private mutating func renderEntry(isFirst: Bool) throws -> Bool {
    for _ in 0..<3 { _ = try varint() }
    let path = try block()
    guard let kind = Self.kind(code: try byte(), envelope: try byte()) else { return false }
    let payload = try block()
    let isObject = kind == .clear
    if unfinished != nil {
      switch goOn(kind, at: path, payload) {
      case .taken: return true
      case .disputed: return false
      case .elsewhere: finish()
      }
    }
    guard kind != .add else { return false }
    if isFirst {
      guard path.isEmpty, isObject else { return false }
      open = path
      output.append(UInt8(ascii: "{"))
      return true
    }
    // The root again, below a value, or twice at one path: writers compete.
    guard !path.isEmpty else { return false }
    guard bytes[path.lowerBound] == 0 else { throw StoredBytes.damage }
    if let leaf, length(sharedBy: leaf, path) == leaf.count { return false }
    let shared = length(sharedBy: open, path)
    guard shared < path.count else { return false }
    close(downTo: shared)
    try descend(to: path, from: shared, isObject: isObject)
    leaf = isObject ? nil : path
    switch kind {
    case .set: try writeLeaf(payload)
    case .emptySet:
      output.append(UInt8(ascii: "["))
      unfinished = .set(last: nil)
    case .counter, .increment:
      unfinished = .counter(sum: 0, hasStart: false)
      if case .disputed = goOn(kind, at: path, payload) { return false }
    default: break
    }
    return true
  }

  /// The kinds of values that may stand alone at a path, by what is stored of them.
  private static func kind(code: UInt8, envelope: UInt8) -> OperationKind? {
    guard Int(code) < OperationKind.known.count else { return nil }
    let kind = OperationKind.known[Int(code)]
    return kind.carriesValue && envelope == kind.cover.rawValue | 4 ? kind : nil
  }

  // MARK: Counters and sets

  private enum Continuation {
    case taken
    /// Something else stands at the path, or below it.
    case disputed
    case elsewhere
  }

  /// Takes an entry for the counter or set that is not finished, if it belongs there.
  private mutating func goOn(
    _ kind: OperationKind, at path: Range<Int>, _ payload: Range<Int>
  ) -> Continuation {
    guard let leaf, length(sharedBy: leaf, path) == leaf.count else { return .elsewhere }
    switch unfinished {
    case .counter(let sum, let hasStart):
      guard path.count == leaf.count, kind == .increment || kind == .counter && !hasStart else {
        return .disputed
      }
      // A start may have increments counted in it that stand beside it: that takes a closer look.
      guard kind == .increment || payload.count <= CounterStart.plainBytes else { return .disputed }
      let amount = CounterAmount.amount(kind, payload: Array(bytes[payload]))
      unfinished = .counter(sum: sum + amount, hasStart: hasStart || kind == .counter)
      return .taken
    case .set(let last):
      let key = path.dropFirst(leaf.count + 1)
      guard kind == .add, path.count > leaf.count, !bytes[key].contains(0) else {
        return .disputed
      }
      // Added by several at once it stands there several times.
      if let last, bytes[last].elementsEqual(bytes[path]) { return .taken }
      // Canonical JSON has no bytes that a path escapes.
      guard let element = SetElement(key: ByteString(unchecked: Array(bytes[key]))) else {
        return .disputed
      }
      if last != nil { output.append(UInt8(ascii: ",")) }
      output.append(contentsOf: element.key.bytes)
      unfinished = .set(last: path)
      return .taken
    case nil: return .elsewhere
    }
  }

  private mutating func finish() {
    switch unfinished {
    case .counter(let sum, _): CounterAmount.leaf(sum).write(into: &output)
    case .set: output.append(UInt8(ascii: "]"))
    case nil: break
    }
    unfinished = nil
  }

  // MARK: Structure

  /// How many bytes of whole keys both paths begin with.
  private func length(sharedBy first: Range<Int>, _ second: Range<Int>) -> Int {
    var shared = 0
    var index = 0
    while true {
      let (isEnd, isOtherEnd) = (index == first.count, index == second.count)
      let isBorder = isEnd || bytes[first.lowerBound + index] == 0
      let isOtherBorder = isOtherEnd || bytes[second.lowerBound + index] == 0
      if isBorder, isOtherBorder { shared = index }
      guard !isEnd, !isOtherEnd,
        bytes[first.lowerBound + index] == bytes[second.lowerBound + index]
      else { return shared }
      index += 1
    }
  }

  private mutating func close(downTo length: Int) {
    for index in open.dropFirst(length) where bytes[index] == 0 {
      output.append(UInt8(ascii: "}"))
    }
    open = open.prefix(length)
  }

  /// Opens the objects on the way to the last key of `path`, and the last one if it is an object.
  private mutating func descend(to path: Range<Int>, from shared: Int, isObject: Bool) throws {
    var start = path.lowerBound + shared
    while start < path.upperBound {
      guard bytes[start] == 0 else { throw StoredBytes.damage }
      var end = start + 1
      while end < path.upperBound, bytes[end] != 0 { end += 1 }
      if output.last != UInt8(ascii: "{") { output.append(UInt8(ascii: ",")) }
      writeKey(start + 1..<end)
      output.append(UInt8(ascii: ":"))
      if end < path.upperBound || isObject {
        output.append(UInt8(ascii: "{"))
        open = path.lowerBound..<end
      }
      start = end
    }
  }

  private mutating func writeKey(_ range: Range<Int>) {
    if bytes[range].contains(1) {
      let path = Path(unchecked: [0] + bytes[range])
      JSON.writeString(path.lastKey ?? "", into: &output)
    } else {
      JSON.writeString(bytes.span.extracting(range), into: &output)
    }
  }

  private mutating func writeLeaf(_ payload: Range<Int>) throws {
    guard let tag = bytes[payload].first else { throw StoredBytes.damage }
    let content = payload.dropFirst()
    switch tag {
    case 6: JSON.writeString(bytes.span.extracting(content), into: &output)
    case 7: output.append(contentsOf: bytes[content])
    default: Leaf(unchecked: Array(bytes[payload])).write(into: &output)
    }
  }

  // MARK: Reading

  private mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw StoredBytes.damage }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func varint() throws -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      let next = try byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
    throw StoredBytes.damage
  }

  private mutating func skip(_ count: Int) throws {
    guard count <= bytes.count - position else { throw StoredBytes.damage }
    position += count
  }

  private mutating func block() throws -> Range<Int> {
    let count = try varint()
    guard count <= UInt64(bytes.count - position) else { throw StoredBytes.damage }
    defer { position += Int(count) }
    return position..<position + Int(count)
  }
}
