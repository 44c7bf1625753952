import CanonicalJSON

@testable import Replication

/// Small random documents over few keys, so that devices meet at the same paths.
extension SplitMix {
  private static let keys: [ByteString] = ["a", "b", "c", "\0", "\u{1}/~"]

  private mutating func key() -> ByteString {
    // The odd keys try the escapes of paths; they are rare, for most edits shall collide.
    chance(94) ? Self.keys[below(3)] : pick(Self.keys)
  }

  mutating func leaf() -> JSON {
    switch below(12) {
    case 0: .null
    case 1: .bool(true)
    case 2: .integer(1)
    case 3: .double(1)
    case 4: .array((0..<below(4)).map { _ in .integer(Int64(below(3))) })
    case 5: .array([.object(["a": .integer(Int64(below(2)))])])
    case 6: .string("s")
    default: .integer(Int64(below(5)))
    }
  }

  mutating func value(depth: Int) -> JSON {
    depth > 0 && chance(45) ? .object(object(depth: depth - 1)) : leaf()
  }

  mutating func object(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<below(3) + (depth > 1 ? 1 : 0) { object[key()] = value(depth: depth) }
    return object
  }

  mutating func document() -> JSON {
    chance(10) ? .object(JSONObject()) : .object(object(depth: 2))
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

  /// The path of a member, one or two keys deep.
  mutating func memberPath() -> Path {
    Path(keys: (0..<(chance(70) ? 1 : 2)).map { _ in key() })
  }

  /// An edit of a counter or a set, few elements being around.
  mutating func kindEdit() -> KindEdit {
    guard chance(50) else { return .increment(Int64(below(7) - 2)) }
    let adding = (0..<below(3)).map { _ in SetElement(.integer(Int64(below(3)))) }
    let removing = (0..<below(2)).map { _ in SetElement(.integer(Int64(below(3)))) }
    return .elements(adding: Set(adding), removing: Set(removing))
  }

  /// A kind that only a newer version understands, with any envelope.
  mutating func newerKind() -> OperationKind {
    OperationKind(
      code: UInt8(OperationKind.known.count + below(3)),
      cover: pick([.nothing, .path, .path, .document]), carriesValue: chance(60))
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
