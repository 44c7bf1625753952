import Foundation

/// What a key-value store holds: a value as property lists have it.
///
///     try settings.set("dark", forKey: "theme")
///     try settings.set(["width": 800, "height": 600], forKey: "window")
///     try settings.set(.date(.now), forKey: "opened")
///     let theme = try settings.value(forKey: "theme")?.string
///
/// Integers have 64 bits and are never doubles: 1 and 1.0 differ. What is read is what was written,
/// to the last bit of a date. There is no null, as in property lists.
public enum PropertyListValue: Sendable {
  /// `true` or `false`.
  case bool(Bool)
  /// An integer of 64 bits.
  case integer(Int64)
  /// A number with a fraction; infinity and NaN are refused when they are written.
  case double(Double)
  /// Text.
  case string(String)
  /// A moment, kept as a `Double` of seconds since 2001.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Values in their order.
  case array([PropertyListValue])
  /// Values by name.
  case dictionary([String: PropertyListValue])
}

// MARK: - Comparing

extension PropertyListValue: Hashable {
  /// Whether both are stored alike: 1 and 1.0 differ, 0.0 and -0.0 differ, texts compare as bytes.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.json == rhs.json }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

// MARK: - Reading

extension PropertyListValue {
  /// The value if it is a Boolean; nil if it is something else.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The value if it is an integer.
  public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// The value if it is a number with a fraction, or an integer that a `Double` holds exactly.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(exactly: value)
    default: nil
    }
  }
  /// The value if it is text.
  public var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The value if it is a moment.
  public var date: Date? { if case .date(let value) = self { value } else { nil } }
  /// The value if it is bytes.
  public var data: Data? { if case .data(let value) = self { value } else { nil } }
  /// The value if it is an array.
  public var array: [PropertyListValue]? {
    if case .array(let value) = self { value } else { nil }
  }
  /// The value if it is a dictionary.
  public var dictionary: [String: PropertyListValue]? {
    if case .dictionary(let value) = self { value } else { nil }
  }
}

// MARK: - Literals

extension PropertyListValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A Boolean, as it stands in the source.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer, as it stands in the source.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number with a fraction, as it stands in the source.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Text, as it stands in the source.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array, as it stands in the source.
  public init(arrayLiteral elements: PropertyListValue...) { self = .array(elements) }
  /// A dictionary, as it stands in the source; of a name that comes twice the last value counts.
  public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
    self = .dictionary(Dictionary(elements) { $1 })
  }
}
