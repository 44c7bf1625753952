/// A list of subscriptions, as readers exchange them.
///
/// <http://opml.org/spec2.opml> has the format.
///
///     let list = try OPMLDocument(parsing: bytes)
///     for entry in list.entries { print(entry.folder, entry.feed.url) }
public struct OPMLDocument: Sendable, Equatable {
  /// What the list is called.
  public var title: String?
  /// What stands at the top: feeds, and folders with what is in them.
  public var outlines: [Outline]
  /// Addresses of feeds that were left out when the list was read, since they do harm or are files.
  ///
  /// A list may come from anybody. No more than ``FeedLimits/list``.
  public internal(set) var refused: [String] = []

  /// A list of these parts.
  public init(title: String? = nil, outlines: [Outline] = []) {
    (self.title, self.outlines) = (title, outlines)
  }

  /// A line of the list.
  public enum Outline: Sendable, Equatable {
    /// A feed that is subscribed to.
    case feed(Feed)
    /// A folder by its name, and what is in it.
    case folder(String, [Outline])
  }

  /// A feed that is subscribed to.
  public struct Feed: Sendable, Equatable {
    /// Where the feed is.
    public var url: String
    /// What its reader calls it; nil if the list does not say.
    public var title: String?
    /// The page that it is the feed of.
    public var site: String?
    /// Words it is filed under, each once, in their order.
    public var tags: [String]

    /// A feed by its address.
    public init(url: String, title: String? = nil, site: String? = nil, tags: [String] = []) {
      (self.url, self.title, self.site, self.tags) = (url, title, site, tags)
    }
  }

  /// A feed, and the names of the folders that it is in, the outermost first.
  public struct Entry: Sendable, Equatable {
    /// The feed.
    public var feed: Feed
    /// The names of the folders; empty at the top.
    public var folder: [String]

    /// An entry of these parts.
    public init(_ feed: Feed, in folder: [String] = []) {
      (self.feed, self.folder) = (feed, folder)
    }
  }
}

extension OPMLDocument {
  /// All feeds in the order of the list, with the folders that they are in.
  public var entries: [Entry] {
    var result: [Entry] = []
    func collect(_ outlines: [Outline], in folder: [String]) {
      for outline in outlines {
        switch outline {
        case .feed(let feed): result.append(Entry(feed, in: folder))
        case .folder(let name, let inside): collect(inside, in: folder + [name])
        }
      }
    }
    collect(outlines, in: [])
    return result
  }

  /// A list of entries: folders stand where their first feed does.
  ///
  ///     OPMLDocument(title: "Subscriptions", entries: entries)
  public init(title: String?, entries: [Entry]) {
    self.init(title: title, outlines: Self.outlines(of: entries))
  }

  private static func outlines(of entries: [Entry]) -> [Outline] {
    var order: [Int: Outline] = [:]
    var inside: [(name: String, first: Int, entries: [Entry])] = []
    var places: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      guard let name = entry.folder.first else {
        order[index] = .feed(entry.feed)
        continue
      }
      let rest = Entry(entry.feed, in: Array(entry.folder.dropFirst()))
      if let place = places[name] {
        inside[place].entries.append(rest)
      } else {
        places[name] = inside.count
        inside.append((name, index, [rest]))
      }
    }
    for folder in inside {
      order[folder.first] = .folder(folder.name, outlines(of: folder.entries))
    }
    return order.sorted { $0.key < $1.key }.map(\.value)
  }
}
