import FeedReading
import Foundation
import GRDB

extension Database {
  /// Writes what a merge changed, and nothing else.
  func store(_ merged: CachedChannel, instead cached: CachedChannel) throws {
    if let channel = merged.channel {
      try execute(
        sql: "UPDATE feed SET channel = ?, fetched = ? WHERE key = ?",
        arguments: [
          try CacheJSON.text(StoredChannel(channel)), merged.fetched?.secondsSince1970,
          merged.feed.text,
        ])
    }
    let former = Dictionary(
      cached.items.map { ($0.reference.item, $0) }, uniquingKeysWith: { first, _ in first })
    // The oldest first, so that numbers grow with time.
    for item in merged.items.reversed() {
      guard let before = former[item.reference.item] else {
        try insert(item)
        continue
      }
      guard before != item else { continue }
      if before.content != item.content { try update(item) }
      try cachedStatement(
        sql: "UPDATE item SET is_offered = ?, last_offered = ? WHERE feed = ? AND key = ?"
      ).execute(arguments: [
        item.isOffered, item.lastOffered.secondsSince1970, item.reference.feed.text,
        item.reference.item.text,
      ])
    }
  }

  private func insert(_ item: CachedItem) throws {
    try cachedStatement(
      sql: """
        INSERT INTO item(feed, key, date, first_seen, last_offered, is_offered, is_read,
          is_starred, title, link, body, text)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      item.reference.feed.text, item.reference.item.text, item.date.secondsSince1970,
      item.firstSeen.secondsSince1970, item.lastOffered.secondsSince1970, item.isOffered,
      item.isRead, item.isStarred, item.content.title?.text, item.content.link,
      try CacheJSON.text(StoredItem(item.content)), item.searchedText,
    ])
    try putTags(item.tags, of: lastInsertedRowID)
    try cachedStatement(
      sql: """
        UPDATE item SET mark = (
          SELECT remembered.mark FROM remembered
          WHERE remembered.feed = item.feed AND remembered.key = item.key)
        WHERE feed = ? AND key = ?
        """
    ).execute(arguments: [item.reference.feed.text, item.reference.item.text])
    try cachedStatement(sql: "DELETE FROM remembered WHERE feed = ? AND key = ?")
      .execute(arguments: [item.reference.feed.text, item.reference.item.text])
  }

  private func update(_ item: CachedItem) throws {
    try execute(
      sql: """
        UPDATE item SET date = ?, title = ?, link = ?, body = ?, text = ?
        WHERE feed = ? AND key = ?
        """,
      arguments: [
        item.date.secondsSince1970, item.content.title?.text, item.content.link,
        try CacheJSON.text(StoredItem(item.content)), item.searchedText,
        item.reference.feed.text, item.reference.item.text,
      ])
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
