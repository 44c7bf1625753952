/// Writes numbers, byte strings and lists into a message.
struct WireWriter {
  private(set) var bytes: [UInt8] = []

  mutating func put(_ byte: UInt8) { bytes.append(byte) }

  mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

  /// Seven bits a byte, the lowest first.
  mutating func put(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ value: some Collection<UInt8>) {
    put(number: UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func put(_ text: String) { put(Array(text.utf8)) }

  mutating func put(_ path: ItemPath) { put(path.bytes) }

  mutating func put(_ key: CoordinationKey) {
    put(number: key.member)
    put(number: key.number)
  }

  /// A time since the machine started, or a length of time; never negative.
  mutating func put(_ duration: Duration) { put(number: duration.wholeNanoseconds) }

  mutating func put<Value>(optional value: Value?, _ body: (inout WireWriter, Value) -> Void) {
    put(value != nil)
    if let value { body(&self, value) }
  }

  mutating func put<Value>(list: [Value], _ body: (inout WireWriter, Value) -> Void) {
    put(number: UInt64(list.count))
    for value in list { body(&self, value) }
  }
}

/// A message that is none.
package enum WireError: Error, Hashable, Sendable {
  /// It ends too early, or goes on too long.
  case length
  /// A value is not allowed.
  case value(String)
  /// A list or a text is over its limit.
  case limit(String)
}

/// Reads what `WireWriter` has written, and trusts none of it.
struct WireReader {
  private let bytes: [UInt8]
  private var place: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  var isAtEnd: Bool { place == bytes.endIndex }

  func finish() throws(WireError) {
    guard isAtEnd else { throw .length }
  }

  mutating func byte() throws(WireError) -> UInt8 {
    guard place < bytes.endIndex else { throw .length }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func flag() throws(WireError) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw .value("flag")
    }
  }

  mutating func number() throws(WireError) -> UInt64 {
    var result: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      let byte = try byte()
      let part = UInt64(byte & 0x7F)
      guard shift < 63 || part <= 1 else { throw .value("number") }
      result |= part << UInt64(shift)
      if byte & 0x80 == 0 { return result }
    }
    throw .value("number")
  }

  mutating func count(limit: Int, _ what: String) throws(WireError) -> Int {
    let number = try number()
    guard number <= UInt64(limit) else { throw .limit(what) }
    return Int(number)
  }

  mutating func data(limit: Int, _ what: String) throws(WireError) -> [UInt8] {
    let count = try count(limit: limit, what)
    guard count <= bytes.endIndex - place else { throw .length }
    defer { place += count }
    return Array(bytes[place..<place + count])
  }

  mutating func text(limit: Int, _ what: String) throws(WireError) -> String {
    guard let text = String(validating: try data(limit: limit, what), as: UTF8.self) else {
      throw .value(what)
    }
    return text
  }

  mutating func path() throws(WireError) -> ItemPath {
    guard let path = ItemPath(bytes: try data(limit: ItemPath.maximumBytes, "path")) else {
      throw .value("path")
    }
    return path
  }

  mutating func key() throws(WireError) -> CoordinationKey {
    CoordinationKey(member: try number(), number: try number())
  }

  mutating func duration() throws(WireError) -> Duration {
    let number = try number()
    guard number <= UInt64(Int64.max) else { throw .value("time") }
    return .nanoseconds(Int64(number))
  }

  mutating func optional<Value>(
    _ body: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) -> Value? {
    try flag() ? try body(&self) : nil
  }

  mutating func list<Value>(
    limit: Int, _ what: String, _ body: (inout WireReader) throws(WireError) -> Value
  ) throws(WireError) -> [Value] {
    let count = try count(limit: limit, what)
    var result: [Value] = []
    for _ in 0..<count { result.append(try body(&self)) }
    return result
  }

  mutating func choice<Value: RawRepresentable<UInt8>>(
    _ type: Value.Type
  ) throws(WireError) -> Value {
    guard let value = Value(rawValue: try byte()) else { throw .value("\(type)") }
    return value
  }
}

extension Duration {
  /// In nanoseconds; what is negative counts as nothing, and what is too long as the longest.
  var wholeNanoseconds: UInt64 {
    // The parts of more than that do not fit their type.
    guard self < .nanoseconds(Int64.max) else { return UInt64(Int64.max) }
    let (seconds, rest) = (components.seconds, components.attoseconds / 1_000_000_000)
    guard seconds >= 0, rest >= 0 else { return 0 }
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowed) = scaled.addingReportingOverflow(rest)
    return overflow || overflowed ? UInt64(Int64.max) : UInt64(sum)
  }
}
