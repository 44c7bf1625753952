import ArgumentParser
import FeedLibrary
import FeedSync

/// Folders as users write them.
private func folder(_ path: String) -> [String] {
  path.split(separator: "/").map { String($0) }
}

struct AddCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Subscribe to a feed.",
    discussion: """
      Nothing is fetched yet: 'nerdfeed fetch' does that. A feed that is subscribed to already, be \
      it with http: in place of https:, stays as it is.
      """)

  @OptionGroup var options: LibraryOptions
  @Argument(help: "Its address.") var url: String
  @Option(help: "What to call it (default: what it calls itself).") var title: String?
  @Option(help: "The folder to put it in, such as News/Local.") var folder: String?
  @Option(help: "A tag; may be given several times.") var tag: [String] = []

  func run() throws {
    let library = try options.open()
    let path = folder.map { NerdfeedCommand.folder($0) }
    let (feed, isNew) = try library.subscribe(
      to: Subscription(url: url, title: title, folder: path, tags: ReplicatedSet(tag)))
    switch options.format {
    case .text:
      let word = isNew ? "subscribed to" : "is there already:"
      Output.write("\(word) \(TerminalText.line(feed.subscription.url)) (\(feed.key))")
    case .json:
      Output.write(["feed": FeedForm.json(feed), "new": .bool(isNew)])
    }
  }
}

struct RemoveCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "End a subscription.",
    discussion: "Its marks stay for a while: whoever subscribes again finds them.")

  @OptionGroup var options: LibraryOptions
  @Argument(help: FeedForm.nameHelp) var feed: String

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
  @Argument(help: FeedForm.nameHelp) var feed: String
  @Option(help: "What to call it.") var title: String?
  @Option(help: "The folder it is in, such as News/Local.") var folder: String?
  @Option(help: "A tag to add; may be given several times.") var addTag: [String] = []
  @Option(help: "A tag to remove; may be given several times.") var removeTag: [String] = []
  @Option(help: "How long to wait between two fetches at least, \(Age.help).") var interval: Age?
  @Option(help: "How many items to ask for, where the service lets one choose.") var items: Int?
  @Option(help: "How long to keep items that the feed has no more, \(Age.help).") var keep: Age?

  func validate() throws {
    guard items.map({ $0 > 0 }) ?? true else { throw ValidationError("--items is 1 or more") }
  }

  func run() throws {
    let library = try options.open()
    let found = try library.feed(named: feed)
    try library.update(found.key) { subscription in
      if let title { subscription.title = title.isEmpty ? nil : title }
      if let folder {
        let path = NerdfeedCommand.folder(folder)
        subscription.folder = path.isEmpty ? nil : path
      }
      for tag in addTag { subscription.tags.insert(tag) }
      for tag in removeTag { subscription.tags.remove(tag) }
      if let interval { subscription.interval = Int(interval.seconds / 60) }
      if let items { subscription.itemCount = items }
      if let keep { subscription.retention = Int(keep.seconds / 86_400) }
    }
    let now = try library.feed(named: found.key.text)
    switch options.format {
    case .text: Output.write("changed \(TerminalText.line(now.subscription.url))")
    case .json: Output.write(["feed": FeedForm.json(now)])
    }
  }
}

struct FeedsCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds", abstract: "List the subscriptions.",
    discussion: "A line each: its key, how many of its items are unread and here, its title.")

  @OptionGroup var options: LibraryOptions
  @Option(help: "Only those with this tag.") var tag: String?

  func run() throws {
    let feeds = try options.open().feeds().filter { feed in
      tag.map { feed.subscription.tags.contains($0) } ?? true
    }
    for feed in feeds {
      switch options.format {
      case .text: Output.write(FeedForm.text(feed))
      case .json: Output.write(FeedForm.json(feed))
      }
    }
  }
}
