/// One kind of feed: which documents are of it, and who reads them.
///
/// A new kind or web service is one type that has what applies to it, and one entry in
/// ``FeedSources/all``.
protocol FeedSource: Sendable {
  /// The address to fetch for a subscription in this service's own words; nil if it is in others.
  static func address(for subscription: String) -> String?
  /// Who reads the XML document with this root; nil if it is of another kind.
  static func reader(root: XMLElement, origin: FeedOrigin) -> (any XMLFeedReader)?
  /// The feed that a JSON document holds; nil if it is of another kind.
  static func channel(json: JSONValue, from origin: FeedOrigin) -> Channel?
}

extension FeedSource {
  static func address(for subscription: String) -> String? { nil }
  static func reader(root: XMLElement, origin: FeedOrigin) -> (any XMLFeedReader)? { nil }
  static func channel(json: JSONValue, from origin: FeedOrigin) -> Channel? { nil }
}

/// The kinds that are known, in the order in which they are asked.
enum FeedSources {
  static let all: [any FeedSource.Type] = [
    RSSSource.self, AtomSource.self, CDFSource.self, JSONFeedSource.self, TopSongsSource.self,
  ]
}
