/// Any JSON value inside a `Codable` type, for members whose form a program does not know.
///
///     struct Settings: Codable { var theme: String; var extra: JSON }
extension JSON: Codable {
  /// Encodes the value as what it is: a null, number, string, array or object.
  public func encode(to encoder: any Encoder) throws {
    if case .object(let object) = self {
      var container = encoder.container(keyedBy: AnyKey.self)
      for (key, value) in object.members {
        try container.encode(value, forKey: AnyKey(stringValue: key.description))
      }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value.description)
    case .array(let elements): try container.encode(elements)
    case .object: break
    }
  }

  /// Decodes whatever stands there.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: AnyKey.self) {
      var object = JSONObject()
      for key in container.allKeys {
        object[ByteString(key.stringValue)] = try container.decode(JSON.self, forKey: key)
      }
      self = .object(object)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(UInt64.self) {
      self = JSON(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(ByteString(value))
    } else {
      self = .array(try container.decode([JSON].self))
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
