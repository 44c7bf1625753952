import FeedSync

/// The read marks of one feed, as the synced documents have them.
struct ReadMarks: Sendable {
  /// The latest first.
  private(set) var shards: [(shard: MarkShard, members: JSONObject)]

  init(_ bodies: [MarkShard: JSONObject] = [:]) {
    shards = bodies.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether an item is marked as read, or as unread; nil if it is not marked.
  func isRead(_ item: ItemKey) -> Bool? { latest(item)?.isRead }

  /// The latest shard that has an item, and what it says.
  func latest(_ item: ItemKey) -> (shard: MarkShard, isRead: Bool)? {
    let key = ByteString(item.text)
    for (shard, members) in shards {
      // What is neither was not written by any version so far.
      if let value = members[key] { return (shard, value != MarkValue.unread) }
    }
    return nil
  }

  /// Where a month's marks go that are not there yet: its last part, or a new one if that is full.
  func current(in month: Int) -> MarkShard {
    guard let last = shards.first(where: { $0.shard.month == month }) else {
      return MarkShard(month: month)
    }
    let isFull = last.members.members.count >= MarkLimits.itemsPerShard
    return isFull ? MarkShard(month: month, part: last.shard.part + 1) : last.shard
  }
}

/// What stands in a shard for an item.
enum MarkValue {
  static let read: JSON = .integer(1)
  static let unread: JSON = .integer(0)
}

/// How much is kept.
public enum MarkLimits {
  /// How many months with marks are kept: the latest that there are, of all feeds together.
  public static let months = 24
  /// How many items a document of marks gets before the month's next one is begun: 300 kB, far
  /// enough from the limit of 1 MiB that two devices may fill it at once.
  static let itemsPerShard = 20_000
  /// How large a document of stars or tags gets, in bytes, before the next one is begun: as far
  /// from the limit.
  static let bytesPerPart = 300_000
  /// How large a document of stars or tags may be where something is taken from it, in bytes: the
  /// store refuses to write what is 1 MiB then.
  static let mostBytesPerPart = 960_000
  /// At how many addresses it is noted which feed has moved there: a server may have another one
  /// each time.
  static let notes = 20
  /// How often a feed is followed to where its server says that it has moved for good: some send
  /// each device elsewhere, and each would write its own address for all others.
  public static let moves = 10
  /// For how long what was fetched of a feed tells what it offers, in seconds: a month.
  static let freshSeconds: Int64 = 31 * 86_400
}
