import CanonicalJSON
import Foundation

/// Turns JSON into `Decodable` values; reads what ``DocumentEncoder`` writes, and leniently what
/// other programs do: 1.0 where an integer is wanted, 1 where a double is.
struct DocumentDecoder {
  func decode<Value: Decodable>(_ type: Value.Type, from json: JSON) throws -> Value {
    try JSONDecoding(json: json, codingPath: []).decode(type)
  }
}

/// A decoder, and its single-value container, of one value.
private struct JSONDecoding: Decoder, SingleValueDecodingContainer {
  let json: JSON
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let object) = json else { throw mismatch([String: JSON].self) }
    return KeyedDecodingContainer(KeyedDecoding(object: object, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json else { throw mismatch([JSON].self) }
    return UnkeyedDecoding(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { json == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    switch type {
    case is JSON.Type: return try cast(json)
    case is Bool.Type: if case .bool(let value) = json { return try cast(value) }
    case is String.Type: if case .string(let text) = json { return try cast(text.description) }
    case is Double.Type: if let value = double { return try cast(value) }
    case is Float.Type: if let value = double { return try cast(Float(value)) }
    case is Date.Type: return try cast(parsed("an ISO 8601 date", DateText.date))
    case is Data.Type: return try cast(parsed("base64") { Data(base64Encoded: $0) })
    case is URL.Type: return try cast(parsed("a URL") { URL(string: $0) })
    case let type as any FixedWidthInteger.Type: return try cast(integer(type))
    default: return try Value(from: self)
    }
    throw mismatch(type)
  }

  private var double: Double? {
    switch json {
    case .double(let value): value
    case .integer(let value): Double(exactly: value)
    case .unsigned(let value): Double(exactly: value)
    default: nil
    }
  }

  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let number: Number?
    switch json {
    case .integer(let value): number = Number(exactly: value)
    case .unsigned(let value): number = Number(exactly: value)
    case .double(let value): number = Number(exactly: value)
    default: throw mismatch(type)
    }
    guard let number else { throw corrupted("\(json.canonical) is no \(type)") }
    return number
  }

  private func parsed<Value>(_ form: String, _ parse: (String) -> Value?) throws -> Value {
    guard case .string(let text) = json else { throw mismatch(Value.self) }
    guard let value = parse(text.description) else {
      throw corrupted("\(json.canonical) is not \(form)")
    }
    return value
  }

  /// A value whose type has been found to be `Value`.
  private func cast<Value>(_ value: Any) throws -> Value {
    guard let value = value as? Value else { throw mismatch(Value.self) }
    return value
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "found \(json.kindName)"))
  }

  private func corrupted(_ text: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: codingPath, debugDescription: text))
  }
}

private struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: JSONObject
  let codingPath: [any CodingKey]

  var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key.description) } }

  func contains(_ key: Key) -> Bool { object[ByteString(key.stringValue)] != nil }

  private func child(_ key: any CodingKey) throws -> JSONDecoding {
    guard let json = object[ByteString(key.stringValue)] else {
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "no member '\(key.stringValue)'"))
    }
    return JSONDecoding(json: json, codingPath: codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try child(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try child(key).decode(type)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try child(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try child(SuperKey()) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
}

private struct UnkeyedDecoding: UnkeyedDecodingContainer {
  let elements: [JSON]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSON], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private func current(_ type: Any.Type) throws -> JSONDecoding {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: codingPath, debugDescription: "the array has ended"))
    }
    return JSONDecoding(json: elements[currentIndex], codingPath: codingPath)
  }

  mutating func decodeNil() throws -> Bool {
    guard try current(JSON.self).decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try current(type).decode(type)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<Nested>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    defer { currentIndex += 1 }
    return try current(type).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    defer { currentIndex += 1 }
    return try current([JSON].self).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    defer { currentIndex += 1 }
    return try current(JSON.self)
  }
}

extension JSON {
  /// What kind of value it is, for messages.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .unsigned: "an integer"
    case .double: "a double"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
