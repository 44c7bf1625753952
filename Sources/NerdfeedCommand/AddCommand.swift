import ArgumentParser
import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync

/// Folders as users write them.
func folderPath(_ path: String) -> [String] {
  path.split(separator: "/").map { String($0) }
}

struct AddCommand: AsyncLibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Subscribe to a feed, or to the one that a web page announces.",
    discussion: """
      URL is the feed's address, or a page's, or the words of a web service, such as \
      'itunes:topsongs?limit=20'; or that of a file on this machine, as file:///home/ann/feed.xml. \
      What is found is fetched once, and is there to read. A feed that \
      is subscribed to already, be it with http: in place of https:, stays as it is. One that is \
      gone for good (410) is refused.

      A name and a password in the address, as in https://ann:secret@example.org/feed, are kept on \
      this machine alone, in credentials.json of ~/.config/nerdfeed, for all feeds of that server.
      """)

  @OptionGroup var options: LibraryOptions
  @Argument(help: "The address of a feed or a page.") var url: String
  @Option(help: "What to call it (default: what it calls itself).") var title: String?
  @Option(help: "The folder to put it in, such as News/Local.") var folder: String?
  @Option(help: "A tag; may be given several times.") var tag: [String] = []
  @Option(help: "How many items to ask for, where the service lets one choose.") var items: Int?
  @Flag(help: "Fetch nothing now: URL is the feed's own address.") var noFetch = false

  func validate() throws {
    guard items.map({ $0 > 0 }) ?? true else { throw ValidationError("--items is 1 or more") }
  }

  func run() async throws {
    for word in tag { try Library.checkTag(word) }
    let library = try options.open()
    var subscription = Subscription(
      url: url, title: title, folder: folder.map { folderPath($0) }, tags: ReplicatedSet(tag))
    subscription.itemCount = items
    let run = FeedRun(library: library, settings: try LocalSettings.load())
    let added = try await FeedAdding(run: run, isFetching: !noFetch).add(subscription)
    report(added)
    if let warning = added.warning { Output.warning(warning) }
  }

  private func report(_ added: FeedAdding.Result) {
    let address = TerminalText.line(added.feed.subscription.url)
    switch options.format {
    case .text:
      let word = added.isNew ? "subscribed to" : "is there already:"
      let count = added.update.map { ": \(CountText.of($0.new.count, "item"))" } ?? ""
      Output.write("\(word) \(address) (\(added.feed.key))\(count)")
      for other in added.others {
        Output.warn("the page has also: \(TerminalText.line(other.address.url))")
      }
      for error in added.absent {
        Output.warn("what the page has before it is none: \(TerminalText.line(error.url))")
      }
    case .json:
      Output.write([
        "feed": FeedForm.json(added.feed), "new": .bool(added.isNew),
        "items": added.update.map { .number($0.new.count) } ?? .null,
        "others": .texts(added.others.map(\.address.url)),
        "absent": .texts(added.absent.map(\.url)), "stopped": .bool(added.hasEnded),
      ])
    }
  }
}

/// Subscribes to a feed by looking at it once.
struct FeedAdding {
  struct Result {
    let feed: SubscribedFeed
    let isNew: Bool
    /// What came; nil if nothing was fetched.
    var update: ChannelUpdate?
    /// The other feeds that the page announces.
    var others: [FeedCandidate] = []
    /// Why those are none that the page announces before it.
    var absent: [FetchError] = []
    /// Whether it has ended, as its server said when it was fetched last.
    var hasEnded = false
    /// Why what came is not there to read yet; the next fetch brings it.
    var failure: LibraryError?

    /// What whoever added it would wait for in vain.
    var warning: LibraryError? {
      guard hasEnded else { return failure }
      let operation = "subscribe"
      let error = FeedSyncError(
        .noContainer, operation: operation, file: feed.subscription.url,
        message: "it is not fetched any more: its server has said that it is gone for good",
        hint: "look once more with 'nerdfeed fetch --force --feed \(feed.key)', or end the"
          + " subscription with 'nerdfeed remove \(feed.key)'")
      return LibraryError(.store(error), operation: operation, subject: feed.subscription.url)
    }
  }

  let run: FeedRun
  let isFetching: Bool

  /// - throws: ``LibraryError`` or `FetchError`; then nothing is subscribed to.
  func add(_ subscription: Subscription) async throws -> Result {
    let target = try FetchTarget(subscription)
    if let known = try run.library.feed(at: subscription.url) {
      // It may be added once more for the sake of its password.
      if case .web(let address, _) = target { try keepSecrets(of: address) }
      let state = FetchState(try run.library.fetchState(of: known.key), of: known.subscription)
      return Result(feed: known, isNew: false, hasEnded: state.record.isStopped)
    }
    switch target {
    case .file(let path): return try addFile(subscription, at: path)
    case .web(let address, let isService):
      guard isFetching else {
        var subscription = subscription
        if !isService { subscription.url = address.url }
        try keepSecrets(of: address)
        let (feed, isNew) = try run.library.subscribe(to: subscription)
        return Result(feed: feed, isNew: isNew)
      }
      return try await addWeb(subscription, at: address, isService: isService)
    }
  }

  private func addFile(_ subscription: Subscription, at path: String) throws -> Result {
    let seconds = run.configuration.limits.answerSeconds
    let channel =
      try isFetching ? FeedFile.channel(of: subscription, at: path, within: seconds) : nil
    let (feed, isNew) = try run.library.subscribe(to: subscription)
    var added = Result(feed: feed, isNew: isNew)
    if let channel {
      try receive(
        FetchedChannel(feed: feed.key, channel: channel, fetched: run.time.wall()), &added)
    }
    return added
  }

  private func addWeb(
    _ subscription: Subscription, at address: FeedAddress, isService: Bool
  ) async throws -> Result {
    let secret = address.credentials ?? run.settings.credentials(for: address)
    let found = try await FeedFetcher.run(run.configuration, time: run.time) { fetcher in
      try await fetcher.findFeed(at: address, credentials: secret)
    }
    var subscription = subscription
    if !isService { subscription.url = found.address.url }
    try keepSecrets(of: address)
    let (feed, isNew) = try run.library.subscribe(
      to: subscription, home: isService ? nil : found.asked.url)
    // The page may have led to one that is there already: it has come all the same.
    let candidate = FetchCandidate(
      feed: feed, title: "",
      state: FetchState(try run.library.fetchState(of: feed.key), of: feed.subscription))
    let state = candidate.state.after(
      .fetched(found.document), of: feed.subscription, now: run.time.wall(), policy: run.policy,
      jitter: 0)
    var added = Result(
      feed: feed, isNew: isNew, others: Array(found.candidates.dropFirst()), absent: found.absent)
    try receive(
      FetchedChannel(
        feed: feed.key, channel: found.channel, fetched: run.time.wall(),
        fetchState: try state.data), &added)
    return added
  }

  /// Merges what came; that another process has the cache for long undoes no subscription.
  private func receive(_ fetched: FetchedChannel, _ added: inout Result) throws {
    do {
      added.update = try run.library.receive(fetched)
    } catch let error as LibraryError where error.cause == .busyCache {
      added.failure = error
    }
  }

  private func keepSecrets(of address: FeedAddress) throws {
    guard let secret = address.credentials else { return }
    var settings = run.settings
    try settings.keep(secret, for: address)
  }
}
