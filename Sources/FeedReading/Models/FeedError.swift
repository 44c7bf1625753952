/// Why a document could not be read as a feed.
///
///     FeedError(.notAFeed, operation: "read the feed", file: "page.html")
public struct FeedError: Error, Equatable, Sendable {
  /// The kinds of refusal.
  public enum Cause: Equatable, Sendable {
    /// Nothing is in it.
    case empty
    /// It is something else, such as a web page.
    case notAFeed
    /// It is something else than a list of subscriptions.
    case notOPML
    /// It is larger than ``FeedLimits/documentBytes``.
    case tooLarge
    /// The file could not be read, for this reason.
    case unreadable(String)
  }

  /// What went wrong.
  public let cause: Cause
  /// What was being done, such as "read the feed".
  public let operation: String
  /// What it was done to, if that has a name.
  public let file: String?

  /// An error by its parts.
  public init(_ cause: Cause, operation: String, file: String? = nil) {
    (self.cause, self.operation, self.file) = (cause, operation, file)
  }

  /// The cause in words.
  public var message: String {
    switch cause {
    case .empty: "the document is empty"
    case .notAFeed: "the document is not a feed: neither RSS, Atom, CDF nor JSON Feed"
    case .notOPML: "the document is not OPML: it has no list of subscriptions"
    case .tooLarge: "the document is larger than \(FeedLimits.documentBytes >> 20) MB"
    case .unreadable(let reason): reason
    }
  }

  /// What may help.
  public var hint: String? {
    switch cause {
    case .empty, .tooLarge: nil
    case .notAFeed: "look for a link to the feed in the page"
    case .notOPML: "export the subscriptions from the other reader as OPML"
    case .unreadable: "check the path and its permissions"
    }
  }
}
