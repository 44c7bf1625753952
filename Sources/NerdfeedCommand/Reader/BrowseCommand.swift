import ArgumentParser
import FeedLibrary
import FeedSync
import Foundation

struct BrowseCommand: AsyncLibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse", abstract: "Read in full screen; the same as 'nerdfeed' alone.",
    discussion: """
      Keys are as in newsboat and vim; '?' shows them. New items appear as they come, and so do \
      marks that are made on other machines.
      """)

  @OptionGroup var options: LibraryOptions
  @Flag(help: "Begin with unread items alone; 'u' shows all.") var unread = false
  @Flag(help: "Only those with a star.") var starred = false
  @Option(help: "Only those of a feed: \(FeedForm.names)") var feed: String?
  @Option(help: "Only those with a tag, or of feeds with it.") var tag: String?

  func run() async throws {
    guard Terminal.isThere else {
      throw ValidationError(
        "the full-screen reader needs a terminal; 'nerdfeed list' prints items, and"
          + " 'nerdfeed --help' says what else there is")
    }
    let library = try options.open()
    var filter = ItemQuery()
    if unread { filter.isRead = false }
    if starred { filter.isStarred = true }
    filter.feeds = try feed.map { [try library.feed(named: $0).key] }
    filter.tag = tag
    let fetching = FeedRun(
      library: try options.another(library), settings: try LocalSettings.load())
    let input = try ReaderInput()
    let worker = ReaderWorker(library: library, fetching: fetching) { input.post($0) }
    let following = Task { await worker.follow() }
    let ending = await Self.run(input: input, worker: worker, filter: filter)
    following.cancel()
    for failure in ending.failures { Output.error(failure, format: options.format) }
    if let signal = ending.signal { throw ExitCode(128 + signal) }
    if let failure = ending.failures.first { throw ExitCode(failure.code.rawValue) }
  }

  /// Runs the loop on a thread of its own: those that tasks run on must not be kept waiting.
  private static func run(
    input: ReaderInput, worker: ReaderWorker, filter: ItemQuery
  ) async -> ReaderLoop.Ending {
    await withCheckedContinuation { continuation in
      let thread = Thread {
        let loop = ReaderLoop(input: input, worker: worker, filter: filter)
        continuation.resume(returning: loop.run())
      }
      thread.name = "nerdfeed.reader"
      thread.start()
    }
  }
}
