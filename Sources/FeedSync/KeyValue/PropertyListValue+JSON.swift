import CanonicalJSON
import Foundation

/// How values are written as JSON, in the store and by `feedsync kv`.
///
/// What JSON has stands as itself. A date is `{"$date":seconds}`, with a double of seconds since
/// 2001-01-01 00:00 UTC, which is what property lists keep; bytes are `{"$data":"base64"}`. So that
/// these are never taken for dictionaries, a dictionary's key that begins with `$` is written with
/// one more `$`.
extension PropertyListValue {
  private enum Tag {
    static let mark = UInt8(ascii: "$")
    static let date: ByteString = "$date"
    static let data: ByteString = "$data"
  }

  /// The value as JSON; a number that JSON cannot say becomes null, which ``isFinite`` tells of.
  package var json: JSON {
    switch self {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value): JSON(finite: value) ?? .null
    case .string(let value): .string(ByteString(value))
    case .date(let value):
      .object([Tag.date: JSON(finite: value.timeIntervalSinceReferenceDate) ?? .null])
    case .data(let value): .object([Tag.data: .string(ByteString(value.base64EncodedString()))])
    case .array(let values): .array(values.map(\.json))
    case .dictionary(let values):
      .object(values.reduce(into: JSONObject()) { $0[Self.escaped($1.key)] = $1.value.json })
    }
  }

  /// Whether every number in it, and every date, is one that can be stored.
  var isFinite: Bool {
    switch self {
    case .double(let value): value.isFinite
    case .date(let value): value.timeIntervalSinceReferenceDate.isFinite
    case .array(let values): values.allSatisfy(\.isFinite)
    case .dictionary(let values): values.values.allSatisfy(\.isFinite)
    case .bool, .integer, .string, .data: true
    }
  }

  /// Reads what ``json`` writes.
  ///
  /// Nil for anything else: null, an integer above `Int64.max`, base64 that is none, a key with a
  /// single `$` that a later version may know, two keys that are one to Swift's `String`.
  package init?(json: JSON) {
    switch json {
    case .null, .unsigned: return nil
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value.description)
    case .array(let elements):
      let values = elements.compactMap { PropertyListValue(json: $0) }
      guard values.count == elements.count else { return nil }
      self = .array(values)
    case .object(let object):
      guard let value = Self.tagged(object) ?? Self.dictionary(object) else { return nil }
      self = value
    }
  }

  private static func tagged(_ object: JSONObject) -> PropertyListValue? {
    guard object.members.count == 1 else { return nil }
    switch (object.members[0].key, object.members[0].value) {
    case (Tag.date, .double(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (Tag.date, .integer(let seconds)):
      return Double(exactly: seconds).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case (Tag.data, .string(let text)):
      return Data(base64Encoded: text.description).map { .data($0) }
    default: return nil
    }
  }

  private static func dictionary(_ object: JSONObject) -> PropertyListValue? {
    var values: [String: PropertyListValue] = [:]
    for member in object.members {
      guard let key = unescaped(member.key), let value = PropertyListValue(json: member.value)
      else { return nil }
      values[key] = value
    }
    return values.count == object.members.count ? .dictionary(values) : nil
  }

  private static func escaped(_ key: String) -> ByteString {
    ByteString(key.utf8.first == Tag.mark ? "$" + key : key)
  }

  private static func unescaped(_ key: ByteString) -> String? {
    guard key.bytes.first == Tag.mark else { return key.description }
    guard key.bytes.dropFirst().first == Tag.mark else { return nil }
    // Bytes, not characters: what follows may join the mark into one.
    return String(decoding: key.bytes.dropFirst(), as: UTF8.self)
  }
}
