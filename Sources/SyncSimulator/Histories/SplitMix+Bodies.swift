import CanonicalJSON

/// Small random documents over few keys, so that devices meet at the same paths.
extension SplitMix {
  private static let keys: [ByteString] = ["a", "b", "c"]

  private mutating func key() -> ByteString { pick(Self.keys) }

  /// A value; most are found nowhere else, so that what shows tells who wrote it.
  mutating func leaf() -> JSON {
    switch below(14) {
    case 0: .null
    case 1: .bool(true)
    case 2: .integer(1)
    case 3: .double(1)
    case 4: .array([])
    case 5: .array([.integer(unique())])
    case 6: .string("s")
    case 7: .integer(2)
    default: .integer(unique())
    }
  }

  /// Numbers from here on are never written twice.
  static let firstUnique: Int64 = 1 << 32

  private mutating func unique() -> Int64 {
    Self.firstUnique + Int64(truncatingIfNeeded: next() >> 16)
  }

  private mutating func value(depth: Int) -> JSON {
    depth > 0 && chance(40) ? .object(object(depth: depth - 1)) : leaf()
  }

  private mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<below(3) + (depth > 1 ? 1 : 0) { object[key()] = value(depth: depth) }
    return object
  }

  mutating func document() -> JSON {
    chance(8) ? .object(JSONObject()) : .object(object(depth: 2))
  }

  /// `body` with one or two members somewhere in it set or taken away.
  mutating func edited(_ body: JSON) -> JSON {
    guard case .object(var object) = body else { return value(depth: 1) }
    edit(&object, depth: 2)
    if chance(30) { edit(&object, depth: 2) }
    return .object(object)
  }

  private mutating func edit(_ object: inout JSONObject, depth: Int) {
    let old = object.members.map(\.key)
    if !old.isEmpty, chance(25) {
      object[pick(old)] = nil
      return
    }
    let key = !old.isEmpty && chance(40) ? pick(old) : key()
    if depth > 0, case .object(var inner)? = object[key], chance(75) {
      edit(&inner, depth: depth - 1)
      object[key] = .object(inner)
    } else {
      object[key] = value(depth: depth)
    }
  }

  /// A merge patch of one or two members; null takes one away.
  mutating func patch(depth: Int = 2) -> JSON {
    var object = JSONObject()
    for _ in 0...below(2) {
      switch below(6) {
      case 0: object[key()] = JSON.null
      case 1 where depth > 0: object[key()] = patch(depth: depth - 1)
      default: object[key()] = chance(20) ? .object(JSONObject()) : leaf()
      }
    }
    return .object(object)
  }
}
