// JSON written down in Swift: `let body: JSON = ["title": "Groceries", "tags": ["food"], "n": 1]`.
//
// There is no literal for null: `object[key] = nil` removes a member, and must not come to mean a
// member that is null.

extension JSON: ExpressibleByDictionaryLiteral {
  /// An object of these members; writing a key twice is a bug and stops the program.
  public init(dictionaryLiteral elements: (ByteString, JSON)...) {
    guard let object = JSONObject(elements) else {
      preconditionFailure("a key comes twice in a JSON literal")
    }
    self = .object(object)
  }
}

extension JSON: ExpressibleByArrayLiteral {
  /// An array of these values.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A string.
  public init(stringLiteral value: String) { self = .string(ByteString(value)) }
}

extension JSON: ExpressibleByIntegerLiteral {
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSON: ExpressibleByFloatLiteral {
  /// A double.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension JSON: ExpressibleByBooleanLiteral {
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
