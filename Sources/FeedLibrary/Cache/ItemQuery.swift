import FeedReading
import GRDB

/// Which items are asked for, the latest first.
///
///     var query = ItemQuery()
///     query.isRead = false
///     let unread = try library.items(query)
public struct ItemQuery: Sendable, Equatable {
  /// Only those of these feeds; nil for all.
  public var feeds: [FeedKey]?
  /// Only read or unread ones.
  public var isRead: Bool?
  /// Only those with a star, or without.
  public var isStarred: Bool?
  /// Only those that have this tag, or whose feed has it.
  public var tag: String?
  /// Only those that have all these words, or words that begin so, in what they say.
  public var words: String?
  /// Only those from before this moment.
  public var before: FeedInstant?
  /// How many at most; nil for all.
  public var limit: Int?
  /// How many of the latest are passed over.
  public var offset = 0
  /// Only those behind this place of the list.
  public var behind: ItemPlace?
  /// Only those in front of this place of the list.
  public var inFrontOf: ItemPlace?
  /// Whether the limit leaves the oldest ones, in place of the latest; the order stays.
  public var isFromEnd = false

  /// A query for all items.
  public init() {}
}

extension ItemQuery {
  /// The condition, and what stands for its question marks.
  ///
  /// - parameter tagged: The feeds that have ``tag``.
  func condition(tagged: [FeedKey]) -> (sql: String, arguments: [any DatabaseValueConvertible]) {
    var parts: [String] = []
    var arguments: [any DatabaseValueConvertible] = []
    if let feeds {
      parts.append("feed IN (\(Self.marks(feeds.count)))")
      arguments += feeds.map(\.text)
    }
    // Written out, since an index on a condition serves only a query that has it.
    if let isRead { parts.append("is_read = \(isRead ? 1 : 0)") }
    if let isStarred { parts.append("is_starred = \(isStarred ? 1 : 0)") }
    if let before {
      parts.append("date < ?")
      arguments.append(before.secondsSince1970)
    }
    for (place, sign) in [(behind, "<"), (inFrontOf, ">")] {
      guard let place else { continue }
      parts.append("(date, id) \(sign) (?, ?)")
      arguments += [place.date.secondsSince1970, place.number]
    }
    if let tag {
      // The signs keep SQLite from collecting and sorting all items of the feeds.
      parts.append(
        "(+feed IN (\(Self.marks(tagged.count)))"
          + " OR +id IN (SELECT item FROM item_tag WHERE tag = ?))")
      arguments += tagged.map(\.text)
      arguments.append(tag)
    }
    if let pattern {
      parts.append("id IN (SELECT rowid FROM item_text WHERE item_text MATCH ?)")
      arguments.append(pattern)
    }
    return (parts.isEmpty ? "1" : parts.joined(separator: " AND "), arguments)
  }

  /// The words as FTS5 reads them; each is quoted, so that none is an operator.
  private var pattern: String? {
    guard let words else { return nil }
    let quoted = words.split(whereSeparator: \.isWhitespace).map { word in
      "\"" + word.filter { $0 != "\"" && $0 != "\0" } + "\"*"
    }
    return quoted.isEmpty ? nil : quoted.joined(separator: " ")
  }

  private static func marks(_ count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ",")
  }
}

extension Database {
  func lines(_ query: ItemQuery) throws -> [ItemLine] {
    let tagged = query.tag == nil ? [] : try feedRows().tagged(query.tag)
    let (condition, arguments) = query.condition(tagged: tagged)
    let direction = query.isFromEnd ? "ASC" : "DESC"
    let sql = """
      SELECT id, feed, key, title, link, date, is_read, is_starred FROM item
      WHERE \(condition) ORDER BY date \(direction), id \(direction) LIMIT ? OFFSET ?
      """
    let page: [any DatabaseValueConvertible] = [query.limit ?? -1, query.offset]
    let rows = try Row.fetchAll(
      self, sql: sql, arguments: StatementArguments(arguments + page))
    let hasTags = try Bool.fetchOne(self, sql: "SELECT EXISTS (SELECT 1 FROM item_tag)") ?? false
    let titles = try feedTitles()
    let lines: [ItemLine] = try rows.compactMap { row in
      guard let feed = FeedKey(text: row["feed"]), let key = ItemKey(text: row["key"]) else {
        return nil
      }
      let number: Int64 = row["id"]
      return ItemLine(
        number: number, reference: ItemReference(feed, key), feedTitle: titles[feed] ?? feed.text,
        title: row["title"], link: row["link"], date: FeedInstant(row["date"] as Int64),
        isRead: row["is_read"], isStarred: row["is_starred"],
        tags: hasTags ? try tags(ofItem: number) : [])
    }
    return query.isFromEnd ? lines.reversed() : lines
  }

  /// The items that a query finds, by reference alone.
  func references(_ query: ItemQuery, feeds: [FeedRow]) throws -> [ItemReference] {
    let (condition, arguments) = query.condition(tagged: feeds.tagged(query.tag))
    return try Row.fetchAll(
      self, sql: "SELECT feed, key FROM item WHERE \(condition)",
      arguments: StatementArguments(arguments)
    ).compactMap { row in
      guard let feed = FeedKey(text: row["feed"]), let key = ItemKey(text: row["key"]) else {
        return nil
      }
      return ItemReference(feed, key)
    }
  }
}

extension [FeedRow] {
  func tagged(_ tag: String?) -> [FeedKey] {
    guard let tag else { return [] }
    return filter { $0.subscription.tags.contains(tag) }.map(\.key)
  }
}
