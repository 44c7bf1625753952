/// A JSON value whose identity is its canonical text.
///
/// Two values are equal exactly when ``canonicalBytes()`` gives the same bytes: 1 and 1.0 differ,
/// 0.0 and -0.0 differ, and strings and keys are compared as bytes, never normalised.
///
///     JSON.object(["id": .integer(7)])       // {"id":7}
///     JSON.integer(1) == JSON.double(1)      // false
public enum JSON: Sendable {
  /// `null`, which is a value: a member that is null is there.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number that was written with digits alone.
  case integer(Int64)
  /// An integer above `Int64.max`; smaller ones are ``integer(_:)``.
  ///
  /// Make it with ``init(_:)-(UInt64)``, which picks the right case.
  case unsigned(UInt64)
  /// A number that was written with a fraction or an exponent; always finite.
  ///
  /// Make it with ``init(finite:)`` where the number may be infinite or NaN.
  case double(Double)
  /// Text, compared as bytes.
  case string(ByteString)
  /// Values in their order.
  case array([JSON])
  /// Members in the order of their keys.
  case object(JSONObject)
}

extension JSON {
  /// An integer from 0 to 2⁶⁴−1, in the one case that holds it.
  ///
  ///     JSON(UInt64(5))      // .integer(5)
  ///     JSON(UInt64.max)     // .unsigned(18446744073709551615)
  public init(_ value: UInt64) {
    if let small = Int64(exactly: value) {
      self = .integer(small)
    } else {
      self = .unsigned(value)
    }
  }

  /// A double, or nil for infinity and NaN, which JSON cannot say.
  public init?(finite value: Double) {
    guard value.isFinite else { return nil }
    self = .double(value)
  }
}

extension JSON: Hashable {
  /// Whether both have the same canonical text.
  public static func == (lhs: JSON, rhs: JSON) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsigned(let left), .unsigned(let right)): left == right
    // `Double ==` calls 0.0 and -0.0 equal, but their texts, and so their digests, differ.
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes what ``==(_:_:)`` compares.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .double(let value):
      // The leading number keeps a double apart from the integer of the same bit pattern.
      hasher.combine(1)
      hasher.combine(value.bitPattern)
    case .string(let value): hasher.combine(value)
    case .array(let elements): hasher.combine(elements)
    case .object(let object): hasher.combine(object)
    }
  }
}
