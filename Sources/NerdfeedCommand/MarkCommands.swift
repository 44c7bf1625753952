import ArgumentParser
import FeedLibrary
import FeedReading
import FeedSync

/// Which items a command marks.
struct ItemSelection: ParsableArguments {
  @Argument(help: "Their numbers in 'nerdfeed list', or their keys.") var items: [String] = []
  @Flag(help: "All items; with --feed all of that.") var all = false
  @Option(help: "Only those of a feed: \(FeedForm.names)") var feed: String?
  @Option(help: "Those that are older, \(Age.help).") var olderThan: Age?

  func validate() throws {
    let isByQuery = all || olderThan != nil
    guard items.isEmpty == isByQuery else {
      throw ValidationError(
        isByQuery
          ? "name items, or use --all or --older-than, not both"
          : "name items, or use --all, --all --feed FEED or --older-than 7d")
    }
    guard feed == nil || isByQuery else {
      throw ValidationError("--feed needs --all or --older-than")
    }
  }

  func mark(_ mark: ItemMark, in library: Library) throws -> MarkSummary {
    guard items.isEmpty else {
      return try library.mark(try items.map { try library.reference(named: $0) }, mark)
    }
    var query = ItemQuery()
    query.feeds = try feed.map { [try library.feed(named: $0).key] }
    query.before = olderThan.map { FeedInstant.now.before($0) }
    return try library.mark(query, mark)
  }
}

enum Marking {
  static func run(_ options: LibraryOptions, _ selection: ItemSelection, _ mark: ItemMark) throws {
    let summary = try selection.mark(mark, in: try options.open())
    switch options.format {
    case .text: Output.write("marked \(summary.changed) item\(summary.changed == 1 ? "" : "s")")
    case .json:
      Output.write([
        "changed": .number(summary.changed), "transaction": .text(summary.transaction?.description),
      ])
    }
    warn(summary)
  }

  /// Says that a mark is not in the folder yet; that the folder is away has been said.
  static func warn(_ summary: MarkSummary) {
    guard let failure = summary.publishingFailure, failure.code != .noContainer else { return }
    Output.warning(
      LibraryError(.store(failure), operation: failure.operation, subject: failure.file))
  }
}

struct ReadCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Mark items as read, on all machines.")
  @OptionGroup var options: LibraryOptions
  @OptionGroup var selection: ItemSelection

  func run() throws { try Marking.run(options, selection, .read(true)) }
}

struct UnreadCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "unread", abstract: "Mark items as unread, on all machines.")
  @OptionGroup var options: LibraryOptions
  @OptionGroup var selection: ItemSelection

  func run() throws { try Marking.run(options, selection, .read(false)) }
}

struct StarCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "star", abstract: "Give items a star, on all machines.")
  @OptionGroup var options: LibraryOptions
  @OptionGroup var selection: ItemSelection

  func run() throws { try Marking.run(options, selection, .starred(true)) }
}

struct UnstarCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "unstar", abstract: "Take the star from items, on all machines.")
  @OptionGroup var options: LibraryOptions
  @OptionGroup var selection: ItemSelection

  func run() throws { try Marking.run(options, selection, .starred(false)) }
}

struct TagCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Give items a tag, or take it from them, on all machines.",
    discussion: "Tags of a whole feed are changed with 'nerdfeed configure FEED --add-tag TAG'.")
  @OptionGroup var options: LibraryOptions
  @Flag(help: "Take the tag away.") var remove = false
  @Argument(help: "The tag.") var tag: String
  @OptionGroup var selection: ItemSelection

  func run() throws { try Marking.run(options, selection, .tagged(tag, !remove)) }
}
