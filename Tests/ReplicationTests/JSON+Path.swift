import CanonicalJSON

extension JSON {
  /// The value at a path of keys; nil where there is none.
  func value(at path: [ByteString]) -> JSON? {
    var value = self
    for key in path {
      guard case .object(let object) = value, let member = object[key] else { return nil }
      value = member
    }
    return value
  }

  var isObject: Bool { if case .object = self { true } else { false } }
  var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
}
