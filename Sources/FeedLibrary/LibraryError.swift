import FeedReading
import FeedSync

/// Why something could not be done with the library, and what may help.
///
///     do {
///       try library.feed(named: "lwn")
///     } catch let error as LibraryError { print(error.message, error.hint ?? "") }
public struct LibraryError: Error, Equatable, Sendable {
  /// The kinds of failure.
  public enum Cause: Equatable, Sendable {
    /// The synced store refused it.
    case store(FeedSyncError)
    /// A document could not be read.
    case document(FeedError)
    /// The cache in the file could not be used, for this reason.
    case cache(String)
    /// The system would not open, read or write the cache's file, which may be whole.
    case unreachableCache(String)
    /// Another process has held the cache for too long.
    case busyCache
    /// The cache would be on a network file system, of this name.
    case cacheOnNetwork(String)
    /// The cache was made by a newer version.
    case newerCache
    /// Nothing is subscribed to under this name.
    case noSuchFeed(String)
    /// Several feeds have this name; these are their keys.
    case manyFeeds(String, keys: [String])
    /// No item is known under this name.
    case noSuchItem(String)
    /// It is no address of a feed.
    case notAnAddress(String)
    /// Several words cannot be one tag, and some characters stand for something else.
    case notATag(String)
    /// Nothing can be fetched by this scheme.
    case cannotFetch(scheme: String)
  }

  /// What went wrong.
  public let cause: Cause
  /// What was being done, as a short verb phrase.
  public let operation: String
  /// The file or address that it concerns, if one.
  public let subject: String?

  /// An error of these parts.
  public init(_ cause: Cause, operation: String, subject: String? = nil) {
    (self.cause, self.operation, self.subject) = (cause, operation, subject)
  }
}

extension LibraryError {
  /// What happened, in words.
  public var message: String {
    switch cause {
    case .store(let error): error.message
    case .document(let error): error.message
    case .cache(let reason), .unreachableCache(let reason):
      "the cache of articles cannot be used: \(reason)"
    case .busyCache: "another process has held the cache of articles for too long"
    case .cacheOnNetwork(let kind):
      "the cache of articles is on \(kind): two machines with this home would damage it"
    case .newerCache: "a newer nerdfeed has made this cache of articles"
    case .noSuchFeed(let name): "there is no subscription called '\(name)'"
    case .manyFeeds(let name, let keys):
      "\(keys.count) subscriptions are called '\(name)': \(keys.joined(separator: ", "))"
    case .noSuchItem(let name): "there is no item '\(name)' here"
    case .notAnAddress(let text): "'\(text)' is no address of a feed"
    case .notATag(let text): "'\(text)' is no tag"
    case .cannotFetch(let scheme):
      "nothing can be fetched by '\(scheme):'"
    }
  }

  /// What the user can do about it, if anything is known to help.
  public var hint: String? {
    switch cause {
    case .store(let error): error.hint
    case .document(let error): error.hint
    case .cache: "remove the file: all in it can be fetched again, and no mark is in it alone"
    case .unreachableCache:
      "make room on its disk, and look who may write there, how many files may be open"
        + " (ulimit -n), and how large one may be (ulimit -f); what feeds do not offer any more is"
        + " in this file alone"
    case .busyCache: "try again, or end the other nerdfeed"
    case .cacheOnNetwork:
      "set NERDFEED_STATE (or --cache) to a folder on a local disk, one for each machine; to keep"
        + " what is there, copy it to one machine with cp -a"
    case .newerCache: "update nerdfeed on this machine, or name another place with --cache DIR"
    case .noSuchFeed: "see 'nerdfeed feeds', and name it by its key, address or title"
    case .manyFeeds: "name it by its key"
    case .noSuchItem: "see 'nerdfeed list': the number or the key in front names an item"
    case .notAnAddress: "write it as https://example.org/feed"
    case .notATag: "a tag has 1 to 100 characters, none of them a comma, a slash or a control"
    case .cannotFetch: "subscribe to an address that begins with https:, http: or file:"
    }
  }

  /// The kind of failure as commands tell it by their exit status.
  public var code: FeedSyncError.Code {
    switch cause {
    case .store(let error): error.code
    case .document(let error):
      if case .unreadable = error.cause { .noContainer } else { .badInput }
    case .cache: .cannotRead
    case .unreachableCache: .cannotWrite
    case .busyCache: .tryAgain
    case .newerCache, .cacheOnNetwork: .configuration
    case .noSuchFeed, .noSuchItem: .notFound
    case .manyFeeds, .notAnAddress, .notATag: .usage
    case .cannotFetch: .configuration
    }
  }

  /// Takes over what a lower layer threw.
  static func from(_ error: any Error, operation: String, subject: String? = nil) -> any Error {
    switch error {
    case is LibraryError, is CancellationError: error
    case let error as FeedSyncError:
      LibraryError(.store(error), operation: operation, subject: error.file ?? subject)
    case let error as FeedError:
      LibraryError(.document(error), operation: operation, subject: error.file ?? subject)
    // What the cache has is told as its own, see CacheDatabase.
    case is DecodingError:
      LibraryError(
        .store(
          FeedSyncError(
            .badInput, operation: operation, file: subject,
            message: "a synced document of it is of another form",
            hint: "another program, or a newer version, has written it: look with 'feedsync get'"
              + " and 'feedsync history'")), operation: operation, subject: subject)
    default: LibraryError(.cache("\(error)"), operation: operation, subject: subject)
    }
  }
}
