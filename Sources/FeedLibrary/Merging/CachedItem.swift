import FeedReading

/// An item as it is kept on this machine, with what its reader has marked.
///
/// All of it but the marks can be fetched again; the marks are synced.
public struct CachedItem: Sendable, Equatable {
  /// Names it on every machine.
  public let reference: ItemReference
  /// Names it on this machine, in few digits; nil as long as it is not in the cache.
  public internal(set) var number: Int64?
  /// What the feed says; its title, bodies and addresses are harmless.
  public internal(set) var content: Item
  /// When this machine first saw it.
  public internal(set) var firstSeen: FeedInstant
  /// When the feed last had it; of one that is offered still, some time at which it had.
  public internal(set) var lastOffered: FeedInstant
  /// Whether the document that was fetched last has it.
  public internal(set) var isOffered: Bool
  /// Whether it has been read.
  public internal(set) var isRead: Bool
  /// Whether it has a star.
  public internal(set) var isStarred: Bool
  /// Its own tags, sorted; those of its feed count, too, where items are chosen by a tag.
  public internal(set) var tags: [String]

  /// What items are ordered by: when it was published, never later than it was first seen.
  public var date: FeedInstant {
    min(content.published ?? content.updated ?? firstSeen, firstSeen)
  }
}

/// A feed as it is kept on this machine.
public struct CachedChannel: Sendable, Equatable {
  /// Names the feed on every machine.
  public let feed: FeedKey
  /// What the feed says of itself, without its items; nil before it was fetched.
  public internal(set) var channel: Channel?
  /// When it was fetched last; nil if it never was.
  public internal(set) var fetched: FeedInstant?
  /// Its items, the latest first.
  public internal(set) var items: [CachedItem]

  /// A feed of which nothing is known yet.
  public init(feed: FeedKey) {
    self.feed = feed
    items = []
  }
}

/// What the synced documents and this machine's memory say of the items of a feed.
struct KnownStates: Sendable {
  var read = ReadMarks()
  var starred: Set<ItemKey> = []
  var tags: [ItemKey: [String]] = [:]
  /// Items that were here and have been let go, and whether they were read.
  var remembered: [ItemKey: Bool] = [:]
}
