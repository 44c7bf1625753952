import FeedFetching
import FeedLibrary
import FeedReading

/// What came of asking for a feed, with what was read of it.
struct FetchAnswer {
  let outcome: FetchOutcome
  /// What came; nil if nothing did.
  let channel: Channel?

  /// Reads what came: what is no feed is a failure as any other, since its server may be having a
  /// bad day.
  init(_ outcome: FetchOutcome) {
    guard case .fetched(let document) = outcome else {
      (self.outcome, channel) = (outcome, nil)
      return
    }
    // That it is none is the question here, and no error.
    channel = try? FeedParser.parse(document.body, from: document.origin)
    self.outcome =
      channel == nil
      ? .failed(FetchError(.noFeed, operation: .fetching, url: document.url)) : outcome
  }

  /// Whether the feed is not there: what an address says that was good for a while alone, such as
  /// one that is signed, and what no waiting mends.
  var isForGood: Bool {
    switch outcome {
    case .gone: true
    case .failed(let error):
      switch error.cause {
      case .status(let status): (400..<500).contains(status) && ![408, 425, 429].contains(status)
      case .noFeed: true
      default: false
      }
    case .fetched, .notModified, .postponed: false
    }
  }
}

/// A feed that is not there any more where it has moved to, and is looked for where it was before.
struct LostFeed {
  /// The feed as it is kept, and what came of asking for it.
  let feed: FetchCandidate
  let answer: FetchAnswer
  /// The same at the address that it had.
  let home: FetchCandidate
  let address: FeedAddress

  /// - returns: nil if there is no other address, or it may be there again later.
  init?(_ feed: FetchCandidate, after answer: FetchAnswer, place: FeedPlace) {
    var subscription = feed.feed.subscription
    guard answer.isForGood, place.url == subscription.url, place.isAway else {
      return nil
    }
    subscription.url = place.home
    guard case .web(let address, isService: false)? = try? FetchTarget(subscription) else {
      return nil
    }
    var state = FetchState(url: place.home)
    // They say for which address they are.
    state.record.validators = feed.state.record.validators
    let home = SubscribedFeed(key: feed.feed.key, subscription: subscription)
    (self.feed, self.answer, self.address) = (feed, answer, address)
    self.home = FetchCandidate(feed: home, title: feed.title, state: state)
  }

  /// What became of the feed where it has moved to, by what is known of its first address now: it
  /// has not ended as long as it may be there again.
  func answer(besides home: FetchAnswer) -> FetchAnswer {
    guard case .gone(let error) = answer.outcome, !home.isForGood else { return answer }
    return FetchAnswer(.failed(error))
  }
}
