import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync

/// Fetches feeds, and hands them to the library.
///
///     let run = FeedRun(library: library, settings: try LocalSettings.load())
///     let plan = run.plan(try run.candidates(), urgency: .due)
///     try await run.fetch(plan.due) { report in print(report.title) }
struct FeedRun: Sendable {
  /// Who asks, so that who runs a server knows what to allow or block.
  static let userAgent = "nerdfeed/0.1.0 (feed reader)"

  let library: Library
  let settings: LocalSettings
  var policy = FetchPolicy()
  var configuration: FetchConfiguration
  let time: FetchTime

  /// - parameter timeoutSeconds: How long a server may be silent; nil for the usual.
  init(
    library: Library, settings: LocalSettings, timeoutSeconds: Double? = nil,
    time: FetchTime = FetchTime(wall: { .now })
  ) {
    (self.library, self.settings, self.time) = (library, settings, time)
    configuration = FetchConfiguration(userAgent: Self.userAgent)
    configuration.trustedCertificateFiles = settings.trustedCertificateFiles
    if let limit = timeoutSeconds {
      var limits = configuration.limits
      limits.connectSeconds = min(limits.connectSeconds, limit)
      (limits.answerSeconds, limits.pauseSeconds) = (limit, limit)
      limits.totalSeconds = 4 * limit
      configuration.limits = limits
    }
  }

  /// All feeds with what is kept of fetching them.
  ///
  /// - parameter only: One of them.
  func candidates(only: FeedKey? = nil) throws -> [FetchCandidate] {
    try library.feeds().filter { only == nil || $0.key == only }.map { feed in
      FetchCandidate(
        feed: SubscribedFeed(key: feed.key, subscription: feed.subscription), title: feed.title,
        state: FetchState(try library.fetchState(of: feed.key), of: feed.subscription))
    }
  }

  func plan(_ candidates: [FetchCandidate], urgency: FetchUrgency) -> FetchPlan {
    FetchPlan(candidates, urgency: urgency, now: time.wall(), policy: policy)
  }

  /// Fetches these feeds, several at once, and tells of each as it comes.
  ///
  /// - throws: Only what closing the connections throws: a feed that fails is a report.
  func fetch(_ feeds: [FetchCandidate], report: (FetchReport) -> Void) async throws {
    var candidates: [String: FetchCandidate] = [:]
    var requests: [FetchRequest] = []
    for feed in feeds {
      do throws(FetchError) {
        switch try FetchTarget(feed.feed.subscription) {
        case .file(let path): report(read(feed, at: path))
        case .web(let address, _):
          candidates[feed.feed.key.text] = feed
          requests.append(
            FetchRequest(
              id: feed.feed.key.text, address: address, validators: feed.state.record.validators,
              credentials: settings.credentials(for: address)))
        }
      } catch {
        report(
          FetchReport(feed: feed.feed, title: feed.title, outcome: .failed(error.described)))
      }
    }
    guard !requests.isEmpty else { return }
    try await FeedFetcher.run(configuration, time: time) { fetcher in
      await fetcher.fetchAll(requests) { result in
        guard let feed = candidates[result.request.id] else { return }
        report(taken(result.outcome, of: feed))
      }
    }
  }

  private func read(_ feed: FetchCandidate, at path: String) -> FetchReport {
    Self.reporting(feed) {
      let channel = try FeedParser.parse(
        try InputFile.contents(of: path, kind: .regular),
        from: FeedOrigin(url: feed.feed.subscription.url), file: path)
      let update = try library.receive(
        FetchedChannel(feed: feed.feed.key, channel: channel, fetched: time.wall()))
      return (.fetched(update), nil)
    }
  }

  /// Merges what came, and keeps what the next fetch wants to know.
  private func taken(_ outcome: FetchOutcome, of feed: FetchCandidate) -> FetchReport {
    Self.reporting(feed) {
      switch outcome {
      case .fetched(let document): return try merged(document, of: feed)
      case .notModified(let answer):
        let move = try move(of: feed, to: answer.movedTo)
        let subscription = subscription(of: feed, after: move)
        if move?.isTaken == false { try library.move(feed.feed.key, to: subscription.url) }
        try keep(outcome, of: feed, subscription)
        return (.unchanged, move)
      case .postponed(let seconds):
        try keep(outcome, of: feed, feed.feed.subscription)
        return (.postponed(seconds: seconds), nil)
      case .failed(let error):
        // Whoever ends the command says nothing about the feed.
        if error.cause != .cancelled { try keep(outcome, of: feed, feed.feed.subscription) }
        return (.failed(error.described), nil)
      case .gone(let error):
        try keep(outcome, of: feed, feed.feed.subscription)
        return (.gone(error.described), nil)
      }
    }
  }

  private func merged(
    _ document: FetchedDocument, of feed: FetchCandidate
  ) throws -> (FetchReport.Outcome, FetchReport.Move?) {
    let channel: Channel
    do {
      channel = try FeedParser.parse(document.body, from: document.origin)
    } catch {
      // As with any other failure: the server may be having a bad day.
      let failure = FetchError(.noFeed, operation: .fetching, url: document.url)
      try keep(.failed(failure), of: feed, feed.feed.subscription)
      return (.failed(failure.described), nil)
    }
    let move = try move(of: feed, to: document.movedTo)
    let subscription = subscription(of: feed, after: move)
    let state = state(.fetched(document), of: feed, subscription)
    let update = try library.receive(
      FetchedChannel(
        feed: feed.feed.key, channel: channel, fetched: time.wall(),
        movedTo: move?.isTaken == false ? subscription.url : nil, fetchState: try state.data))
    return (.fetched(update), move)
  }

  /// Where the subscription is to follow its feed; the words for a web service stay as they are.
  private func move(
    of feed: FetchCandidate, to address: FeedAddress?
  ) throws -> FetchReport.Move? {
    let subscription = feed.feed.subscription
    guard let url = address?.url, url != subscription.url,
      case .web(_, isService: false)? = try? FetchTarget(subscription)
    else { return nil }
    let there = try library.feed(at: url)
    return FetchReport.Move(url: url, isTaken: there.map { $0.key != feed.feed.key } ?? false)
  }

  /// The subscription where it is now.
  private func subscription(
    of feed: FetchCandidate, after move: FetchReport.Move?
  ) -> Subscription {
    var subscription = feed.feed.subscription
    if let move, !move.isTaken { subscription.url = move.url }
    return subscription
  }

  private func state(
    _ outcome: FetchOutcome, of feed: FetchCandidate, _ subscription: Subscription
  ) -> FetchState {
    feed.state.after(
      outcome, of: subscription, now: time.wall(), policy: policy, jitter: .random(in: 0..<1))
  }

  private func keep(
    _ outcome: FetchOutcome, of feed: FetchCandidate, _ subscription: Subscription
  ) throws {
    let state = state(outcome, of: feed, subscription)
    var unchanged: FeedInstant?
    if case .notModified = outcome { unchanged = time.wall() }
    try library.setFetchState(try state.data, of: feed.feed.key, unchanged: unchanged)
  }

  /// A report of what `body` comes to, or of what it throws.
  private static func reporting(
    _ feed: FetchCandidate, _ body: () throws -> (FetchReport.Outcome, FetchReport.Move?)
  ) -> FetchReport {
    do {
      let (outcome, move) = try body()
      return FetchReport(feed: feed.feed, title: feed.title, outcome: outcome, move: move)
    } catch {
      let failure = Runner.described(error, operation: "fetch the feed")
      let named = LibraryError(
        failure.cause, operation: failure.operation,
        subject: failure.subject ?? feed.feed.subscription.url)
      return FetchReport(feed: feed.feed, title: feed.title, outcome: .failed(named))
    }
  }
}
