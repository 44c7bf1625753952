import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync

/// Fetches feeds, and hands them to the library.
///
///     let run = FeedRun(library: library, settings: try LocalSettings.load())
///     guard let (plan, turn) = try run.begin(urgency: .due) else { return }
///     try await run.fetch(plan.due) { report in
///       turn?.goOn()
///       print(report.title)
///     }
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

  /// What is to be fetched now, and the turn to fetch all feeds, which ends with the value.
  ///
  /// - parameter only: One of them, for which nobody waits for a turn.
  /// - returns: nil if another process is at it, unless a user insists.
  func begin(
    only: FeedKey? = nil, urgency: FetchUrgency
  ) throws -> (plan: FetchPlan, turn: FetchTurn?)? {
    let turn = only == nil ? library.fetchTurn() : nil
    guard turn != nil || only != nil || urgency == .forced else { return nil }
    // Read now: who had the turn before may have fetched what was due.
    return (plan(try candidates(only: only), urgency: urgency), turn)
  }

  /// What is said where another process fetches.
  static let isBusy = "another nerdfeed is fetching the feeds that are due"

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
          requests.append(request(feed, at: address))
        }
      } catch {
        report(
          FetchReport(feed: feed.feed, title: feed.title, outcome: .failed(error.described)))
      }
    }
    guard !requests.isEmpty else { return }
    try await fetch(requests, of: candidates, report: report)
  }

  /// Fetches from the web, and then once more what is not there any more where it has moved to.
  private func fetch(
    _ requests: [FetchRequest], of candidates: [String: FetchCandidate],
    report: (FetchReport) -> Void
  ) async throws {
    try await FeedFetcher.run(configuration, time: time) { fetcher in
      var lost: [String: LostFeed] = [:]
      await fetcher.fetchAll(requests) { result in
        guard let feed = candidates[result.request.id] else { return }
        let answer = FetchAnswer(result.outcome)
        do {
          lost[result.request.id] = try lostFeed(feed, after: answer)
          if lost[result.request.id] == nil { report(taken(answer, of: feed)) }
        } catch {
          report(Self.failed(feed, error))
        }
      }
      let homes = lost.values.map { request($0.home, at: $0.address) }.sorted { $0.id < $1.id }
      await fetcher.fetchAll(homes) { result in
        guard let feed = lost[result.request.id] else { return }
        report(takenAtHome(FetchAnswer(result.outcome), of: feed))
      }
    }
  }

  private func request(_ feed: FetchCandidate, at address: FeedAddress) -> FetchRequest {
    FetchRequest(
      id: feed.feed.key.text, address: address, validators: feed.state.record.validators,
      credentials: settings.credentials(for: address))
  }

  private func read(_ feed: FetchCandidate, at path: String) -> FetchReport {
    Self.reporting(feed) {
      let channel = try FeedFile.channel(
        of: feed.feed.subscription, at: path, within: configuration.limits.answerSeconds)
      let update = try library.receive(
        FetchedChannel(feed: feed.feed.key, channel: channel, fetched: time.wall()))
      return (.fetched(update), nil)
    }
  }

  /// A feed that is to be looked for where it was before it moved; nil for any other.
  private func lostFeed(
    _ feed: FetchCandidate, after answer: FetchAnswer
  ) throws -> LostFeed? {
    guard answer.isForGood, let place = try library.place(of: feed.feed.key),
      let lost = LostFeed(feed, after: answer, place: place)
    else { return nil }
    // Another subscription may be there by now.
    let there = try library.feed(at: place.home)
    return there.map { $0.key == feed.feed.key } ?? true ? lost : nil
  }

  private func takenAtHome(_ answer: FetchAnswer, of lost: LostFeed) -> FetchReport {
    switch answer.outcome {
    case .fetched, .notModified: taken(answer, of: lost.home, isBack: true)
    case .gone, .failed, .postponed: taken(lost.answer(besides: answer), of: lost.feed)
    }
  }

  /// Merges what came, and keeps what the next fetch wants to know.
  ///
  /// - parameter isBack: Whether the feed was found where it was before it moved.
  private func taken(
    _ answer: FetchAnswer, of feed: FetchCandidate, isBack: Bool = false
  ) -> FetchReport {
    let outcome = answer.outcome
    return Self.reporting(feed) {
      switch outcome {
      case .fetched(let document):
        // What came of an address is read before it gets here.
        guard let channel = answer.channel else {
          let error = FetchError(.noFeed, operation: .fetching, url: document.url)
          return (.failed(error.described), nil)
        }
        return try merged(document, channel, of: feed, isBack: isBack)
      case .notModified(let answer):
        let move = try move(of: feed, to: answer.movedTo, isBack: isBack)
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
    _ document: FetchedDocument, _ channel: Channel, of feed: FetchCandidate, isBack: Bool
  ) throws -> (FetchReport.Outcome, FetchReport.Move?) {
    let move = try move(of: feed, to: document.movedTo, isBack: isBack)
    let subscription = subscription(of: feed, after: move)
    let state = state(.fetched(document), of: feed, subscription)
    let update = try library.receive(
      FetchedChannel(
        feed: feed.feed.key, channel: channel, fetched: time.wall(),
        movedTo: move?.isTaken == false ? subscription.url : nil, fetchState: try state.data))
    return (.fetched(update), move)
  }

  /// Where the subscription is to follow its feed; the words for a web service stay as they are.
  ///
  /// Not one that is elsewhere each time: it stays where it is, and is looked for from there.
  private func move(
    of feed: FetchCandidate, to address: FeedAddress?, isBack: Bool
  ) throws -> FetchReport.Move? {
    let subscription = feed.feed.subscription
    let back = isBack ? FetchReport.Move(url: subscription.url, isTaken: false) : nil
    guard let url = address?.url, url != subscription.url,
      case .web(_, isService: false)? = try? FetchTarget(subscription),
      try library.place(of: feed.feed.key)?.isRestless != true
    else { return back }
    let there = try library.feed(at: url)
    let move = FetchReport.Move(
      url: url, isTaken: there.map { $0.key != feed.feed.key } ?? false)
    return move.isTaken ? back ?? move : move
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
      return failed(feed, error)
    }
  }

  private static func failed(_ feed: FetchCandidate, _ error: any Error) -> FetchReport {
    let failure = Runner.described(error, operation: "fetch the feed")
    let named = LibraryError(
      failure.cause, operation: failure.operation,
      subject: failure.subject ?? feed.feed.subscription.url)
    return FetchReport(feed: feed.feed, title: feed.title, outcome: .failed(named))
  }
}
