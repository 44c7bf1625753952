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
    for entry in list.entries {
      guard let feed = try? Self.feed(for: Subscription(entry)) else {
        result.refused.append(entry.feed.url)
        continue
      }
      let isNew = addresses.insert(WebIdentity.comparable(feed.subscription.url)).inserted
      guard isNew, !keys.contains(feed.key) else {
        result.known += 1
        continue
      }
      let added = try run("subscribe", subject: feed.subscription.url) {
        try withFormerKey(feed) { keys.contains($0) }
      }
      keys.insert(added.key)
      result.added.append(added)
    }
    guard !result.added.isEmpty else { return result }
    try run("subscribe") {
      _ = try store.write { writer in
        for feed in result.added {
          try writer.put(feed.subscription, at: feed.key.text, in: SyncedCollections.subscriptions)
        }
      }
    }
    try refresh()
    return result
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
