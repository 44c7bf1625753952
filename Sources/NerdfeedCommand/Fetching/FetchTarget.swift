import FeedFetching
import FeedLibrary
import FeedReading
import Foundation

/// Where the feed of a subscription is.
///
///     try FetchTarget(Subscription(url: "itunes:topsongs")).isService   // true
enum FetchTarget: Equatable {
  case file(path: String)
  /// On the web; of a web service the subscription says what is asked, and not where.
  case web(FeedAddress, isService: Bool)

  /// - throws: ``FetchError`` if it is neither a file nor on the web.
  init(_ subscription: Subscription) throws(FetchError) {
    let words = Self.asking(subscription.url, count: subscription.itemCount)
    let address = FeedParser.address(for: words)
    if let url = URL(string: address), url.isFileURL {
      self = .file(path: url.path(percentEncoded: false))
    } else {
      self = .web(try FeedAddress(words), isService: address != words)
    }
  }

  /// A web service's words with the number of items that the user chose, unless they say one.
  private static func asking(_ words: String, count: Int?) -> String {
    guard let count, FeedParser.address(for: words) != words, !words.contains("limit=") else {
      return words
    }
    return words + (words.contains("?") ? "&" : "?") + "limit=\(count)"
  }
}
