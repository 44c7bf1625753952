import Replication

/// A number that devices count in at the same time, as a property of a `Codable` type.
///
///     struct Plan: Codable { var title: String; var votes = Counter() }
///
///     try store.write { writer in
///       try writer.update(Plan.self, at: "picnic", in: "plans") { $0.votes += 1 }
///     }
///
/// With `update` on a ``WriteTransaction``, what was added or taken away becomes an increment:
/// where two devices add one, both count. A new `Counter(10)` in its place starts it anew from 10.
/// In the document, and for other programs, it is an integer.
///
/// `put`, which writes the whole, starts the counter anew if its number differs from what shows.
public struct Counter: Hashable, Sendable {
  /// What it comes to.
  public private(set) var value: Int64
  /// What was added since it was read; nil for one that this program made.
  private(set) var change: Int64?

  /// A counter that starts anew.
  public init(_ value: Int64 = 0) { self.value = value }

  /// Adds to it; beyond the range of `Int64` it stays at the end.
  public mutating func add(_ amount: Int64) {
    value = value.addingClamped(amount)
    change = change?.addingClamped(amount)
  }

  /// Adds to it.
  public static func += (counter: inout Counter, amount: Int64) { counter.add(amount) }
  /// Takes away from it.
  public static func -= (counter: inout Counter, amount: Int64) {
    // −(−2⁶³) is no Int64.
    if amount == .min { counter.add(1) }
    counter.add(amount == .min ? .max : -amount)
  }

  /// Whether both have the same value.
  public static func == (lhs: Counter, rhs: Counter) -> Bool { lhs.value == rhs.value }
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Counter: Codable {
  /// Reads an integer; one above the range of `Int64` as its end.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let large = try? container.decode(UInt64.self) {
      value = Int64(clamping: large)
    } else {
      value = try container.decode(Int64.self)
    }
    change = 0
  }

  /// Writes an integer.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Counter: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// A counter that starts anew.
  public init(integerLiteral value: Int64) { self.init(value) }
  /// The value in digits.
  public var description: String { String(value) }
}

extension Counter {
  /// What is to be added to the counter that stood here as `old`; nil if it is to start anew.
  func amount(since old: Counter) -> Int64? {
    guard let change, old.value.addingClamped(change) == value else { return nil }
    return change
  }
}

extension Int64 {
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}
