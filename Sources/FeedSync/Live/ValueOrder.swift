import DocumentStorage

/// The order in which SQLite sorts values: NULL, numbers, texts by their bytes, blobs.
enum ValueOrder {
  /// Less than zero if the first comes before the second, zero if neither does.
  static func compare(_ first: QueryValue, _ second: QueryValue) -> Int {
    switch (first, second) {
    case (.integer(let one), .integer(let other)): sign(one, other)
    case (.real(let one), .real(let other)): sign(one, other)
    case (.integer(let one), .real(let other)): compare(one, other)
    case (.real(let one), .integer(let other)): -compare(other, one)
    case (.text(let one), .text(let other)): compare(one.bytes, other.bytes)
    case (.blob(let one), .blob(let other)): compare(one, other)
    default: sign(rank(first), rank(second))
    }
  }

  private static func rank(_ value: QueryValue) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// Without rounding the integer: 2⁵³ + 1 is more than 2⁵³.
  private static func compare(_ integer: Int64, _ real: Double) -> Int {
    let bound = 0x1p63
    if real >= bound { return -1 }
    if real < -bound { return 1 }
    let whole = Int64(real)
    return integer == whole ? sign(0, real - Double(whole)) : sign(integer, whole)
  }

  private static func compare(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) -> Int
  {
    if first.lexicographicallyPrecedes(second) { return -1 }
    return second.lexicographicallyPrecedes(first) ? 1 : 0
  }

  private static func sign<Value: Comparable>(_ first: Value, _ second: Value) -> Int {
    first < second ? -1 : first > second ? 1 : 0
  }
}
