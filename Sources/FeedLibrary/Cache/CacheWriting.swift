import FeedReading
import Foundation
import GRDB

/// An item as it is written.
struct ItemRow {
  let item: CachedItem
  private let body: String
  private let text: String

  init(_ item: CachedItem) throws {
    self.item = item
    body = try CacheJSON.text(StoredItem(item.content))
    text = item.searchedText
  }

  var key: ItemKey { item.reference.item }

  /// What may change of it, and then what it is found by.
  fileprivate var content: [(any DatabaseValueConvertible)?] {
    [
      item.date.secondsSince1970, item.lastOffered.secondsSince1970, item.isOffered,
      item.content.title?.text, item.content.link, body, text,
    ] + name
  }

  fileprivate var name: [(any DatabaseValueConvertible)?] {
    [item.reference.feed.text, item.reference.item.text]
  }
}

/// Tells whether the cache is what it was.
struct CacheStamp: Equatable {
  fileprivate let version: Int
  fileprivate let changes: Int
}

extension Database {
  /// Another one after whatever has been written, by this process or another.
  func stamp() throws -> CacheStamp {
    // <https://www.sqlite.org/pragma.html#pragma_data_version>: what others have written.
    CacheStamp(
      version: try Int.fetchOne(self, sql: "PRAGMA data_version") ?? 0, changes: totalChangesCount)
  }

  /// Writes what a merge changed, and nothing else.
  func store(_ merged: CachedChannel, instead former: [ItemKey: CachedItem]) throws {
    if let channel = merged.channel {
      try execute(
        sql: "UPDATE feed SET channel = ?, fetched = ? WHERE key = ?",
        arguments: [
          try CacheJSON.text(StoredChannel(channel)), merged.fetched?.secondsSince1970,
          merged.feed.text,
        ])
    }
    // The oldest first, so that numbers grow with time.
    for item in merged.items.reversed() {
      guard let before = former[item.reference.item] else {
        try insert(try ItemRow(item))
        continue
      }
      guard before.content == item.content else {
        try update(try ItemRow(item))
        continue
      }
      // When it was offered last matters once it is not any more: a merge sets it then.
      guard before.isOffered != item.isOffered else { continue }
      try cachedStatement(
        sql: "UPDATE item SET is_offered = ?, last_offered = ? WHERE feed = ? AND key = ?"
      ).execute(arguments: [
        item.isOffered, item.lastOffered.secondsSince1970, item.reference.feed.text,
        item.reference.item.text,
      ])
    }
  }

  /// Adds an item, or writes what it says if another process has added it meanwhile.
  func insert(_ row: ItemRow) throws {
    let item = row.item
    let marks: [any DatabaseValueConvertible] = [
      item.firstSeen.secondsSince1970, item.isRead, item.isStarred,
    ]
    try cachedStatement(
      sql: """
        INSERT INTO item(date, last_offered, is_offered, title, link, body, text, feed, key,
          first_seen, is_read, is_starred)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(feed, key) DO NOTHING
        """
    ).execute(arguments: StatementArguments(row.content + marks))
    guard changesCount > 0 else { return try update(row) }
    try putTags(item.tags, of: lastInsertedRowID)
    try cachedStatement(
      sql: """
        UPDATE item SET mark = remembered.mark, is_read = remembered.is_read FROM remembered
        WHERE item.feed = ? AND item.key = ?
          AND remembered.feed = item.feed AND remembered.key = item.key
        """
    ).execute(arguments: StatementArguments(row.name))
    try cachedStatement(sql: "DELETE FROM remembered WHERE feed = ? AND key = ?")
      .execute(arguments: StatementArguments(row.name))
  }

  /// Writes what an item says by now.
  func update(_ row: ItemRow) throws {
    try cachedStatement(
      sql: """
        UPDATE item SET date = ?, last_offered = ?, is_offered = ?, title = ?, link = ?, body = ?,
          text = ?
        WHERE feed = ? AND key = ?
        """
    ).execute(arguments: StatementArguments(row.content))
  }

  /// Lets go of items, and remembers that they were here.
  ///
  /// - parameter limit: Of how many of the feed that is remembered: of those that went last.
  func forget(
    _ items: [ItemKey], of feed: FeedKey, now: FeedInstant,
    limit: Int = ItemRetention.Limits().remembered
  ) throws {
    for item in items {
      try execute(
        sql: """
          INSERT OR REPLACE INTO remembered(feed, key, is_read, since, mark)
          SELECT feed, key, is_read, ?, mark FROM item WHERE feed = ? AND key = ?
          """, arguments: [now.secondsSince1970, feed.text, item.text])
      try execute(
        sql: "DELETE FROM item WHERE feed = ? AND key = ?", arguments: [feed.text, item.text])
    }
    guard !items.isEmpty else { return }
    try execute(
      sql: """
        DELETE FROM remembered WHERE feed = ?1 AND key IN (
          SELECT key FROM remembered WHERE feed = ?1
          ORDER BY since DESC, key LIMIT -1 OFFSET ?2)
        """, arguments: [feed.text, limit])
  }

  func remembered(of feed: FeedKey) throws -> [ItemKey: Bool] {
    let rows = try Row.fetchAll(
      self, sql: "SELECT key, is_read FROM remembered WHERE feed = ?", arguments: [feed.text])
    return Dictionary(
      rows.compactMap { row in ItemKey(text: row["key"]).map { ($0, row["is_read"]) } },
      uniquingKeysWith: { first, _ in first })
  }

  func putTags(_ tags: [String], of number: Int64) throws {
    try cachedStatement(sql: "DELETE FROM item_tag WHERE item = ?").execute(arguments: [number])
    for tag in tags {
      try execute(
        sql: "INSERT INTO item_tag(tag, item) VALUES (?, ?)", arguments: [tag, number])
    }
  }
}

extension CachedItem {
  /// The words that a search finds it by, as far as they matter.
  fileprivate var searchedText: String {
    let html = content.content ?? content.summary ?? ""
    let words = PlainText(html, limit: 100_000).text
    return ([words] + content.authors.compactMap(\.name) + content.categories)
      .joined(separator: "\n")
  }
}
