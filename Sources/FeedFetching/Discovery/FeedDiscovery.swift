import FeedReading

/// A feed that a web page announces.
public struct FeedCandidate: Sendable, Equatable {
  /// Where it is.
  public let address: FeedAddress
  /// What the page calls it.
  public let title: String?
  /// The media type it is announced with.
  public let type: String
}

/// Finds the feeds that a web page announces in its head, without fetching anything.
///
///     FeedDiscovery.candidates(in: page, at: address, charset: nil).first?.address.url
public enum FeedDiscovery {
  /// The feeds of a page, the likeliest first, each address once.
  ///
  /// Those of comments come last; otherwise it is the order of the page.
  ///
  /// - parameter address: Where the page came from, after redirects.
  /// - parameter charset: The encoding that the server names.
  public static func candidates(
    in page: [UInt8], at address: FeedAddress, charset: String? = nil
  ) -> [FeedCandidate] {
    let head = PageHead(page, charset: charset)
    let base = head.base.flatMap { address.following($0) } ?? address
    var seen: Set<String> = []
    let all = head.links.compactMap { candidate($0, base: base) }
      .filter { seen.insert($0.address.url).inserted }
    return all.filter { !isOfComments($0) } + all.filter(isOfComments)
  }

  private static let types: Set<String> = [
    "application/rss+xml", "application/atom+xml", "application/feed+json",
    "application/rdf+xml", "application/x-rss+xml", "application/rss", "application/atom",
    "text/rss", "text/rss+xml", "text/atom+xml", "text/xml", "application/xml",
    "application/json", "text/rdf", "application/rdf",
  ]

  private static func candidate(_ link: PageHead.Attributes, base: FeedAddress) -> FeedCandidate? {
    let relations = (link["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace)
    let isFeed = relations.contains("feed") && MediaType(link["type"])?.text != "text/html"
    guard isFeed || relations.contains("alternate") && isFeedType(link),
      !relations.contains("stylesheet"), let href = link["href"], !href.isEmpty
    else { return nil }
    guard let address = base.following(href.hasPrefix("feed:") ? unwrapped(href) : href) else {
      return nil
    }
    let title = link["title"].flatMap { Title(plain: $0)?.text }
    return FeedCandidate(
      address: address, title: title, type: MediaType(link["type"])?.text ?? "")
  }

  private static func isFeedType(_ link: PageHead.Attributes) -> Bool {
    guard let type = MediaType(link["type"])?.text, types.contains(type) else { return false }
    // WordPress announces the interface of its pages so, and others oEmbed: neither is a feed.
    let href = link["href"] ?? ""
    return !href.contains("/wp-json") && !href.contains("oembed")
  }

  /// `feed:` in front of an address says nothing.
  private static func unwrapped(_ href: String) -> String {
    let rest = String(href.dropFirst(5))
    return rest.hasPrefix("//") ? "http:" + rest : rest
  }

  static func isOfComments(_ candidate: FeedCandidate) -> Bool {
    let path = candidate.address.url.lowercased()
    return path.contains("/comments/") || path.contains("comments-rss")
      || candidate.title?.lowercased().contains("comments feed") == true
  }
}
