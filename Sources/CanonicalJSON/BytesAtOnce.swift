import Glibc

// An array's own operations take element by element what the C library takes at once, in a third of
// the time for an id of twenty bytes; and names are compared and hashed for each operation of an
// import.
extension [UInt8] {
  /// Hashes all bytes at once, and how many they are.
  package func hashAtOnce(into hasher: inout Hasher) {
    hasher.combine(count)
    withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// Whether both have the same bytes.
  package func isSame(as other: [UInt8]) -> Bool {
    count == other.count && order(to: other, count: count) == 0
  }

  /// Whether it sorts before `other`, byte by byte; of two that begin alike the shorter is first.
  package func isBefore(_ other: [UInt8]) -> Bool {
    let order = order(to: other, count: Swift.min(count, other.count))
    return order == 0 ? count < other.count : order < 0
  }

  /// Hashes some of the bytes as ``hashAtOnce(into:)`` does all.
  package func hashAtOnce(_ range: Range<Int>, into hasher: inout Hasher) {
    hasher.combine(range.count)
    withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// Whether some of the bytes are the same as some of others.
  package func isSame(_ range: Range<Int>, as other: [UInt8], _ otherRange: Range<Int>) -> Bool {
    guard range.count == otherRange.count else { return false }
    return withUnsafeBytes { bytes in
      other.withUnsafeBytes { other in
        UnsafeRawBufferPointer(rebasing: bytes[range]).order(
          to: UnsafeRawBufferPointer(rebasing: other[otherRange])) == 0
      }
    }
  }

  private func order(to other: [UInt8], count: Int) -> Int32 {
    withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        // An empty array may have no address.
        guard count > 0, let first = left.baseAddress, let second = right.baseAddress else {
          return 0
        }
        return first == second ? 0 : memcmp(first, second, count)
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Below zero where the bytes sort before others, zero where they are the same.
  package func order(to other: UnsafeRawBufferPointer) -> Int {
    let most = Swift.min(count, other.count)
    // An empty buffer may have no address.
    guard most > 0, let first = baseAddress, let second = other.baseAddress else {
      return count - other.count
    }
    let order = memcmp(first, second, most)
    return order == 0 ? count - other.count : Int(order)
  }
}
