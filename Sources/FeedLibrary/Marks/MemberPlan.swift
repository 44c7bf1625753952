import FeedSync

/// A document of a feed's stars, or of its items' tags: the first has the feed's key as its id, and
/// where that is full `FEED/1` follows.
struct FeedPart: Hashable, Sendable {
  let feed: FeedKey
  let number: Int

  init(_ feed: FeedKey, _ number: Int) { (self.feed, self.number) = (feed, number) }

  /// Reads the id of a document; nil if it is of another form.
  init?(id: String) {
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let feed = FeedKey(text: String(parts[0])) else { return nil }
    guard let number = parts.count == 2 ? Int(parts[1]) : 0, 0...9_999 ~= number else {
      return nil
    }
    self.init(feed, number)
    // Another spelling of the same would be another document.
    guard self.id == id else { return nil }
  }

  var id: String { number == 0 ? feed.text : "\(feed)/\(number)" }
}

/// What is to be written to give items a star or a tag, or to take it: a merge patch for each part.
struct MemberPlan {
  private(set) var patches: [Int: JSONObject] = [:]
  /// How many items are marked that were not so before.
  private(set) var count = 0

  /// - parameters:
  ///   - tag: The tag; nil for a star.
  ///   - parts: The documents that the feed has, by their numbers.
  ///   - limit: How large one gets before the next is begun.
  ///   - most: How large one may be where something is taken from it.
  init(
    _ items: [ItemKey], tag: ByteString? = nil, isAdded: Bool, in parts: [Int: JSONObject],
    limit: Int = MarkLimits.bytesPerPart, most: Int = MarkLimits.mostBytesPerPart
  ) {
    var members: [Int: JSONObject] = [:]
    var room = PartRoom(parts, limit: limit)
    for item in Set(items).sorted() {
      let key = ByteString(item.text)
      let holders = parts.filter { Self.isMarked($0.value[key], tag) }.map(\.key)
      guard holders.isEmpty == isAdded else { continue }
      let value: JSON = isAdded ? MarkValue.read : .null
      let member = tag.map { JSON.object(JSONObject([($0, value)]) ?? JSONObject()) } ?? value
      count += 1
      guard isAdded else {
        // Two devices may have put it into two.
        for part in holders { members[part, default: JSONObject()][key] = member }
        continue
      }
      members[room.take((key, member)), default: JSONObject()][key] = member
    }
    patches = members
    guard !isAdded else { return }
    for (part, taken) in members.sorted(by: { $0.key < $1.key }) {
      for member in Self.excess(of: parts[part] ?? JSONObject(), besides: taken, most: most) {
        patches[part, default: JSONObject()][member.key] = .null
        let other = room.take(member)
        let present = patches[other]?[member.key]
        patches[other, default: JSONObject()][member.key] = member.value.with(present)
      }
    }
  }

  /// What has to go into other documents so that one may be written at all: devices that did not
  /// know of one another have filled it, or an older version, which had one alone.
  ///
  /// No more than that, and the same on each device: what is taken elsewhere meanwhile stays where
  /// it was moved to.
  private static func excess(
    of body: JSONObject, besides taken: JSONObject, most: Int
  ) -> [(key: ByteString, value: JSON)] {
    var size = taken.members.reduce(JSON.object(body).approximateSize) { size, member in
      // A tag is taken from its item, which stays.
      guard case .object = member.value else { return size - JSON.approximateSize(of: member) }
      return size - member.value.approximateSize
    }
    var result: [(key: ByteString, value: JSON)] = []
    for member in body.members.reversed() where size > most && taken[member.key] == nil {
      size -= JSON.approximateSize(of: member)
      result.append(member)
    }
    return result.reversed()
  }

  private static func isMarked(_ value: JSON?, _ tag: ByteString?) -> Bool {
    guard let tag else { return value?.isMark ?? false }
    guard case .object(let tags)? = value else { return false }
    return tags[tag]?.isMark ?? false
  }
}

/// Which documents have room for what comes to them.
private struct PartRoom {
  private let limit: Int
  private var sizes: [Int: Int]
  private var current = 0

  init(_ parts: [Int: JSONObject], limit: Int) {
    self.limit = limit
    sizes = parts.mapValues { JSON.object($0).approximateSize }
  }

  /// The first that has room for a member, which has less from now on.
  mutating func take(_ member: (key: ByteString, value: JSON)) -> Int {
    let size = JSON.approximateSize(of: member)
    while let taken = sizes[current], taken > 0, taken + size > limit { current += 1 }
    sizes[current, default: 0] += size
    return current
  }
}

extension JSON {
  /// Whether something stands here that marks what it is the member for.
  var isMark: Bool { self != .null && self != MarkValue.unread }

  /// How many bytes it takes as text, about: what stands for marks is small.
  fileprivate var approximateSize: Int {
    switch self {
    case .object(let object): object.members.reduce(0) { $0 + Self.approximateSize(of: $1) }
    case .array(let values): values.reduce(0) { $0 + 1 + $1.approximateSize }
    case .string(let text): text.bytes.count + 2
    default: 1
    }
  }

  /// What is to stand in a document where something is written there already, which decides.
  fileprivate func with(_ present: JSON?) -> JSON {
    guard case .object(var members) = self, case .object(let others)? = present else {
      return present ?? self
    }
    for member in others.members { members[member.key] = member.value }
    return .object(members)
  }

  fileprivate static func approximateSize(of member: (key: ByteString, value: JSON)) -> Int {
    member.key.bytes.count + 4 + member.value.approximateSize
  }
}
