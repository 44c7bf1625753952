import FeedReading
import Foundation
import GRDB

/// JSON in columns.
enum CacheJSON {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }
}

extension FeedInstant {
  init(_ seconds: Int64) { self.init(secondsSince1970: seconds) }
}

// MARK: - Feeds

/// A feed as the cache has it, without its items.
struct FeedRow: Sendable {
  let key: FeedKey
  var subscription: Subscription
  var channel: Channel?
  var fetched: FeedInstant?

  var title: String {
    subscription.title ?? channel?.title?.text ?? subscription.url
  }
}

extension Database {
  func feedRows() throws -> [FeedRow] {
    try Row.fetchAll(self, sql: "SELECT key, subscription, channel, fetched FROM feed")
      .compactMap { try Self.feedRow($0) }
  }

  func feedRow(_ key: FeedKey) throws -> FeedRow? {
    try Row.fetchOne(
      self, sql: "SELECT key, subscription, channel, fetched FROM feed WHERE key = ?",
      arguments: [key.text]
    ).flatMap { try Self.feedRow($0) }
  }

  /// What the feeds are called, as ``FeedRow/title`` has it; SQLite reads the JSON, since a list of
  /// items needs nothing else of it.
  func feedTitles() throws -> [FeedKey: String] {
    let rows = try Row.fetchAll(
      self,
      sql: """
        SELECT key, coalesce(subscription ->> 'title', channel ->> 'title', subscription ->> 'url')
          AS title FROM feed
        """)
    return Dictionary(
      rows.compactMap { row in
        guard let key = FeedKey(text: row["key"]), let title: String = row["title"] else {
          return nil
        }
        return (key, title)
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func feedRow(_ row: Row) throws -> FeedRow? {
    guard let key = FeedKey(text: row["key"]) else { return nil }
    return FeedRow(
      key: key, subscription: try CacheJSON.value(Subscription.self, row["subscription"]),
      channel: try (row["channel"] as String?).map {
        try CacheJSON.value(StoredChannel.self, $0).channel
      }, fetched: (row["fetched"] as Int64?).map { FeedInstant($0) })
  }

  func putFeed(_ key: FeedKey, _ subscription: Subscription) throws {
    try execute(
      sql: """
        INSERT INTO feed(key, subscription) VALUES (?, ?)
        ON CONFLICT(key) DO UPDATE SET subscription = excluded.subscription
        """, arguments: [key.text, try CacheJSON.text(subscription)])
  }

  func removeFeed(_ key: FeedKey) throws {
    // One by one: the tags and the words go with the items.
    try execute(sql: "DELETE FROM item WHERE feed = ?", arguments: [key.text])
    try execute(sql: "DELETE FROM remembered WHERE feed = ?", arguments: [key.text])
    try execute(sql: "DELETE FROM feed WHERE key = ?", arguments: [key.text])
  }
}

// MARK: - Items

extension Database {
  /// The channel of a feed with all its items, the latest first.
  func cachedChannel(_ feed: FeedKey) throws -> CachedChannel {
    var result = CachedChannel(feed: feed)
    let row = try Row.fetchOne(
      self, sql: "SELECT channel, fetched FROM feed WHERE key = ?", arguments: [feed.text])
    if let row {
      let (channel, fetched): (String?, Int64?) = (row["channel"], row["fetched"])
      result.channel = try channel.map { try CacheJSON.value(StoredChannel.self, $0).channel }
      result.fetched = fetched.map { FeedInstant($0) }
    }
    let tags = try tags(ofFeed: feed)
    result.items = try Row.fetchAll(
      self, sql: "SELECT * FROM item WHERE feed = ? ORDER BY date DESC, key DESC",
      arguments: [feed.text]
    ).compactMap { try cachedItem($0, tags: tags) }
    return result
  }

  /// An item by its number or its reference; nil if it is not here.
  func cachedItem(number: Int64) throws -> CachedItem? {
    try Row.fetchOne(self, sql: "SELECT * FROM item WHERE id = ?", arguments: [number])
      .flatMap { try cachedItem($0, tags: [number: tags(ofItem: number)]) }
  }

  func cachedItem(_ reference: ItemReference) throws -> CachedItem? {
    try Int64.fetchOne(
      self, sql: "SELECT id FROM item WHERE feed = ? AND key = ?",
      arguments: [reference.feed.text, reference.item.text]
    ).flatMap { try cachedItem(number: $0) }
  }

  private func cachedItem(_ row: Row, tags: [Int64: [String]]) throws -> CachedItem? {
    guard let feed = FeedKey(text: row["feed"]), let key = ItemKey(text: row["key"]) else {
      return nil
    }
    let number: Int64 = row["id"]
    return CachedItem(
      reference: ItemReference(feed, key), number: number,
      content: try CacheJSON.value(StoredItem.self, row["body"]).item,
      firstSeen: FeedInstant(row["first_seen"] as Int64),
      lastOffered: FeedInstant(row["last_offered"] as Int64), isOffered: row["is_offered"],
      isRead: row["is_read"], isStarred: row["is_starred"], tags: tags[number] ?? [])
  }

  func tags(ofItem number: Int64) throws -> [String] {
    try String.fetchAll(
      cachedStatement(sql: "SELECT tag FROM item_tag WHERE item = ? ORDER BY tag"),
      arguments: [number])
  }

  private func tags(ofFeed feed: FeedKey) throws -> [Int64: [String]] {
    var result: [Int64: [String]] = [:]
    let rows = try Row.fetchCursor(
      self,
      sql: """
        SELECT item, tag FROM item_tag JOIN item ON item.id = item_tag.item
        WHERE item.feed = ? ORDER BY tag
        """, arguments: [feed.text])
    while let row = try rows.next() { result[row["item"], default: []].append(row["tag"]) }
    return result
  }
}
