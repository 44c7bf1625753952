import ArgumentParser
import FeedLibrary
import FeedSync

struct RemoveCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End a subscription.",
    discussion: "Its marks stay for a while: whoever subscribes again finds them.")

  @OptionGroup var options: LibraryOptions
  @Argument(help: "The feed: \(FeedForm.names)") var feed: String

  func run() throws {
    let library = try options.open()
    let found = try library.feed(named: feed)
    try library.unsubscribe(found.key)
    switch options.format {
    case .text: Output.write("removed \(TerminalText.line(found.subscription.url))")
    case .json: Output.write(["feed": FeedForm.json(found)])
    }
  }
}

struct ConfigureCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "configure", abstract: "Change what is synced of a subscription.",
    discussion: "An empty value takes a setting back: --title ''.")

  @OptionGroup var options: LibraryOptions
  @Argument(help: "The feed: \(FeedForm.names)") var feed: String
  @Option(help: "What to call it.") var title: String?
  @Option(help: "The folder it is in, such as News/Local.") var folder: String?
  @Option(help: "A tag to add; may be given several times.") var addTag: [String] = []
  @Option(help: "A tag to remove; may be given several times.") var removeTag: [String] = []
  @Option(help: "How long to wait between two fetches at least, \(Age.help).")
  var interval: Setting<Age>?
  @Option(help: "How many items to ask for, where the service lets one choose.")
  var items: Setting<Int>?
  @Option(help: "How long to keep items that the feed has no more, \(Age.help).")
  var keep: Setting<Age>?

  private static let minute: Int64 = 60
  private static let day: Int64 = 86_400

  func validate() throws {
    func isBelow(_ least: Int64, _ setting: Setting<Age>?) -> Bool {
      (setting?.value).map { $0.seconds < least } ?? false
    }
    guard (items?.value).map({ $0 > 0 }) ?? true else {
      throw ValidationError("--items is 1 or more")
    }
    if isBelow(Self.minute, interval) { throw ValidationError("--interval is 1m or more") }
    if isBelow(Self.day, keep) { throw ValidationError("--keep is 1d or more") }
  }

  func run() throws {
    for word in addTag { try Library.checkTag(word) }
    let library = try options.open()
    let found = try library.feed(named: feed)
    let now = try library.update(found.key) { subscription in
      if let title { subscription.title = title.isEmpty ? nil : title }
      if let folder {
        let path = folderPath(folder)
        subscription.folder = path.isEmpty ? nil : path
      }
      for tag in addTag { subscription.tags.insert(tag) }
      for tag in removeTag { subscription.tags.remove(tag) }
      if let interval {
        subscription.interval = interval.value.map { Int($0.seconds / Self.minute) }
      }
      if let items { subscription.itemCount = items.value }
      if let keep { subscription.retention = keep.value.map { Int($0.seconds / Self.day) } }
    }
    switch options.format {
    case .text: Output.write("changed \(TerminalText.line(now.subscription.url))")
    case .json: Output.write(["feed": FeedForm.json(now)])
    }
  }
}

struct FeedsCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds", abstract: "List the subscriptions.",
    discussion: """
      A line each: its key, how many of its items are unread and here, its title. What has ended, \
      and what could not be fetched the last time, is said behind.
      """)

  @OptionGroup var options: LibraryOptions
  @Option(help: "Only those with this tag.") var tag: String?

  func run() throws {
    let library = try options.open()
    let feeds = try library.feeds().filter { feed in
      tag.map { feed.subscription.tags.contains($0) } ?? true
    }
    for feed in feeds {
      let state = FetchState(try library.fetchState(of: feed.key), of: feed.subscription)
      switch options.format {
      case .text: Output.write(FeedForm.text(feed, state))
      case .json: Output.write(FeedForm.json(feed, state))
      }
    }
  }
}
