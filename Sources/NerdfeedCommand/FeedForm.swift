import FeedLibrary
import FeedSync

/// Subscriptions as they are printed.
enum FeedForm {
  /// By what a feed can be named, as the end of a help text.
  static let names = "its key, its address, its title, or a part of that."

  static func text(_ feed: FeedSummary, _ state: FetchState) -> String {
    let count = "\(feed.unreadCount)/\(feed.itemCount)"
    let padding = String(repeating: " ", count: max(0, 9 - count.count))
    var line = "\(feed.key) \(padding)\(count)  \(TerminalText.line(feed.title))"
    if let folder = feed.subscription.folder {
      line += "  [\(TerminalText.line(folder.joined(separator: "/")))]"
    }
    for tag in feed.subscription.tags.elements.sorted() { line += "  #\(TerminalText.line(tag))" }
    if state.record.isStopped {
      line += "  (has ended: the server says that it is gone)"
    } else if let problem = state.problem {
      line += "  (not fetched: \(TerminalText.line(problem)))"
    }
    return line
  }

  static func json(_ feed: FeedSummary, _ state: FetchState) -> JSON {
    guard case .object(var object) = json(feed) else { return .null }
    object["stopped"] = .bool(state.record.isStopped)
    object["failures"] = .number(state.record.failures)
    object["problem"] = .text(state.problem)
    object["due"] = .text(state.record.due?.text)
    object["last_fetched"] = .text(state.record.lastFetched?.text)
    return .object(object)
  }

  static func json(_ feed: FeedSummary) -> JSON {
    var object = members(feed.key, feed.subscription)
    object["title"] = .text(feed.title)
    object["link"] = .text(feed.link)
    object["fetched"] = .text(feed.fetched?.text)
    object["items"] = .number(feed.itemCount)
    object["unread"] = .number(feed.unreadCount)
    return .object(object)
  }

  static func json(_ feed: SubscribedFeed) -> JSON {
    var object = members(feed.key, feed.subscription)
    object["title"] = .text(feed.subscription.title)
    return .object(object)
  }

  private static func members(_ key: FeedKey, _ subscription: Subscription) -> JSONObject {
    var object: JSONObject = [
      "key": .text(key.text), "url": .text(subscription.url),
      "folder": .texts(subscription.folder ?? []),
      "tags": .texts(subscription.tags.elements.sorted()),
    ]
    if let interval = subscription.interval { object["interval_minutes"] = .number(interval) }
    if let count = subscription.itemCount { object["item_count"] = .number(count) }
    if let days = subscription.retention { object["retention_days"] = .number(days) }
    return object
  }
}
