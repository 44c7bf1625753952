/// A name of up to sixteen bytes in one integer, so that comparing names is comparing integers.
///
///     PackedName("href") == PackedName("HREF", lowercasing: true)
struct PackedName: Equatable {
  static let maximumBytes = 16
  let value: UInt128

  /// Nil for an empty name and one that is too long to be any of those that are known.
  init?(_ bytes: ArraySlice<UInt8>, lowercasing: Bool = false) {
    guard !bytes.isEmpty, bytes.count <= Self.maximumBytes else { return nil }
    var low: UInt64 = 0
    var high: UInt64 = 0
    var count = 0
    for byte in bytes {
      let letter = UInt64(lowercasing ? byte.asciiLowercased : byte)
      if count < 8 {
        low |= letter << UInt64(count * 8)
      } else {
        high |= letter << UInt64((count - 8) * 8)
      }
      count += 1
    }
    value = UInt128(high) << 64 | UInt128(low)
  }

  /// The name without the zeros that fill it up.
  var bytes: [UInt8] {
    var result: [UInt8] = []
    append(to: &result)
    return result
  }

  func append(to output: inout [UInt8]) {
    var rest = value
    while rest != 0 {
      output.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}

/// What is known of names, found by one multiplication and mostly one comparison.
struct NameTable<Value: Sendable>: Sendable {
  private var keys: [UInt128]
  private var values: [Value?]
  private let shift: UInt64

  /// Names that are too long for ``PackedName`` are left out.
  init(_ entries: some Collection<(String, Value)>) {
    var bits: UInt64 = 4
    while 1 << bits < entries.count * 3 { bits += 1 }
    shift = 64 - bits
    keys = Array(repeating: 0, count: 1 << bits)
    values = Array(repeating: nil, count: 1 << bits)
    for (name, value) in entries {
      guard let packed = PackedName(Array(name.utf8)[...]) else { continue }
      let slot = slot(of: packed.value)
      keys[slot] = packed.value
      values[slot] = value
    }
  }

  subscript(name: PackedName) -> Value? { values[slot(of: name.value)] }

  /// Where the name is, or the empty place where it would be; the table is never full.
  private func slot(of key: UInt128) -> Int {
    let mixed = UInt64(truncatingIfNeeded: key) ^ (UInt64(truncatingIfNeeded: key >> 64) &* 31)
    var slot = Int((mixed &* 0x9E37_79B9_7F4A_7C15) >> shift)
    while keys[slot] != key, keys[slot] != 0 { slot = (slot + 1) & (keys.count - 1) }
    return slot
  }
}
