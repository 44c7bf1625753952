import CanonicalJSON
import Foundation

/// Turns `Encodable` values into JSON without the detour by text, which would make 1.0 into 1.
///
/// Dates become ISO 8601 in UTC with milliseconds, data base64, URLs their text.
struct DocumentEncoder {
  /// - parameter members: told of counters and sets in the value.
  func encode(
    _ value: some Encodable, collecting members: ReplicatedMembers? = nil
  ) throws -> JSON {
    try Self.json(value, path: [], members: members)
  }

  fileprivate static func json(
    _ value: some Encodable, path: [any CodingKey], members: ReplicatedMembers?
  ) throws -> JSON {
    if let member = value as? any ReplicatedMember { members?.note(member, at: path) }
    switch value {
    case let value as JSON: return value
    case let value as Date:
      guard let text = DateText.text(value) else {
        // Not the date, which ends the process where it is infinite and the error is printed.
        throw EncodingError.invalidValue(
          value.timeIntervalSince1970,
          .init(codingPath: path, debugDescription: "ISO 8601 has no such date"))
      }
      return .string(ByteString(text))
    case let value as Data: return .string(ByteString(value.base64EncodedString()))
    case let value as URL: return .string(ByteString(value.absoluteString))
    default:
      let node = EncodingNode()
      try value.encode(to: NodeEncoder(node: node, codingPath: path, members: members))
      return node.json
    }
  }
}

/// A value in the making; containers of one encoder share it.
private final class EncodingNode {
  enum Content {
    case none
    case value(JSON)
    case array([EncodingNode])
    case object([ByteString: EncodingNode])
  }

  var content = Content.none

  convenience init(_ value: JSON) {
    self.init()
    content = .value(value)
  }

  func set(_ node: EncodingNode, for key: ByteString) {
    var members: [ByteString: EncodingNode] = [:]
    if case .object(let present) = content { members = present }
    // Else the members would be copied at each change.
    content = .none
    members[key] = node
    content = .object(members)
  }

  /// The array or object that a member is so far; nil if it is none.
  func container(for key: ByteString) -> EncodingNode? {
    guard case .object(let members) = content, let node = members[key] else { return nil }
    switch node.content {
    case .array, .object: return node
    case .none, .value: return nil
    }
  }

  func append(_ node: EncodingNode) {
    var elements: [EncodingNode] = []
    if case .array(let present) = content { elements = present }
    content = .none
    elements.append(node)
    content = .array(elements)
  }

  var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

  var json: JSON {
    switch content {
    // As JSONEncoder has it: a type that encodes nothing is an empty object.
    case .none: .object(JSONObject())
    case .value(let value): value
    case .array(let elements): .array(elements.map(\.json))
    case .object(let members):
      // A dictionary has each key once.
      .object(JSONObject(members.map { ($0.key, $0.value.json) }) ?? JSONObject())
    }
  }
}

private struct NodeEncoder: Encoder {
  let node: EncodingNode
  let codingPath: [any CodingKey]
  let members: ReplicatedMembers?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .none = node.content { node.content = .object([:]) }
    return KeyedEncodingContainer(
      KeyedEncoding(node: node, codingPath: codingPath, members: members))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .none = node.content { node.content = .array([]) }
    return UnkeyedEncoding(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleEncoding(node: node, codingPath: codingPath, members: members)
  }
}

/// What the three containers have in common.
private protocol NodeContainer {
  var codingPath: [any CodingKey] { get }
  var members: ReplicatedMembers? { get }
}

extension NodeContainer {
  fileprivate func number(_ value: Double) throws -> JSON {
    guard let number = JSON(finite: value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "JSON has no \(value)"))
    }
    return number
  }

  fileprivate func node(_ value: some Encodable, at key: (any CodingKey)? = nil) throws
    -> EncodingNode
  {
    switch value {
    case let value as Bool: EncodingNode(.bool(value))
    case let value as String: EncodingNode(.string(ByteString(value)))
    case let value as Double: EncodingNode(try number(value))
    // By its shortest text: 0.1 shall not become 0.10000000149011612.
    case let value as Float: EncodingNode(try number(Double(value.description) ?? Double(value)))
    case let value as any BinaryInteger: EncodingNode(try integer(value))
    default:
      EncodingNode(
        try DocumentEncoder.json(
          value, path: codingPath + [key].compactMap { $0 }, members: members))
    }
  }

  private func integer(_ value: any BinaryInteger) throws -> JSON {
    if let signed = Int64(exactly: value) { return .integer(signed) }
    guard let unsigned = UInt64(exactly: value) else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "\(value) is out of range"))
    }
    return JSON(unsigned)
  }
}

private struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol, NodeContainer {
  let node: EncodingNode
  let codingPath: [any CodingKey]
  let members: ReplicatedMembers?

  private func child(_ key: any CodingKey) -> EncodingNode {
    let name = ByteString(key.stringValue)
    // A container that is asked for again goes on, as JSONEncoder's do.
    if let begun = node.container(for: name) { return begun }
    let child = EncodingNode()
    node.set(child, for: name)
    return child
  }

  func encodeNil(forKey key: Key) throws {
    node.set(EncodingNode(.null), for: ByteString(key.stringValue))
  }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    node.set(try self.node(value, at: key), for: ByteString(key.stringValue))
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    NodeEncoder(node: child(key), codingPath: codingPath + [key], members: members)
      .container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    NodeEncoder(node: child(key), codingPath: codingPath + [key], members: members)
      .unkeyedContainer()
  }

  func superEncoder() -> any Encoder { superEncoder(for: SuperKey()) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(for: key) }

  private func superEncoder(for key: any CodingKey) -> any Encoder {
    NodeEncoder(node: child(key), codingPath: codingPath + [key], members: members)
  }
}

private struct UnkeyedEncoding: UnkeyedEncodingContainer, NodeContainer {
  let node: EncodingNode
  let codingPath: [any CodingKey]
  /// An array is one value, so what is inside is no member.
  let members: ReplicatedMembers? = nil
  var count: Int { node.count }

  private func child() -> EncodingNode {
    let child = EncodingNode()
    node.append(child)
    return child
  }

  func encodeNil() throws { node.append(EncodingNode(.null)) }

  func encode(_ value: some Encodable) throws { node.append(try self.node(value)) }

  func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    NodeEncoder(node: child(), codingPath: codingPath, members: nil).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    NodeEncoder(node: child(), codingPath: codingPath, members: nil).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    NodeEncoder(node: child(), codingPath: codingPath, members: nil)
  }
}

private struct SingleEncoding: SingleValueEncodingContainer, NodeContainer {
  let node: EncodingNode
  let codingPath: [any CodingKey]
  let members: ReplicatedMembers?

  func encodeNil() throws { node.content = .value(.null) }

  func encode(_ value: some Encodable) throws { node.content = try self.node(value).content }
}

/// The key that `superEncoder()` and `superDecoder()` use.
struct SuperKey: CodingKey {
  let stringValue = "super"
  var intValue: Int? { nil }

  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}

/// Dates as text: ISO 8601 in UTC, with milliseconds.
enum DateText {
  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  /// What comes back as it was, in seconds since 1970: from the year 1 on, up to where the style
  /// has one text for all that is later.
  private static let range = -62_135_769_600..<1e13

  /// The text; nil if it would not be that of this date.
  static func text(_ date: Date) -> String? {
    guard range.contains(date.timeIntervalSince1970) else { return nil }
    // The style cuts off what is below a millisecond, and most milliseconds are no exact doubles:
    // aiming at their middle, a date that was read is written as it stood.
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    return Date(timeIntervalSince1970: (milliseconds + 0.5) / 1000).formatted(style)
  }

  /// Reads it with or without milliseconds.
  static func date(_ text: String) -> Date? {
    (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
  }
}
