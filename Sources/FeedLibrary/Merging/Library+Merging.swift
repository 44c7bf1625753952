import FeedReading
import FeedSync
import GRDB

/// How much of a large document is written in one transaction: other processes wait for its end.
struct PartLimits {
  var items = 1_000
  /// Of what the items say.
  var bytes = 4 << 20

  /// The items in parts of this size, in their order.
  func parts(of items: [CachedItem]) -> [ArraySlice<CachedItem>] {
    var parts: [ArraySlice<CachedItem>] = []
    var (start, bytes) = (items.startIndex, 0)
    for (index, item) in items.enumerated() {
      bytes += item.content.textBytes
      guard index - start + 1 >= self.items || bytes >= self.bytes else { continue }
      parts.append(items[start...index])
      (start, bytes) = (index + 1, 0)
    }
    return start < items.endIndex ? parts + [items[start...]] : parts
  }
}

/// A fetched channel merged into what is in the cache, before anything of it is written.
private struct MergeDraft {
  /// What the cache was when it was read.
  let stamp: CacheStamp
  let cached: CachedChannel
  let former: [ItemKey: CachedItem]
  let merge: ChannelMerge

  /// The items that are new, or say something else, the oldest first.
  var changed: [CachedItem] {
    merge.merged.items.reversed().filter { former[$0.reference.item]?.content != $0.content }
  }
}

extension Library {
  /// How often a merge is made anew, since another process has written meanwhile, before the others
  /// have to wait until it is made.
  private static let attempts = 3

  /// - parameter afterEachPart: Called where others have their turn, for tests.
  func receive(
    _ fetched: FetchedChannel, limits: PartLimits, afterEachPart: () throws -> Void
  ) throws -> ChannelUpdate {
    try refresh()
    if let url = fetched.movedTo { try move(fetched.feed, to: url) }
    return try run("merge the feed") {
      let first = try draft(fetched)
      let parts = limits.parts(of: first.changed).dropLast()
      for part in parts {
        try write(part, of: first)
        try afterEachPart()
      }
      let last = try finish(parts.isEmpty ? first : try draft(fetched), fetched)
      // What came in parts was new then, and is not any more.
      let told = parts.isEmpty ? last : first
      let after = try cache.read("read the channel") { try $0.cachedChannel(fetched.feed) }
      return ChannelUpdate(
        before: told.cached, after: after, new: told.merge.new, edited: told.merge.edited)
    }
  }

  private func draft(_ fetched: FetchedChannel) throws -> MergeDraft {
    try cache.read("read the channel") { try $0.draft(fetched) }
  }

  /// Writes a part of what is new, as if the document had no more.
  private func write(_ part: ArraySlice<CachedItem>, of draft: MergeDraft) throws {
    // Before the others have to wait.
    let rows = try part.map { try ItemRow($0) }
    let (feed, former) = (draft.cached.feed, draft.former)
    try cache.write("merge the feed") { db in
      guard try db.feedRow(feed) != nil else { throw Self.noSuchFeed(feed) }
      for row in rows {
        if former[row.key] == nil { try db.insert(row) } else { try db.update(row) }
      }
      try takeInMarks(of: rows.map(\.key).filter { former[$0] == nil }, of: feed, db)
    }
  }

  /// Writes a merge in one transaction.
  ///
  /// - returns: What was written: another merge, if the cache is not what it was any more.
  private func finish(_ draft: MergeDraft, _ fetched: FetchedChannel) throws -> MergeDraft {
    var draft = draft
    for _ in 0..<Self.attempts {
      let isWritten = try cache.write("merge the feed") { db in
        guard try db.stamp() == draft.stamp else { return false }
        try write(draft, fetched, db)
        return true
      }
      if isWritten { return draft }
      draft = try self.draft(fetched)
    }
    return try cache.write("merge the feed") { db in
      let draft = try db.draft(fetched)
      try write(draft, fetched, db)
      return draft
    }
  }

  private func write(
    _ draft: MergeDraft, _ fetched: FetchedChannel, _ db: Database
  ) throws {
    guard let row = try db.feedRow(fetched.feed) else { throw Self.noSuchFeed(fetched.feed) }
    let (merged, former) = (draft.merge.merged, draft.former)
    try db.store(merged, instead: former)
    let added = merged.items.map(\.reference.item).filter { former[$0] == nil }
    let known = try takeInMarks(of: added, of: fetched.feed, db)
    let expired = ItemRetention.expired(
      merged.items, days: row.subscription.retention, now: fetched.fetched
    ).filter { !known.starred.contains($0) && known.tags[$0] == nil }
    try db.forget(expired, of: fetched.feed, now: fetched.fetched)
    if let state = fetched.fetchState { try db.putFetchState(state, of: fetched.feed) }
  }

  /// Gives items that have just come the state that the marks say.
  ///
  /// In the transaction in which they come: a mark that comes later finds them here.
  @discardableResult
  private func takeInMarks(
    of items: [ItemKey], of feed: FeedKey, _ db: Database
  ) throws -> KnownStates {
    let known = try store.marks(of: feed)
    try db.takeIn(known, of: feed, items: .some(Set(items)), goneMarks())
    return known
  }

  private static func noSuchFeed(_ feed: FeedKey) -> LibraryError {
    LibraryError(.noSuchFeed(feed.text), operation: "merge the feed")
  }
}

extension Database {
  /// Merges a channel into what is here; marks are taken in where it is written.
  fileprivate func draft(_ fetched: FetchedChannel) throws -> MergeDraft {
    let stamp = try stamp()
    let cached = try cachedChannel(fetched.feed)
    var known = KnownStates()
    known.remembered = try remembered(of: fetched.feed)
    let merge = ChannelMerge(fetched.channel, into: cached, at: fetched.fetched, known: known)
    let former = Dictionary(
      cached.items.map { ($0.reference.item, $0) }, uniquingKeysWith: { first, _ in first })
    return MergeDraft(stamp: stamp, cached: cached, former: former, merge: merge)
  }
}
