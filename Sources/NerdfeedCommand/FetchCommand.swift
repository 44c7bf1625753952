import ArgumentParser
import FeedLibrary
import FeedReading
import FeedSync
import Foundation

struct FetchCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch", abstract: "Fetch the feeds, and merge what is new.",
    discussion: """
      This version reads feeds from file: addresses alone: http and https are not built in yet. \
      Ends with the status of the first feed that could not be fetched; the others are.
      """)

  @OptionGroup var options: LibraryOptions
  @Option(help: "Only a feed: \(FeedForm.nameHelp.abstract)") var feed: String?

  func run() throws {
    let library = try options.open()
    let feeds: [SubscribedFeed] =
      if let feed {
        [try library.feed(named: feed)]
      } else {
        try library.feeds().map { SubscribedFeed(key: $0.key, subscription: $0.subscription) }
      }
    var first: LibraryError?
    for feed in feeds {
      do {
        let update = try library.receive(try FileFetching.fetch(feed, at: .now))
        report(feed, update)
      } catch {
        let failure = Runner.described(error, operation: "fetch the feed")
        let named = LibraryError(
          failure.cause, operation: failure.operation,
          subject: failure.subject ?? feed.subscription.url)
        Output.error(named, format: options.format)
        first = first ?? named
      }
    }
    if let first { throw ExitCode(first.code.rawValue) }
  }

  private func report(_ feed: SubscribedFeed, _ update: ChannelUpdate) {
    switch options.format {
    case .text:
      let title =
        feed.subscription.title ?? update.after.channel?.title?.text ?? feed.subscription.url
      Output.write("\(update.new.count) new: \(TerminalText.line(title))")
    case .json:
      Output.write([
        "feed": .text(feed.key.text), "url": .text(feed.subscription.url),
        "new": .texts(update.new.map { ItemReference(feed.key, $0).description }),
        "edited": .number(update.edited.count), "items": .number(update.after.items.count),
      ])
    }
  }
}

/// Fetches feeds that are files.
enum FileFetching {
  static func fetch(_ feed: SubscribedFeed, at now: FeedInstant) throws -> FetchedChannel {
    let address = feed.subscription.url
    let operation = "fetch the feed"
    guard let url = URL(string: FeedParser.address(for: address)), url.isFileURL else {
      throw LibraryError(
        .cannotFetch(scheme: String(address.prefix { $0 != ":" })), operation: operation,
        subject: address)
    }
    let path = url.path(percentEncoded: false)
    let channel = try FeedParser.parse(
      try InputFile.contents(of: path), from: FeedOrigin(url: address), file: path)
    return FetchedChannel(feed: feed.key, channel: channel, fetched: now)
  }
}
