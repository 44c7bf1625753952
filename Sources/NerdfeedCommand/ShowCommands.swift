import ArgumentParser
import FeedLibrary
import FeedSync
import Foundation

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
    discussion: "The browser is $BROWSER, else what xdg-open knows.")

  @OptionGroup var options: LibraryOptions
  @Argument(help: "Its number in 'nerdfeed list', or its key.") var item: String

  func run() throws {
    let library = try options.open()
    let found = try library.item(named: item)
    let link = found.content.link ?? ""
    let scheme = link.prefix { $0 != ":" }.lowercased()
    // Nothing that is no page is handed to a program of the desktop's choice.
    guard scheme == "http" || scheme == "https" else {
      throw failure(.notFound, "the item has no web page", hint: "see 'nerdfeed show \(item)'")
    }
    try openBrowser(link)
    Marking.warn(try library.mark([found.reference], .read(true)))
    if options.format == .json {
      Output.write(["item": .text(found.reference.description), "link": .text(link)])
    }
  }

  private func openBrowser(_ link: String) throws {
    let browser = ProcessInfo.processInfo.environment["BROWSER"] ?? ""
    let name = browser.split(separator: ":").first.map { String($0) } ?? "xdg-open"
    let hint = "set BROWSER to the program that shows pages"
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name, link]
    do {
      try process.run()
    } catch {
      throw failure(.configuration, "\(name) cannot be started: \(error)", hint: hint)
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw failure(
        .configuration, "\(name) ended with \(process.terminationStatus)", hint: hint)
    }
  }

  private func failure(
    _ code: FeedSyncError.Code, _ message: String, hint: String
  ) -> LibraryError {
    let operation = "open the page"
    return LibraryError(
      .store(FeedSyncError(code, operation: operation, message: message, hint: hint)),
      operation: operation)
  }
}
