import FeedReading
import GRDB

extension Library {
  /// The items that a query finds, the latest first.
  public func items(_ query: ItemQuery) throws -> [ItemLine] {
    try refresh()
    return try cache.read("list items") { try $0.lines(query) }
  }

  /// How many items a query finds; its limit does not count.
  ///
  /// - throws: ``LibraryError`` if the cache cannot be used.
  public func count(_ query: ItemQuery) throws -> Int {
    try refresh()
    return try cache.read("count items") { try $0.count(query) }
  }

  /// A number that is another one after some other process, or another library of this one, has
  /// changed the cache; for asking often.
  ///
  ///     if try library.cacheVersion() != shown { … }
  ///
  /// - throws: ``LibraryError`` if the cache cannot be used.
  public func cacheVersion() throws -> Int {
    // <https://www.sqlite.org/pragma.html#pragma_data_version>
    try cache.read("look for changes") { db in
      try Int.fetchOne(db, sql: "PRAGMA data_version") ?? 0
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
  fileprivate func count(_ query: ItemQuery) throws -> Int {
    let (condition, arguments) = query.condition(
      tagged: query.tag == nil ? [] : try feedRows().tagged(query.tag))
    return try Int.fetchOne(
      self, sql: "SELECT count(*) FROM item WHERE \(condition)",
      arguments: StatementArguments(arguments)) ?? 0
  }

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
