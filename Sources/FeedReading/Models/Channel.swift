/// A feed as it was read: what it says of itself, and its items in their order.
///
/// It is a value that knows nothing of the format it came in, other than the name of it:
///
///     let channel = try FeedParser.parse(bytes, from: FeedOrigin(url: "https://example.org/feed"))
///     for item in channel.items { print(item.title?.text ?? "", item.link ?? "") }
///
/// Everything is optional but the lists. Titles and names are one line of plain text; bodies are
/// HTML that is safe to show. Of hostile sizes only a part is kept, see ``FeedLimits``.
public struct Channel: Sendable, Equatable {
  /// The kind of document: `rss`, `rdf`, `atom`, `json`, `cdf` or a web service's name.
  public var format: String
  /// The name of the feed.
  public var title: Title?
  /// The page that the feed is of.
  public var link: String?
  /// What the feed is about, as harmless HTML.
  public var summary: String?
  /// What names the feed for ever, if it says so.
  public var id: String?
  /// When it last changed.
  public var updated: FeedInstant?
  /// When it was published.
  public var published: FeedInstant?
  /// Its language as BCP 47 writes it, such as `en-GB`.
  public var language: String?
  /// The address of its picture.
  public var image: String?
  /// The address of its small, square picture.
  public var icon: String?
  /// Who writes it.
  public var authors: [Author] = []
  /// Subjects, each once.
  public var categories: [String] = []
  /// Its items, in the order of the document.
  public var items: [Item] = []

  /// A feed of which only the format is known.
  public init(format: String) { self.format = format }
}

/// One entry of a feed.
///
///     channel.items.first?.title?.text    // "Groceries"
public struct Item: Sendable, Equatable {
  /// What names the item for ever: `guid`, `id` or `rdf:about`, as it is written.
  public var id: String?
  /// What it is called, in one line.
  public var title: Title?
  /// The page of the item.
  public var link: String?
  /// A short text, or the only one, as harmless HTML.
  public var summary: String?
  /// The whole text, as harmless HTML.
  public var content: String?
  /// When it was published.
  public var published: FeedInstant?
  /// When it last changed.
  public var updated: FeedInstant?
  /// The address of its picture.
  public var image: String?
  /// Who wrote it.
  public var authors: [Author] = []
  /// Subjects, each once.
  public var categories: [String] = []
  /// Files that come with it.
  public var enclosures: [Enclosure] = []

  /// An item of which nothing is known yet.
  public init() {}
}

/// Somebody who writes.
///
///     Author(name: "Ann", email: "ann@example.org")
public struct Author: Sendable, Equatable {
  /// In plain text.
  public var name: String?
  /// An address for mail.
  public var email: String?
  /// A page of theirs.
  public var url: String?

  /// Somebody by what is known of them.
  public init(name: String? = nil, email: String? = nil, url: String? = nil) {
    (self.name, self.email, self.url) = (name, email, url)
  }
}

/// A file that comes with an item, such as an episode.
///
///     Enclosure(url: "https://example.org/1.mp3", type: "audio/mpeg", length: 42_301)
public struct Enclosure: Sendable, Equatable {
  /// Where it is.
  public var url: String
  /// Its media type.
  public var type: String?
  /// Its size in bytes.
  public var length: Int?

  /// A file by its address.
  public init(url: String, type: String? = nil, length: Int? = nil) {
    (self.url, self.type, self.length) = (url, type, length)
  }
}

/// How much of a feed is kept; the rest is left out, never an error.
public enum FeedLimits {
  /// Larger documents are refused.
  public static let documentBytes = 256 << 20
  /// Items, in the order of the document.
  public static let items = 100_000
  /// A title, in bytes.
  public static let titleBytes = 8_192
  /// A body, in bytes; the markup is closed where it is cut.
  public static let bodyBytes = 8 << 20
  /// Authors, categories, and enclosures of one item or feed.
  public static let list = 200
  /// An address; a longer one is left out.
  public static let addressBytes = 16_384
}
