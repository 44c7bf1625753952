/// A set of operations.
///
/// Bit 4 * t + i is operation i of transaction t; transactions are numbered in the order of their
/// stamps, so that the highest bit is the greatest stamp. Any order of stamps is one in which the
/// writes may have happened, so interleavings give all of them.
typealias OpMask = UInt32

enum Kind: UInt8 {
  case none = 0
  case set, clear, remove, delete
}

enum Path {
  static let root = 0
  static let a = 1
  static let b = 2
  static let c = 3

  /// Whether `path` is `ancestor` or below it.
  static func isAtOrBelow(_ path: Int, _ ancestor: Int) -> Bool {
    path == ancestor || ancestor == root || (ancestor == a && path == b)
  }
}

struct Operation {
  var kind: Kind
  var path: Int
  /// The operation whose value this one repeats (a revived insert); 0xFF for a value of its own.
  var source: UInt8 = 0xFF
}

/// One transaction: at most four operations, and what its author had seen.
struct Transaction {
  var stream: UInt8 = 0
  var sequence: UInt8 = 0
  /// The number of the transaction whose insert this one edits: its own for an insert.
  var insert: UInt8 = 0
  var isRevived = false
  var context = Vector()
  /// Of a revived insert: what the writer of the roll-up had seen that made it necessary.
  var basis = Vector()
  var kinds: UInt32 = 0
  var sources: UInt32 = 0xFFFF_FFFF
  /// All operations in the context.
  var seen: OpMask = 0

  func kind(_ slot: Int) -> Kind {
    Kind(rawValue: UInt8(kinds >> UInt32(8 * slot + 4) & 15)) ?? .none
  }
  func path(_ slot: Int) -> Int { Int(kinds >> UInt32(8 * slot) & 15) }
  func source(_ slot: Int) -> UInt8 { UInt8(truncatingIfNeeded: sources >> UInt32(8 * slot)) }

  mutating func put(_ operation: Operation, at slot: Int) {
    let shift = UInt32(8 * slot)
    kinds |= (UInt32(operation.kind.rawValue) << 4 | UInt32(operation.path)) << shift
    sources = sources & ~(255 << shift) | UInt32(operation.source) << shift
  }
}

extension OpMask {
  /// The operations in it, from the least stamp to the greatest.
  @inline(__always)
  func forEach(_ body: (Int) -> Void) {
    var rest = self
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }

  func contains(where test: (Int) -> Bool) -> Bool {
    var rest = self
    while rest != 0 {
      if test(rest.trailingZeroBitCount) { return true }
      rest &= rest - 1
    }
    return false
  }

  static func one(_ operation: Int) -> OpMask { 1 << OpMask(operation) }
  var top: Int { self == 0 ? -1 : 31 - leadingZeroBitCount }
}
