import FeedLibrary
import FeedReading

/// A feed in a file of this machine.
enum FeedFile {
  /// Reads the feed of a subscription.
  ///
  /// Relative addresses in it are relative to the page that it is the feed of, since where it has
  /// been put on this machine tells nothing of that; without a page, to the file.
  /// - parameter seconds: How long the file may take.
  /// - throws: ``FeedError`` if it cannot be read, or is no feed.
  static func channel(
    of subscription: Subscription, at path: String, within seconds: Double
  ) throws -> Channel {
    let bytes = try InputFile.contents(of: path, within: seconds)
    let origin = FeedOrigin(url: subscription.url)
    let channel = try FeedParser.parse(bytes, from: origin, file: path)
    guard let page = channel.link, page.isOnTheWeb else { return channel }
    return try FeedParser.parse(bytes, from: FeedOrigin(url: page), file: path)
  }
}
