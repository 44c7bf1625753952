import FeedReading

/// Short ways to read small feeds.
enum Feeds {
  static func read(_ text: String, url: String = "", headers: [String: String] = [:]) throws
    -> Channel
  {
    try read(Array(text.utf8), url: url, headers: headers)
  }

  static func read(_ bytes: [UInt8], url: String = "", headers: [String: String] = [:]) throws
    -> Channel
  {
    try FeedParser.parse(bytes, from: FeedOrigin(url: url, headers: headers))
  }

  /// The only item of an RSS feed with this inside it.
  static func item(_ inside: String, url: String = "") throws -> Item {
    let start = "<rss version='2.0' \(namespaces)><channel><item>"
    return try read(start + inside + "</item></channel></rss>", url: url).items.first ?? Item()
  }

  /// The only entry of an Atom feed with this inside it.
  static func entry(_ inside: String, url: String = "") throws -> Item {
    let start = "<feed xmlns='http://www.w3.org/2005/Atom' \(namespaces)><entry>"
    return try read(start + inside + "</entry></feed>", url: url).items.first ?? Item()
  }

  /// A channel of RSS with this inside it.
  static func channel(_ inside: String, url: String = "") throws -> Channel {
    try read("<rss version='2.0' \(namespaces)><channel>\(inside)</channel></rss>", url: url)
  }

  /// All addresses that somebody might follow or load, those in bodies as they are escaped.
  static func addresses(in channel: Channel) -> [String] {
    let items = channel.items
    let authors = channel.authors + items.flatMap(\.authors)
    let plain =
      [channel.link, channel.image, channel.icon] + authors.map(\.url)
      + items.flatMap { [$0.link, $0.image] + $0.enclosures.map(\.url) }
    let bodies = [channel.summary] + items.flatMap { [$0.summary, $0.content] }
    let inside = bodies.compactMap { $0 }.flatMap { body in
      body.matches(of: /\s(?:xlink:)?(?:href|src|cite|longdesc|poster|background)="([^"]*)"/)
        .map { String($0.output.1) }
    }
    return plain.compactMap { $0 } + inside
  }

  private static let namespaces = """
    xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:dcterms='http://purl.org/dc/terms/' \
    xmlns:content='http://purl.org/rss/1.0/modules/content/' \
    xmlns:media='http://search.yahoo.com/mrss/' \
    xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' \
    xmlns:atom='http://www.w3.org/2005/Atom'
    """
}

/// Numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
