import ArgumentParser
import FeedLibrary
import FeedSync

struct ListCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List items, the latest first.",
    discussion: """
      A line each: the number that 'show' and the others take, N if it is new and * if it has a \
      star, the day, the feed, the title. The numbers are this machine's own; with --format json \
      there is also the key, which is the same on all.
      """)

  @OptionGroup var options: LibraryOptions
  @Flag(help: "Only those that have not been read.") var unread = false
  @Flag(help: "Only those with a star.") var starred = false
  @Option(help: "Only those of a feed: \(FeedForm.names)") var feed: String?
  @Option(help: "Only those with a tag, or of feeds with it.") var tag: String?
  @Option(help: "Only those that have these words.") var search: String?
  @Option(help: "How many at most.") var limit = 50
  @Flag(help: "All that there are.") var all = false

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit is 1 or more; --all has no limit") }
  }

  func run() throws {
    let library = try options.open()
    var query = ItemQuery()
    if unread { query.isRead = false }
    if starred { query.isStarred = true }
    query.feeds = try feed.map { [try library.feed(named: $0).key] }
    (query.tag, query.words, query.limit) = (tag, search, all ? nil : limit)
    for item in try library.items(query) {
      switch options.format {
      case .text: Output.write(ItemForm.text(item))
      case .json: Output.write(ItemForm.json(item))
      }
    }
  }
}
