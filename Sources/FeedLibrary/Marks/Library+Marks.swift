import FeedReading
import FeedSync
import GRDB

/// Something that a reader does to items.
public enum ItemMark: Sendable, Equatable {
  /// They have been read, or are to be read again.
  case read(Bool)
  /// They get a star, or lose it.
  case starred(Bool)
  /// They get a tag, or lose it.
  case tagged(String, Bool)
}

/// What marking came to.
public struct MarkSummary: Sendable, Equatable {
  /// How many items have been marked that were not marked so before.
  public let changed: Int
  /// The transaction that other devices will see; nil if nothing changed.
  public let transaction: TransactionID?
  /// Why the transaction could not be brought into the folder yet, if so: it is safe here.
  public let publishingFailure: FeedSyncError?
}

extension Library {
  /// Marks any number of items in one transaction.
  ///
  ///     try library.mark([item.reference], .read(true))
  ///
  /// A mark is an operation on the item alone: it never brings back what other devices did to other
  /// items. Items need not be here yet.
  /// - throws: ``LibraryError`` for a tag that is none, or if the store refuses it.
  @discardableResult
  public func mark(_ items: some Sequence<ItemReference>, _ mark: ItemMark) throws -> MarkSummary {
    try refresh()
    let byFeed = Dictionary(grouping: Set(items), by: \.feed).mapValues { $0.map(\.item) }
    let summary = try run("mark items") { try write(try plan(byFeed, mark)) }
    try refreshAfterWriting()
    return summary
  }

  /// Marks all items that a query finds, in one transaction; its limit does not count.
  @discardableResult
  public func mark(_ query: ItemQuery, _ mark: ItemMark) throws -> MarkSummary {
    try refresh()
    let items = try cache.read("find the items") { db in
      try db.references(query, feeds: try db.feedRows())
    }
    return try self.mark(items, mark)
  }

  /// Merge patches of documents, and how many items they mark.
  private struct Plan {
    var patches: [(collection: String, id: String, patch: JSONObject)] = []
    var count = 0
  }

  private func write(_ plan: Plan) throws -> MarkSummary {
    guard plan.count > 0 else {
      return MarkSummary(changed: 0, transaction: nil, publishingFailure: nil)
    }
    let result = try store.write { writer in
      for part in plan.patches {
        try writer.patch(.object(part.patch), at: part.id, in: part.collection)
      }
    }
    return MarkSummary(
      changed: plan.count, transaction: result.transaction,
      publishingFailure: result.publishingFailure)
  }

  private func plan(_ items: [FeedKey: [ItemKey]], _ mark: ItemMark) throws -> Plan {
    switch mark {
    case .read(let isRead): return try readPlan(items, isRead: isRead)
    case .starred(let isStarred):
      return try memberPlan(items, in: SyncedCollections.stars) {
        MemberPlan($0, isAdded: isStarred, in: $1)
      }
    case .tagged(let tag, let isTagged):
      let name = try Self.tag(tag)
      return try memberPlan(items, in: SyncedCollections.tags) {
        MemberPlan($0, tag: name, isAdded: isTagged, in: $1)
      }
    }
  }

  private func readPlan(_ items: [FeedKey: [ItemKey]], isRead: Bool) throws -> Plan {
    let shards = try store.shards()
    let month = MarkRetirement.month(ofSecond: clock().secondsSince1970, among: shards)
    var plan = Plan()
    for (feed, keys) in items.sorted(by: { $0.key < $1.key }) {
      let marks = try store.readMarks(of: feed)
      // Those that are so without a mark need none: unread from the start, or read and retired.
      let settled = try cache.read("read the cache") {
        try $0.keys(of: feed, areRead: isRead, among: keys)
      }
      let unsettled = keys.filter { marks.latest($0) != nil || !settled.contains($0) }
      let parts = MarkPlan(unsettled, isRead: isRead, in: marks, month: month).patches
      for (shard, patch) in parts.sorted(by: { $0.key < $1.key }) {
        plan.patches.append((SyncedCollections.read, FeedShard(feed, shard).id, patch))
        plan.count += patch.members.count
      }
    }
    return plan
  }

  private func memberPlan(
    _ items: [FeedKey: [ItemKey]], in collection: String,
    _ plan: ([ItemKey], [Int: JSONObject]) -> MemberPlan
  ) throws -> Plan {
    var result = Plan()
    for (feed, keys) in items.sorted(by: { $0.key < $1.key }) {
      let members = plan(keys, try store.parts(of: feed, in: collection))
      for (part, patch) in members.patches.sorted(by: { $0.key < $1.key }) {
        result.patches.append((collection, FeedPart(feed, part).id, patch))
      }
      result.count += members.count
    }
    return result
  }

  /// Finds out whether a text may be a tag, of an item or of a feed.
  ///
  ///     try Library.checkTag("a,b")   // throws: a list of subscriptions would have two
  ///
  /// - throws: ``LibraryError`` if it is none.
  public static func checkTag(_ text: String) throws { _ = try tag(text) }

  /// A tag as it is stored.
  private static func tag(_ text: String) throws -> ByteString {
    let isTag =
      (1...100).contains(text.count) && text.first != " " && text.last != " "
      && text.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && $0.value != 0x7F && $0 != "," && $0 != "/"
      }
    guard isTag else { throw LibraryError(.notATag(text), operation: "use a tag") }
    return ByteString(text)
  }
}

extension Database {
  /// From this many on, all items of the feed are gone through in one query.
  private static let manyKeys = 500

  /// Those of some items of a feed that are read, or unread.
  fileprivate func keys(
    of feed: FeedKey, areRead: Bool, among wanted: [ItemKey]
  ) throws -> Set<ItemKey> {
    guard wanted.count >= Self.manyKeys else {
      let statement = try cachedStatement(
        sql: "SELECT 1 FROM item WHERE feed = ? AND key = ? AND is_read = ?")
      return Set(
        try wanted.filter { key in
          try Int.fetchOne(statement, arguments: [feed.text, key.text, areRead]) != nil
        })
    }
    let keys = try String.fetchAll(
      self, sql: "SELECT key FROM item WHERE feed = ? AND is_read = ?",
      arguments: [feed.text, areRead])
    return Set(keys.compactMap { ItemKey(text: $0) })
  }
}
