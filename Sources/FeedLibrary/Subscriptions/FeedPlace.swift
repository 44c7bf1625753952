import FeedSync

/// Where a feed is, and where it was when somebody subscribed to it.
public struct FeedPlace: Equatable, Sendable {
  /// Where it is by now.
  public let url: String
  /// The address that was subscribed to, be it that it led elsewhere already: the one to go back to
  /// where a feed that has moved for good, as its server said, is not there any more.
  public let home: String
  /// How often it has been followed since.
  public let moves: Int

  /// Whether it has been followed so often that it is not any more: servers send each device, or
  /// each request, elsewhere.
  public var isRestless: Bool { moves >= MarkLimits.moves }

  /// Whether it is elsewhere than it was; `https:` in place of `http:` is the same, and nothing to
  /// go back from.
  public var isAway: Bool { WebIdentity.comparable(home) != WebIdentity.comparable(url) }

  /// - parameter document: What is known of where the feed went; it means nothing for another
  ///   subscription than it was made for.
  init(of subscription: Subscription, document: JSON?) {
    url = subscription.followed(to: document).url
    guard case .object(let members)? = document, case .string(let from)? = members["from"],
      from.description == subscription.url
    else {
      (home, moves) = (subscription.url, 0)
      return
    }
    if case .string(let text)? = members["home"] {
      home = text.description
    } else {
      home = subscription.url
    }
    if case .integer(let number)? = members["moves"] {
      moves = Int(min(max(number, 0), Int64(MarkLimits.moves)))
    } else {
      moves = 0
    }
  }
}

extension Library {
  /// Where a feed is, and where it was when somebody subscribed to it; nil without a subscription.
  ///
  /// - throws: ``LibraryError`` if the store cannot be read.
  public func place(of feed: FeedKey) throws -> FeedPlace? {
    try run("find the feed's address") { try store.place(of: feed) }
  }
}

extension DocumentStore {
  /// The feeds that were asked for at an address which led elsewhere: mostly one at most.
  ///
  /// - parameter address: As addresses are compared.
  func feeds(askedForAt address: String) throws -> [FeedKey] {
    var result: [FeedKey] = []
    try read { reader in
      try reader.forEachDocument(in: SyncedCollections.places) { _, id, body in
        guard case .object(let members) = body, case .string(let home)? = members["home"],
          WebIdentity.comparable(home.description) == address, let key = FeedKey(text: id)
        else { return }
        result.append(key)
      }
    }
    return result.sorted()
  }

  func place(of feed: FeedKey) throws -> FeedPlace? {
    try read { reader in
      let body = try reader.document(feed.text, in: SyncedCollections.subscriptions)?.body
      let place = try reader.document(feed.text, in: SyncedCollections.places)?.body
      return body.flatMap { Subscription($0) }.map { FeedPlace(of: $0, document: place) }
    }
  }
}
