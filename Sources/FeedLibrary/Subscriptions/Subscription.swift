import FeedReading
import FeedSync

/// A feed that somebody reads, as all their machines have it.
///
///     Subscription(url: "https://example.org/feed", tags: ["friends"])
public struct Subscription: Codable, Equatable, Sendable {
  /// Where the feed is now.
  public var url: String
  /// What the user calls it; nil for the name that it has itself.
  public var title: String?
  /// The page that it is the feed of, where a list of subscriptions said so.
  public var site: String?
  /// The folder that it is in, as a path from the outermost; nil for none.
  public var folder: [String]?
  /// Words it is filed under.
  public var tags: ReplicatedSet<String>
  /// How many minutes pass between two fetches at least; nil for the usual.
  public var interval: Int?
  /// How many items are asked for, where the feed's service lets one choose.
  public var itemCount: Int?
  /// For how many days items are kept here that the feed has no more; nil for the usual.
  public var retention: Int?

  /// A subscription to an address.
  public init(
    url: String, title: String? = nil, site: String? = nil, folder: [String]? = nil,
    tags: ReplicatedSet<String> = []
  ) {
    (self.url, self.title, self.site, self.folder) = (url, title, site, folder)
    self.tags = tags
  }
}

/// A subscription with the key that its marks go by.
public struct SubscribedFeed: Equatable, Sendable {
  /// Names the feed on every machine.
  public let key: FeedKey
  /// What is known of it.
  public var subscription: Subscription

  /// A subscription under a key.
  public init(key: FeedKey, subscription: Subscription) {
    (self.key, self.subscription) = (key, subscription)
  }
}

extension Subscription {
  init(_ entry: OPMLDocument.Entry) {
    self.init(
      url: WebIdentity.subscribable(entry.feed.url), title: entry.feed.title,
      site: entry.feed.site, folder: entry.folder.isEmpty ? nil : entry.folder,
      tags: ReplicatedSet(entry.feed.tags))
  }

  /// The line of a list of subscriptions.
  ///
  /// - parameter channelTitle: What the feed calls itself, for one without another name.
  func entry(channelTitle: String?, channelLink: String?) -> OPMLDocument.Entry {
    let feed = OPMLDocument.Feed(
      url: url, title: title ?? channelTitle, site: channelLink ?? site,
      tags: tags.elements.sorted())
    return OPMLDocument.Entry(feed, in: folder ?? [])
  }
}
