import FeedReading
import FeedSync
import GRDB

extension Library {
  /// Imports what other devices wrote, publishes what waits here, and retires old marks.
  ///
  /// Where nothing is known to be missing, the cache lets go of feeds that nobody subscribes to.
  /// While another process has the cache for long, what is done there is left to the next time.
  /// - returns: What the import found and did.
  /// - throws: ``LibraryError`` if the folder is missing, or another one.
  @discardableResult
  public func synchronize() throws -> ImportSummary {
    let summary = try run("sync") { try store.importAll() }
    try unlessBusy {
      try refresh()
      try removeUnsubscribed()
      try retireMarks()
    }
    return summary
  }

  /// Removes marks that are older than ``MarkLimits/months`` months with marks.
  ///
  /// Which ones these are follows from the synced documents alone. Items that their feed still
  /// offers are marked again among the newest, by whichever device does it first.
  /// - returns: How many documents were removed.
  @discardableResult
  public func retireMarks() throws -> Int {
    var total = 0
    // What is marked again may begin a new month, and that makes another one too many.
    while case let count = try retireOldest(), count > 0 { total += count }
    return total
  }

  private func retireOldest() throws -> Int {
    try run("retire marks") {
      let shards = try store.shards()
      let now = clock()
      let month = MarkRetirement.month(ofSecond: now.secondsSince1970, among: shards)
      let fetched = try cache.read("read the cache") { db in
        Dictionary(
          try db.feedRows().map { ($0.key, $0.isFresh(at: now)) }, uniquingKeysWith: { $0 || $1 })
      }
      // Marks of a feed that nobody reads any more need no look at it; but where something has not
      // arrived, that may be what subscribes to it.
      var retired = MarkRetirement.retired(of: shards) { fetched[$0] ?? true }
      if retired.keys.contains(where: { fetched[$0] == nil }), try isAnythingMissing() {
        retired = MarkRetirement.retired(of: shards) { fetched[$0] ?? false }
      }
      guard !retired.isEmpty else { return 0 }
      var plans: [(feed: FeedKey, carried: [MarkShard: JSONObject], gone: [MarkShard])] = []
      for (feed, gone) in retired.sorted(by: { $0.key < $1.key }) {
        let marks = try store.readMarks(of: feed)
        let offered = try cache.read("read the cache") { try $0.offered(of: feed) }
        let carried = MarkRetirement.carried(from: gone, of: marks, offered: offered)
        let plan = MarkPlan(carried, isRead: true, in: marks.without(gone), month: month)
        plans.append((feed, plan.patches, gone))
      }
      try store.write { writer in
        for plan in plans {
          for (shard, patch) in plan.carried.sorted(by: { $0.key < $1.key }) {
            try writer.patch(
              .object(patch), at: FeedShard(plan.feed, shard).id, in: SyncedCollections.read)
          }
          for shard in plan.gone {
            try writer.delete(at: FeedShard(plan.feed, shard).id, in: SyncedCollections.read)
          }
        }
      }
      try refresh()
      return plans.reduce(0) { $0 + $1.gone.count }
    }
  }
}

extension ReadMarks {
  /// The marks that are left without some shards.
  func without(_ gone: [MarkShard]) -> ReadMarks {
    let left = shards.filter { !gone.contains($0.shard) }
    return ReadMarks(Dictionary(left.map { ($0.shard, $0.members) }, uniquingKeysWith: { $1 }))
  }
}

extension Database {
  /// The items that the last fetched document of a feed has, or one had not long before: a feed is
  /// empty on a bad day, and has them again on the next.
  fileprivate func offered(of feed: FeedKey) throws -> Set<ItemKey> {
    let keys = try String.fetchAll(
      self,
      sql: """
        SELECT item.key FROM item JOIN feed ON feed.key = item.feed
        WHERE feed.key = ? AND (is_offered = 1 OR last_offered >= fetched - ?)
        """,
      arguments: [feed.text, MarkLimits.freshSeconds])
    return Set(keys.compactMap { ItemKey(text: $0) })
  }
}

extension FeedRow {
  /// Whether what is here tells what the feed offers now: who has not been let in for a year must
  /// not take what came since for what is offered no more.
  ///
  /// The clock says whether this device may retire marks, and never which.
  fileprivate func isFresh(at now: FeedInstant) -> Bool {
    guard let fetched else { return false }
    return (0...MarkLimits.freshSeconds).contains(
      now.secondsSince1970 - fetched.secondsSince1970)
  }
}
