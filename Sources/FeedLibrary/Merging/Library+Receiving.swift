import FeedReading
import FeedSync
import Foundation
import GRDB

/// A feed that somebody has fetched.
///
///     FetchedChannel(feed: feed.key, channel: channel, fetched: now)
public struct FetchedChannel: Sendable {
  /// Which feed it is.
  public var feed: FeedKey
  /// What the document holds.
  public var channel: Channel
  /// When it was fetched.
  public var fetched: FeedInstant
  /// Where the feed has moved for good, if it has: the subscription follows, and keeps its marks.
  public var movedTo: String?
  /// What whoever fetches wants to have back the next time; nil to keep what there is.
  public var fetchState: Data?

  /// A feed that was fetched.
  public init(
    feed: FeedKey, channel: Channel, fetched: FeedInstant, movedTo: String? = nil,
    fetchState: Data? = nil
  ) {
    (self.feed, self.channel, self.fetched) = (feed, channel, fetched)
    (self.movedTo, self.fetchState) = (movedTo, fetchState)
  }
}

/// What a fetch changed.
public struct ChannelUpdate: Sendable {
  /// The channel as it was in the cache.
  public let before: CachedChannel
  /// The channel as it is now.
  public let after: CachedChannel
  /// The items that were never here before, in the order of the document; those that were marked as
  /// read elsewhere are among them.
  public let new: [ItemKey]
  /// The items whose content has changed.
  public let edited: [ItemKey]
}

extension Library {
  /// The channel of a feed as it is in the cache, at once.
  ///
  /// - throws: ``LibraryError`` if the cache cannot be used.
  public func channel(of feed: FeedKey) throws -> CachedChannel {
    try refresh()
    return try cache.read("read the channel") { try $0.cachedChannel(feed) }
  }

  /// Merges a fetched channel into the cached one.
  ///
  ///     let update = try library.receive(
  ///       FetchedChannel(feed: feed.key, channel: channel, fetched: now))
  ///     print("\(update.new.count) new items")
  ///
  /// In one transaction of the cache, but for most of what is new in a large document, which comes
  /// in parts before. If that ends in between, the parts are there, and the feed is one that has
  /// not been fetched yet.
  ///
  /// - throws: ``LibraryError`` if the feed is not subscribed to.
  @discardableResult
  public func receive(_ fetched: FetchedChannel) throws -> ChannelUpdate {
    try receive(fetched, limits: PartLimits(), afterEachPart: {})
  }

  /// What whoever fetched a feed last wanted to have back; nil if nothing.
  public func fetchState(of feed: FeedKey) throws -> Data? {
    try cache.read("read the state of fetching") { db in
      try Data.fetchOne(
        db, sql: "SELECT fetch_state FROM feed WHERE key = ? AND fetch_state IS NOT NULL",
        arguments: [feed.text])
    }
  }

  /// Keeps the state of fetching a feed, of which there is nothing new to merge.
  ///
  /// - parameter unchanged: When the feed was found to offer what it did before; nil if that is not
  ///   known, since it could not be fetched.
  public func setFetchState(
    _ state: Data, of feed: FeedKey, unchanged: FeedInstant? = nil
  ) throws {
    try cache.write("keep the state of fetching") { db in
      try db.putFetchState(state, of: feed)
      guard let unchanged else { return }
      try db.execute(
        sql: "UPDATE feed SET fetched = ? WHERE key = ? AND fetched IS NOT NULL",
        arguments: [unchanged.secondsSince1970, feed.text])
    }
  }

  /// Follows a feed that has moved for good, on all machines; one that is there already does
  /// nothing.
  ///
  /// Its key stays, and so do its marks; it is noted for who subscribes again at the new address.
  /// - throws: ``LibraryError`` if it is no address, or the store refuses it.
  public func move(_ feed: FeedKey, to url: String) throws {
    let moved = try Self.feed(for: Subscription(url: url))
    try run("move the subscription") {
      guard let place = try store.place(of: feed), place.url != moved.subscription.url else {
        return
      }
      let isNoted = try moved.key == feed || store.noteCount(of: feed) >= MarkLimits.notes
      _ = try store.write { writer in
        guard let body = try writer.body(at: feed.text, in: SyncedCollections.subscriptions),
          let from = Subscription(body)?.url
        else { return }
        let (here, there) = (ByteString(from), ByteString(moved.subscription.url))
        try writer.patch(
          [
            "from": .string(here), "to": .string(there), "moves": .integer(Int64(place.moves) + 1),
            // What was noted for another subscription goes.
            "home": place.home == from ? .null : .string(ByteString(place.home)),
          ], at: feed.text, in: SyncedCollections.places)
        // A member, so that feeds that two devices move to one address are no conflict.
        guard !isNoted, let members = JSONObject([(ByteString(feed.text), .integer(1))])
        else { return }
        try writer.patch(.object(members), at: moved.key.text, in: SyncedCollections.moves)
      }
    }
    try refresh()
  }
}

extension Database {
  func putFetchState(_ state: Data, of feed: FeedKey) throws {
    try execute(
      sql: "UPDATE feed SET fetch_state = ? WHERE key = ?", arguments: [state, feed.text])
  }
}
