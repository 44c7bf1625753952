/// Reads documents of every kind of feed.
public enum FeedParser {
  /// The feed that a document holds.
  ///
  /// Mistakes in it are mended or passed over field by field: a date that is none is absent, and
  /// everything else is there. Nothing is ever loaded from elsewhere.
  ///
  ///     let channel = try FeedParser.parse(bytes, from: FeedOrigin(url: url, headers: headers))
  /// - parameter file: What the document is called in an error, if it has a name.
  /// - returns: The feed, with everything in it safe to show.
  /// - throws: ``FeedError`` if the document is empty, too large, or no feed at all.
  public static func parse(
    _ bytes: [UInt8], from origin: FeedOrigin = FeedOrigin(), file: String? = nil
  ) throws(FeedError) -> Channel {
    guard bytes.count <= FeedLimits.documentBytes else {
      throw FeedError(.tooLarge, operation: "read the feed", file: file)
    }
    let text = TextDecoder.utf8(bytes, charset: origin.charset)
    guard let first = text.firstIndex(where: { !$0.isASCIISpace }) else {
      throw FeedError(.empty, operation: "read the feed", file: file)
    }
    let opening = text[first]
    if opening == 0x7B || opening == ASCII.openBracket, let json = JSONValue(text) {
      for source in FeedSources.all {
        if let channel = source.channel(json: json, from: origin) { return channel }
      }
    } else if let channel = xmlChannel(text, from: origin) {
      return channel
    }
    throw FeedError(.notAFeed, operation: "read the feed", file: file)
  }

  private static func xmlChannel(_ text: [UInt8], from origin: FeedOrigin) -> Channel? {
    let builder = XMLTreeBuilder(base: origin.base) { root in
      for source in FeedSources.all {
        if let reader = source.reader(root: root, origin: origin) { return reader }
      }
      return nil
    }
    XMLEventParser.parse(text, handler: builder)
    builder.finish()
    return builder.reader?.finished()
  }

  /// The address to fetch for what a user subscribes to, such as `itunes:topsongs?limit=20`.
  ///
  ///     FeedParser.address(for: "https://example.org/feed")  // the same
  public static func address(for subscription: String) -> String {
    for source in FeedSources.all {
      if let address = source.address(for: subscription) { return address }
    }
    return subscription
  }
}
