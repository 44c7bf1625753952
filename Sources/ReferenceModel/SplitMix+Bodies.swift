import CanonicalJSON

/// The keys and values that random documents are made of.
package struct Vocabulary: Sendable {
  package let key: @Sendable (inout SplitMix) -> ByteString
  package let leaf: @Sendable (inout SplitMix) -> JSON

  /// Few values over few keys, so that devices write the same at the same paths; odd keys, which
  /// try the escapes of paths, are rare.
  package static let meeting = Vocabulary(
    key: { random in
      random.chance(94)
        ? random.pick(["a", "b", "c"]) : random.pick(["a", "b", "c", "\0", "\u{1}/~"])
    },
    leaf: { random in
      switch random.below(12) {
      case 0: .null
      case 1: .bool(true)
      case 2: .integer(1)
      case 3: .double(1)
      case 4: .array((0..<random.below(4)).map { _ in .integer(Int64(random.below(3))) })
      case 5: .array([.object(["a": .integer(Int64(random.below(2)))])])
      case 6: .string("s")
      default: .integer(Int64(random.below(5)))
      }
    })

  /// Most values are found nowhere else, so that what shows tells who wrote it.
  package static let telling = Vocabulary(
    key: { $0.pick(["a", "b", "c"]) },
    leaf: { random in
      switch random.below(14) {
      case 0: .null
      case 1: .bool(true)
      case 2: .integer(1)
      case 3: .double(1)
      case 4: .array([])
      case 5: .array([.integer(random.unique())])
      case 6: .string("s")
      case 7: .integer(2)
      default: .integer(random.unique())
      }
    })

  /// Numbers of telling values from here on are never written twice.
  package static let firstUnique: Int64 = 1 << 32
}

extension SplitMix {
  fileprivate mutating func unique() -> Int64 {
    Vocabulary.firstUnique + Int64(truncatingIfNeeded: next() >> 16)
  }

  private mutating func value(_ words: Vocabulary, depth: Int) -> JSON {
    depth > 0 && chance(40) ? .object(object(words, depth: depth - 1)) : words.leaf(&self)
  }

  private mutating func object(_ words: Vocabulary, depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<below(3) + (depth > 1 ? 1 : 0) {
      object[words.key(&self)] = value(words, depth: depth)
    }
    return object
  }

  /// A small document.
  package mutating func document(_ words: Vocabulary) -> JSON {
    chance(8) ? .object(JSONObject()) : .object(object(words, depth: 2))
  }

  /// `body` with one or two members somewhere in it set or taken away.
  package mutating func edited(_ body: JSON, _ words: Vocabulary) -> JSON {
    guard case .object(var object) = body else { return value(words, depth: 1) }
    edit(&object, words, depth: 2)
    if chance(30) { edit(&object, words, depth: 2) }
    return .object(object)
  }

  private mutating func edit(_ object: inout JSONObject, _ words: Vocabulary, depth: Int) {
    let old = object.members.map(\.key)
    if !old.isEmpty, chance(25) {
      object[pick(old)] = nil
      return
    }
    let key = !old.isEmpty && chance(40) ? pick(old) : words.key(&self)
    if depth > 0, case .object(var inner)? = object[key], chance(75) {
      edit(&inner, words, depth: depth - 1)
      object[key] = .object(inner)
    } else {
      object[key] = value(words, depth: depth)
    }
  }

  /// A merge patch of one or two members; null takes one away.
  package mutating func patch(_ words: Vocabulary, depth: Int = 2) -> JSON {
    var object = JSONObject()
    for _ in 0...below(2) {
      let value: JSON
      let choice = below(6)
      let key = words.key(&self)
      switch choice {
      case 0: value = .null
      case 1 where depth > 0: value = patch(words, depth: depth - 1)
      default: value = chance(20) ? .object(JSONObject()) : words.leaf(&self)
      }
      object[key] = value
    }
    return .object(object)
  }
}
