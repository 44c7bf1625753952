import ArgumentParser
import FeedLibrary
import FeedSync

struct ShowCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print an item, and mark it as read.")

  @OptionGroup var options: LibraryOptions
  @Flag(help: "Leave it unread.") var keepUnread = false
  @Argument(help: "Its number in 'nerdfeed list', or its key.") var item: String

  func run() throws {
    let library = try options.open()
    let found = try library.item(named: item)
    let feed = try library.feeds().first { $0.key == found.reference.feed }
    let title = feed?.title ?? found.reference.feed.text
    switch options.format {
    case .text: Output.write(ItemForm.text(found, feedTitle: title))
    case .json: Output.write(ItemForm.json(found, feedTitle: title))
    }
    if !keepUnread { Marking.warn(try library.mark([found.reference], .read(true))) }
  }
}

struct OpenCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open an item's page in the browser, and mark it as read.",
    discussion: """
      The browser is $BROWSER, else what xdg-open knows. It may have arguments, with %s where the \
      address belongs: BROWSER='firefox --new-window %s'. Of several, set apart by colons, the \
      first that is there is taken.
      """)

  @OptionGroup var options: LibraryOptions
  @Argument(help: "Its number in 'nerdfeed list', or its key.") var item: String

  func run() throws {
    let library = try options.open()
    let found = try library.item(named: item)
    let link = found.content.link ?? ""
    guard link.isOnTheWeb else {
      throw Browser.failure(
        .notFound, "the item has no web page", hint: "see 'nerdfeed show \(item)'")
    }
    try Browser.open(link)
    Marking.warn(try library.mark([found.reference], .read(true)))
    if options.format == .json {
      Output.write(["item": .text(found.reference.description), "link": .text(link)])
    }
  }
}
