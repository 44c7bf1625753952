/// The members of a JSON object, sorted by the bytes of their keys, each key once.
///
///     var object: JSONObject = ["b": .integer(2), "a": .integer(1)]
///     object["c"] = .null
///     object.members.map(\.key)  // a, b, c
public struct JSONObject: Sendable {
  /// The members in the order of the canonical text.
  public private(set) var members: [(key: ByteString, value: JSON)]

  /// An object without members.
  public init() { members = [] }

  /// Sorts `members` by key, and is nil if a key comes twice.
  public init?(_ members: [(ByteString, JSON)]) {
    let sorted = members.map { (key: $0.0, value: $0.1) }.sorted { $0.key < $1.key }
    guard Self.firstRepeatedKey(in: sorted) == nil else { return nil }
    self.members = sorted
  }

  /// Takes members that are already sorted and unique.
  init(sorted members: [(key: ByteString, value: JSON)]) {
    assert(zip(members, members.dropFirst()).allSatisfy { $0.key < $1.key })
    self.members = members
  }

  /// The value of `key`; nil means that there is no such member, and assigning nil removes it.
  ///
  /// Reading takes a binary search. Adding and removing also move the members behind the key, so
  /// build a large object with ``init(_:)-([(ByteString,JSON)])`` instead. A member whose value is
  /// `.null` is a member: assign `JSON.null` for it, not the `nil` that `.none` would be.
  public subscript(key: ByteString) -> JSON? {
    get {
      let index = position(of: key)
      return holds(key, at: index) ? members[index].value : nil
    }
    set {
      let index = position(of: key)
      switch (newValue, holds(key, at: index)) {
      case (let value?, true): members[index].value = value
      case (let value?, false): members.insert((key, value), at: index)
      case (nil, true): members.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The first key that two neighbours share, if any.
  static func firstRepeatedKey(in sorted: [(key: ByteString, value: JSON)]) -> ByteString? {
    zip(sorted, sorted.dropFirst()).first { $0.key == $1.key }?.0.key
  }

  /// Where `key` is, or where it would be inserted.
  private func position(of key: ByteString) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = low + (high - low) / 2
      if members[middle].key < key {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func holds(_ key: ByteString, at index: Int) -> Bool {
    index < members.count && members[index].key == key
  }
}

// Tuples cannot be `Hashable`, so what the compiler would write is written here.
extension JSONObject: Hashable {
  /// Whether both have the same keys with equal values.
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    lhs.members.elementsEqual(rhs.members) { $0.key == $1.key && $0.value == $1.value }
  }

  /// Hashes every key and value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(members.count)
    for (key, value) in members {
      hasher.combine(key)
      hasher.combine(value)
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// The members written in the source; writing a key twice is a bug and stops the program.
  public init(dictionaryLiteral elements: (ByteString, JSON)...) {
    guard let object = JSONObject(elements) else {
      preconditionFailure("a key comes twice in a JSONObject literal")
    }
    self = object
  }
}
