/// A JSON text that was read leniently: the first of what it holds, and nothing that would not be
/// used.
///
///     JSONValue(Array(#"{"title":"News"}"#.utf8))?["title"]?.text  // "News"
indirect enum JSONValue: Sendable {
  case null
  case bool(Bool)
  /// As it is written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  /// Reads a text in UTF-8; nil if it holds no value.
  ///
  /// Trailing commas and what follows the value are tolerated.
  init?(_ text: [UInt8]) {
    var reader = JSONReading(text)
    guard let value = reader.read() else { return nil }
    self = value
  }

  /// The member of an object by its name.
  subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == name }?.value
  }

  /// The elements of an array, or a single value as an array of it; nothing for null.
  var elements: [JSONValue] {
    switch self {
    case .array(let elements): elements
    case .null: []
    default: [self]
    }
  }

  /// A string, or a number or truth value as it is written.
  var text: String? {
    switch self {
    case .string(let text): text
    case .number(let text): text
    case .bool(let value): value ? "true" : "false"
    default: nil
    }
  }

  var isObject: Bool { if case .object = self { true } else { false } }

  /// A whole number that is not negative.
  var size: Int? {
    guard let text else { return nil }
    if let whole = Int(text.trimmed) { return whole >= 0 ? whole : nil }
    guard let value = Double(text.trimmed), value >= 0, value < 1e15 else { return nil }
    return Int(value)
  }
}
