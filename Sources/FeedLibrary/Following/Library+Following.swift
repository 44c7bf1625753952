import FeedReading
import FeedSync
import GRDB

extension Library {
  /// Brings the cache up to what the store has by now, whichever process or device wrote it.
  ///
  /// Only what has changed since the last time is looked at. All that reads items does this first.
  public func refresh() throws {
    try run("take in what is synced") {
      let known = try cache.read("read the cache") { try $0.progress(of: deviceID) }
      if let known, try store.committedChanges(after: known).changes.isEmpty { return }
      try cache.write("take in what is synced") { db in
        // Once more, now that no other process does the same.
        let news = try store.committedChanges(after: try db.progress(of: deviceID))
        try takeIn(TouchedFeeds(news.changes), db)
        try db.putProgress(news.position, of: deviceID)
      }
    }
  }

  /// Brings the cache up to what has just been written, unless another process has it for long.
  ///
  /// What was written is safe in the store, and whoever reads items takes it in first: to say that
  /// it has failed would be wrong.
  func refreshAfterWriting() throws { try unlessBusy(refresh) }

  /// Runs `body`, which may be given up: where another process has the cache for long, it is.
  func unlessBusy(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LibraryError where error.cause == .busyCache {
      return
    }
  }

  private var deviceID: String { store.container.thisDevice.id }

  /// What tells which marks were taken back.
  func goneMarks() -> GoneMarks {
    GoneMarks(besides: store.shards, isAnythingMissing: isAnythingMissing)
  }

  private func takeIn(_ touched: TouchedFeeds, _ db: Database) throws {
    let gone = goneMarks()
    guard !touched.isEverything else {
      // What is not subscribed to may be so in what has not arrived, as while a store that was made
      // anew imports. What the cache has of it nobody may offer any more: it goes with a whole
      // import.
      for feed in try store.subscriptions() {
        try db.putFeed(feed.key, feed.subscription)
        try db.takeIn(try store.marks(of: feed.key), of: feed.key, items: .all, gone)
      }
      return
    }
    for key in touched.subscriptions.sorted() {
      if let subscription = try store.subscription(key) {
        try db.putFeed(key, subscription)
      } else if try !store.isSubscribed(key) {
        try db.removeFeed(key)
      }
    }
    for (feed, items) in touched.marks.sorted(by: { $0.key < $1.key }) {
      let states = try store.marks(of: feed)
      let named = states.read.shards
        .compactMap { touched.readMarks[feed]?[$0.shard] }
        .reduce(into: Set()) { $0.formUnion($1) }
      try db.takeIn(states, of: feed, items: items, named: named, gone)
    }
  }
}

extension Library {
  /// Lets go of what the cache has of feeds that nobody subscribes to, once all has been imported
  /// that others are known to have written.
  func removeUnsubscribed() throws {
    try run("look for feeds that are gone") {
      guard try !isAnythingMissing() else { return }
      try cache.write("remove feeds that are gone") { db in
        // Read inside: what is subscribed to meanwhile is here.
        let keys = Set(try store.subscriptions().map(\.key))
        for feed in try db.feedRows() where !keys.contains(feed.key) {
          if try !store.isSubscribed(feed.key) { try db.removeFeed(feed.key) }
        }
      }
    }
  }

  /// Whether something of what other devices are known to have written is not here.
  func isAnythingMissing() throws -> Bool {
    let status = try store.status()
    return !status.setAside.isEmpty || status.devices.contains { $0.missingSince != nil }
  }
}

extension Database {
  /// How far the cache is; nil if nothing was taken in yet, or another device's.
  fileprivate func progress(of device: String) throws -> ChangePosition? {
    let row = try Row.fetchOne(self, sql: "SELECT device, position FROM progress")
    guard let row, row["device"] == device else { return nil }
    return try CacheJSON.value(ChangePosition.self, row["position"])
  }

  fileprivate func putProgress(_ position: ChangePosition, of device: String) throws {
    try execute(
      sql: "INSERT OR REPLACE INTO progress(id, device, position) VALUES (1, ?, ?)",
      arguments: [device, try CacheJSON.text(position)])
  }

  /// Gives items the state that the marks say.
  ///
  /// Where there is no mark, a read item stays as it is if the mark has been retired.
  ///
  /// - parameters:
  ///   - named: Those whose own marks have changed: one that has none was taken back.
  ///   - gone: Which marks were taken back that are not there.
  func takeIn(
    _ states: KnownStates, of feed: FeedKey, items: TouchedFeeds.Items, named: Set<ItemKey> = [],
    _ gone: GoneMarks
  ) throws {
    func state(
      _ key: ItemKey, was read: Bool, by mark: String?
    ) throws -> (isRead: Bool, mark: String?) {
      if let latest = states.read.latest(key) { return (latest.isRead, latest.shard.name) }
      let isTakenBack = try named.contains(key) || gone.isTakenBack(mark)
      return isTakenBack ? (false, nil) : (read, mark)
    }
    for row in try rows("SELECT id, key, is_read, is_starred, mark FROM item", of: feed, items) {
      guard let key = ItemKey(text: row["key"]) else { continue }
      let (number, wasRead, wasStarred, formerMark): (Int64, Bool, Bool, String?) = (
        row["id"], row["is_read"], row["is_starred"], row["mark"]
      )
      let (read, mark) = try state(key, was: wasRead, by: formerMark)
      let starred = states.starred.contains(key)
      if read != wasRead || starred != wasStarred || mark != formerMark {
        try cachedStatement(
          sql: "UPDATE item SET is_read = ?, is_starred = ?, mark = ? WHERE id = ?"
        ).execute(arguments: [read, starred, mark, number])
      }
      let tags = states.tags[key] ?? []
      if try self.tags(ofItem: number) != tags { try putTags(tags, of: number) }
    }
    for row in try rows("SELECT key, is_read, mark FROM remembered", of: feed, items) {
      guard let key = ItemKey(text: row["key"]) else { continue }
      let (wasRead, formerMark): (Bool, String?) = (row["is_read"], row["mark"])
      let (read, mark) = try state(key, was: wasRead, by: formerMark)
      guard read != wasRead || mark != formerMark else { continue }
      try execute(
        sql: "UPDATE remembered SET is_read = ?, mark = ? WHERE feed = ? AND key = ?",
        arguments: [read, mark, feed.text, key.text])
    }
  }

  private func rows(
    _ selection: String, of feed: FeedKey, _ items: TouchedFeeds.Items
  ) throws -> [Row] {
    switch items {
    case .all:
      return try Row.fetchAll(self, sql: selection + " WHERE feed = ?", arguments: [feed.text])
    case .some(let keys):
      let statement = try cachedStatement(sql: selection + " WHERE feed = ? AND key = ?")
      return try keys.sorted().compactMap { key in
        try Row.fetchOne(statement, arguments: [feed.text, key.text])
      }
    }
  }
}
