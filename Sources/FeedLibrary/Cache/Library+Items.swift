import FeedReading
import GRDB

extension Library {
  /// The items that a query finds, the latest first.
  public func items(_ query: ItemQuery) throws -> [ItemLine] {
    try refresh()
    return try cache.read("list items") { db in
      try db.lines(query, feeds: try db.feedRows())
    }
  }

  /// An item by what a user calls it: its number here, or its reference.
  ///
  /// - throws: ``LibraryError`` if it is not here.
  public func item(named name: String) throws -> CachedItem {
    try refresh()
    let item = try cache.read("find the item") { db in
      if let reference = ItemReference(name) { return try db.cachedItem(reference) }
      return try Int64(name).flatMap { try db.cachedItem(number: $0) }
    }
    guard let item else { throw LibraryError(.noSuchItem(name), operation: "find the item") }
    return item
  }

  /// The item that a user means, which need not be here if it is named by its reference.
  ///
  /// - throws: ``LibraryError`` for a number that no item has here.
  public func reference(named name: String) throws -> ItemReference {
    try ItemReference(name) ?? item(named: name).reference
  }
}

extension Database {
  func itemCounts() throws -> [FeedKey: (all: Int, unread: Int)] {
    var result: [FeedKey: (all: Int, unread: Int)] = [:]
    let rows = try Row.fetchCursor(
      self,
      sql: """
        SELECT feed, count(*) AS number, sum(1 - is_read) AS unread
        FROM item INDEXED BY item_feed GROUP BY feed
        """)
    while let row = try rows.next() {
      if let key = FeedKey(text: row["feed"]) { result[key] = (row["number"], row["unread"]) }
    }
    return result
  }
}
