import FeedReading
import FeedSync

/// What importing a list of subscriptions came to.
public struct OPMLImport: Sendable, Equatable {
  /// The feeds that are subscribed to now, in the order of the list.
  public internal(set) var added: [SubscribedFeed] = []
  /// How many were subscribed to already, and stay as they are.
  public internal(set) var known = 0
  /// The addresses that cannot be subscribed to.
  public internal(set) var refused: [String] = []
}

extension Library {
  /// Subscribes to all feeds of a list, in one transaction.
  @discardableResult
  public func subscribe(to list: OPMLDocument) throws -> OPMLImport {
    try refresh()
    let rows = try cache.read("list the feeds") { try $0.feedRows() }
    var keys = Set(rows.map(\.key))
    var addresses = Set(rows.map { WebIdentity.comparable($0.subscription.url) })
    var result = OPMLImport()
    result.refused = list.refused
    var new: [SubscribedFeed] = []
    for entry in list.entries {
      guard let feed = try? Self.feed(for: Subscription(entry)) else {
        result.refused.append(entry.feed.url)
        continue
      }
      let isNew = addresses.insert(WebIdentity.comparable(feed.subscription.url)).inserted
      guard isNew, keys.insert(feed.key).inserted else {
        result.known += 1
        continue
      }
      new.append(feed)
    }
    guard !new.isEmpty else { return result }
    // Once all have their own keys: one that a feed had before may be that of an entry behind it.
    result.added = try add(new, taken: keys)
    try refreshAfterWriting()
    return result
  }

  /// Adds feeds under the keys that they had before, unless these are taken.
  private func add(_ feeds: [SubscribedFeed], taken: Set<FeedKey>) throws -> [SubscribedFeed] {
    var taken = taken
    let added = try feeds.map { feed in
      let one = try run("subscribe", subject: feed.subscription.url) {
        try withFormerKey(feed) { taken.contains($0) }
      }
      taken.insert(one.key)
      return one
    }
    try run("subscribe") {
      _ = try store.write { writer in
        for feed in added { try writer.subscribe(to: feed) }
      }
    }
    return added
  }

  /// All subscriptions as a list: by their folders, and in these by their titles.
  public func subscriptionList(title: String? = nil) throws -> OPMLDocument {
    try refresh()
    let rows = try cache.read("list the feeds") { try $0.feedRows() }
    let entries = rows.map { row in
      row.subscription.entry(
        channelTitle: row.channel?.title?.text, channelLink: row.channel?.link)
    }
    return OPMLDocument(
      title: title,
      entries: entries.sorted { one, other in
        guard one.folder == other.folder else {
          return one.folder.lexicographicallyPrecedes(other.folder)
        }
        return (one.feed.title ?? one.feed.url, one.feed.url)
          < (other.feed.title ?? other.feed.url, other.feed.url)
      })
  }
}
