import FeedReading
import FeedSync
import Foundation

/// A subscription as it is listed.
public struct FeedSummary: Sendable, Equatable {
  /// Names it on every machine.
  public let key: FeedKey
  /// What is synced of it.
  public let subscription: Subscription
  /// What it is called: by the user, else by itself, else by its address.
  public let title: String
  /// The page that it is the feed of.
  public let link: String?
  /// When it was fetched last; nil if it never was.
  public let fetched: FeedInstant?
  /// How many items of it are here.
  public let itemCount: Int
  /// How many of them have not been read.
  public let unreadCount: Int
}

extension Library {
  /// Subscribes to a feed, without fetching it.
  ///
  /// The marks that it had before are its marks, also where it has moved to its address since.
  /// - parameter home: The address that somebody gave, where that leads to the subscription's: what
  ///   is tried where the feed is not there any more.
  /// - returns: The feed, and whether it is new: one that is there already, be it with `http:` in
  ///   place of `https:`, stays as it is.
  /// - throws: ``LibraryError`` if it is no address, or the store refuses it.
  @discardableResult
  public func subscribe(
    to subscription: Subscription, home: String? = nil
  ) throws -> (feed: SubscribedFeed, isNew: Bool) {
    let asked = try Self.feed(for: subscription)
    if let known = try self.feed(at: asked.subscription.url) { return (known, false) }
    let feed = try run("subscribe", subject: asked.subscription.url) {
      let feed = try withFormerKey(asked, home: home) { try store.subscription($0) != nil }
      _ = try store.write { try $0.subscribe(to: feed, home: home) }
      return feed
    }
    try refreshAfterWriting()
    return (feed, true)
  }

  /// The feed under the key that it had when it moved to its address, if it has: its marks go by
  /// that.
  ///
  /// - parameters:
  ///   - home: The address that led there, if another did.
  ///   - isTaken: Whether a key is a subscription's, as where another feed is at the first address
  ///     by now.
  func withFormerKey(
    _ feed: SubscribedFeed, home: String? = nil, unless isTaken: (FeedKey) throws -> Bool
  ) throws -> SubscribedFeed {
    var keys = try store.feeds(movedTo: feed.key)
    if let home { keys += try store.feeds(movedTo: FeedKey(address: home)) }
    let former = try keys.first { try !isTaken($0) }
    return SubscribedFeed(key: former ?? feed.key, subscription: feed.subscription)
  }

  /// Ends a subscription; its marks stay until they are retired.
  ///
  /// - returns: Whether there was one.
  @discardableResult
  public func unsubscribe(_ feed: FeedKey) throws -> Bool {
    let isGone = try run("unsubscribe") {
      try store.write { try $0.delete(at: feed.text, in: SyncedCollections.subscriptions) }.value
    }
    try refreshAfterWriting()
    return isGone
  }

  /// Changes what is synced of a feed; what devices change at once is merged member by member.
  ///
  ///     try library.update(feed.key) { $0.tags.insert("friends") }
  ///
  /// - returns: What is synced of it now.
  /// - throws: ``LibraryError`` if there is no such subscription.
  @discardableResult
  public func update(
    _ feed: FeedKey, _ change: (inout Subscription) -> Void
  ) throws -> SubscribedFeed {
    let operation = "change the subscription"
    let subscription = try run(operation, subject: feed.text) {
      let isThere = try store.write { writer in
        try writer.update(
          Subscription.self, at: feed.text, in: SyncedCollections.subscriptions, change)
      }.value
      return isThere ? try store.subscription(feed) : nil
    }
    guard let subscription else {
      throw LibraryError(.noSuchFeed(feed.text), operation: operation)
    }
    try refreshAfterWriting()
    return SubscribedFeed(key: feed, subscription: subscription)
  }

  /// All subscriptions, in the order of their titles.
  public func feeds() throws -> [FeedSummary] {
    try refresh()
    return try cache.read("list the feeds") { db in
      let counts = try db.itemCounts()
      return try db.feedRows().map { row in
        FeedSummary(
          key: row.key, subscription: row.subscription, title: row.title,
          link: row.channel?.link ?? row.subscription.site, fetched: row.fetched,
          itemCount: counts[row.key]?.all ?? 0, unreadCount: counts[row.key]?.unread ?? 0)
      }
    }.sorted { ($0.title.lowercased(), $0.key) < ($1.title.lowercased(), $1.key) }
  }

  /// The feed that a user means: by its key, its address, its title, or a part of the title that no
  /// other has.
  ///
  /// - throws: ``LibraryError`` if there is none, or several.
  public func feed(named name: String) throws -> SubscribedFeed {
    let operation = "find the feed"
    try refresh()
    let rows = try cache.read(operation) { try $0.feedRows() }
    let address = WebIdentity.comparable(WebIdentity.subscribable(name))
    let wanted = name.lowercased()
    let tests: [(FeedRow) -> Bool] = [
      { $0.key.text == name },
      { WebIdentity.comparable($0.subscription.url) == address },
      { $0.title.lowercased() == wanted },
      { !wanted.isEmpty && $0.title.lowercased().contains(wanted) },
    ]
    for test in tests {
      let found = rows.filter(test).sorted { $0.key < $1.key }
      if let only = found.first, found.count == 1 {
        return SubscribedFeed(key: only.key, subscription: only.subscription)
      }
      guard found.isEmpty else {
        throw LibraryError(.manyFeeds(name, keys: found.map(\.key.text)), operation: operation)
      }
    }
    throw LibraryError(.noSuchFeed(name), operation: operation)
  }

  /// The subscription to an address, if there is one: maybe of a feed that has moved there, or of
  /// one that leads elsewhere from there.
  ///
  ///     try library.feed(at: "example.org/feed")?.key
  ///
  /// - throws: ``LibraryError`` if the cache cannot be used.
  public func feed(at url: String) throws -> SubscribedFeed? {
    try refresh()
    let rows = try cache.read("list the feeds") { try $0.feedRows() }
    let url = WebIdentity.subscribable(url)
    let (key, address) = (FeedKey(address: url), WebIdentity.comparable(url))
    let row =
      rows.first { $0.key == key }
      ?? rows.first { WebIdentity.comparable($0.subscription.url) == address }
    if let row { return SubscribedFeed(key: row.key, subscription: row.subscription) }
    return try run("list the feeds") {
      for key in try store.feeds(askedForAt: address) {
        if let there = try store.subscription(key) {
          return SubscribedFeed(key: key, subscription: there)
        }
      }
      return nil
    }
  }

  static func feed(for subscription: Subscription) throws -> SubscribedFeed {
    var subscription = subscription
    subscription.url = WebIdentity.subscribable(subscription.url)
    let url = subscription.url
    let isService = FeedParser.address(for: url) != url
    let scheme = url.prefix { $0 != ":" }.lowercased()
    let isAddress =
      ["http", "https"].contains(scheme) && URL(string: url)?.host() != nil
      || scheme == "file" && URL(string: url)?.path().isEmpty == false
    guard isService || isAddress, url.utf8.count <= FeedLimits.addressBytes,
      url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
    else { throw LibraryError(.notAnAddress(url), operation: "subscribe") }
    return SubscribedFeed(key: FeedKey(address: url), subscription: subscription)
  }
}

extension WriteTransaction {
  /// Subscribes to a feed at the address that its subscription has, wherever it has moved before.
  ///
  /// - parameter home: The address that led there, if another did.
  func subscribe(to feed: SubscribedFeed, home: String? = nil) throws {
    try put(feed.subscription, at: feed.key.text, in: SyncedCollections.subscriptions)
    let url = feed.subscription.url
    if let home, WebIdentity.comparable(home) != WebIdentity.comparable(url) {
      let here = JSON.string(ByteString(url))
      let place: JSON = ["from": here, "to": here, "home": .string(ByteString(home))]
      try put(place, at: feed.key.text, in: SyncedCollections.places)
      // Who asks there again, and is led to another address, finds the marks.
      guard let members = JSONObject([(ByteString(feed.key.text), .integer(1))]) else { return }
      try patch(.object(members), at: FeedKey(address: home).text, in: SyncedCollections.moves)
    } else if try body(at: feed.key.text, in: SyncedCollections.places) != nil {
      try delete(at: feed.key.text, in: SyncedCollections.places)
    }
  }
}
