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
  init(
    _ items: [ItemKey], tag: ByteString? = nil, isAdded: Bool, in parts: [Int: JSONObject],
    limit: Int = MarkLimits.bytesPerPart
  ) {
    var members: [Int: [(ByteString, JSON)]] = [:]
    var sizes = parts.mapValues { JSON.object($0).approximateSize }
    var current = 0
    for item in Set(items).sorted() {
      let key = ByteString(item.text)
      let holders = parts.filter { Self.isMarked($0.value[key], tag) }.map(\.key)
      guard holders.isEmpty == isAdded else { continue }
      let value: JSON = isAdded ? MarkValue.read : .null
      let member = tag.map { JSON.object(JSONObject([($0, value)]) ?? JSONObject()) } ?? value
      count += 1
      guard isAdded else {
        // Two devices may have put it into two.
        for part in holders { members[part, default: []].append((key, member)) }
        continue
      }
      let size = JSON.object(JSONObject([(key, member)]) ?? JSONObject()).approximateSize
      while let taken = sizes[current], taken > 0, taken + size > limit { current += 1 }
      sizes[current, default: 0] += size
      members[current, default: []].append((key, member))
    }
    patches = members.mapValues { JSONObject($0) ?? JSONObject() }
  }

  private static func isMarked(_ value: JSON?, _ tag: ByteString?) -> Bool {
    guard let tag else { return value?.isMark ?? false }
    guard case .object(let tags)? = value else { return false }
    return tags[tag]?.isMark ?? false
  }
}

extension JSON {
  /// Whether something stands here that marks what it is the member for.
  var isMark: Bool { self != .null && self != MarkValue.unread }

  /// How many bytes it takes as text, about: what stands for marks is small.
  fileprivate var approximateSize: Int {
    switch self {
    case .object(let object):
      object.members.reduce(0) { $0 + $1.key.bytes.count + 4 + $1.value.approximateSize }
    case .array(let values): values.reduce(0) { $0 + 1 + $1.approximateSize }
    case .string(let text): text.bytes.count + 2
    default: 1
    }
  }
}
