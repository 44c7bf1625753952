import ArgumentParser
import FeedFetching
import FeedLibrary
import FeedReading
import FeedSync
import Foundation

struct ImportCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Subscribe to all feeds of a list that another reader wrote.",
    discussion: """
      The list is OPML, as nearly all readers export it. Feeds that are there stay. Files are left \
      out with a warning, since a list may come from anybody. Names and passwords in addresses are \
      kept on this machine alone, unless their server has others here.
      """)

  @OptionGroup var options: LibraryOptions
  @Argument(help: "The file, or '-' for standard input.", completion: .file()) var file: String

  func run() throws {
    let list = try OPMLDocument(parsing: try InputFile.contents(of: file), file: file)
    let library = try options.open()
    var settings = try LocalSettings.load()
    var refusing: Set<String> = []
    for entry in list.entries {
      // What is no address is refused below.
      guard let address = try? FeedAddress(entry.feed.url), let secret = address.credentials
      else { continue }
      if try !settings.offer(secret, for: address), refusing.insert(address.host).inserted {
        Output.warning(LocalSettings.othersAreKept(for: address))
      }
    }
    let result = try library.subscribe(to: list)
    for address in result.refused {
      Output.warning(refusal(of: address))
    }
    switch options.format {
    case .text:
      Output.write(
        "subscribed to \(CountText.of(result.added.count, "feed"));"
          + " \(CountText.of(result.known, "was", "were")) there already")
    case .json:
      Output.write([
        "added": .array(result.added.map { FeedForm.json($0) }), "known": .number(result.known),
        "refused": .texts(result.refused),
      ])
    }
  }

  private func refusal(of address: String) -> LibraryError {
    let operation = "import subscriptions"
    guard address.lowercased().hasPrefix("file:") else {
      return LibraryError(.notAnAddress(address), operation: operation, subject: file)
    }
    let error = FeedSyncError(
      .usage, operation: operation, file: file,
      message: "'\(address)' is left out, since a list that is imported may name no files",
      hint: "subscribe to it with 'nerdfeed add'")
    return LibraryError(.store(error), operation: operation, subject: file)
  }
}

struct ExportCommand: LibraryCommand {
  /// What can be written.
  enum Kind: String, ExpressibleByArgument, CaseIterable { case opml }

  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the subscriptions for another reader, as OPML.",
    discussion: "With --format json they are printed as 'nerdfeed feeds' does.")

  @OptionGroup var options: LibraryOptions
  @Argument(help: "The format of the list.") var kind: Kind = .opml

  func run() throws {
    let library = try options.open()
    switch options.format {
    case .text: Output.raw(try library.subscriptionList(title: "nerdfeed subscriptions").bytes)
    case .json: for feed in try library.feeds() { Output.write(FeedForm.json(feed)) }
    }
  }
}
