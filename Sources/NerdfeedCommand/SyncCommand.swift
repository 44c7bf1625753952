import ArgumentParser
import FeedLibrary
import FeedSync

struct SyncCommand: LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Import what other machines did, and publish what waits here.",
    discussion: """
      As 'feedsync import --once' does for this container; where 'feedsync watch' runs, it is not \
      needed. It also retires old marks and, once an hour, joins this device's small files in the \
      folder, for a second at most. Ends with 65 if files in the folder cannot be imported.
      """)

  @OptionGroup var options: LibraryOptions

  func run() throws {
    let library = try options.open()
    let summary = try library.synchronize()
    switch options.format {
    case .text: printText(summary)
    case .json: Output.write(json(summary))
    }
    if let failure = summary.publishingFailure { throw failure }
    try lookAfter(library.store)
    guard summary.setAside.isEmpty else { throw ExitStatus.badInput }
  }

  /// What was imported is told by now, whatever comes of this.
  private func lookAfter(_ store: DocumentStore) throws {
    do {
      try store.compactIfDue(for: .seconds(1))
    } catch let error as FeedSyncError {
      Output.warning(LibraryError(.store(error), operation: error.operation, subject: error.file))
    }
  }

  private func printText(_ summary: ImportSummary) {
    Output.write(
      "\(CountText.of(summary.documents, "document")) changed by"
        + " \(CountText.of(summary.transactions, "transaction"));"
        + " published \(summary.published)")
    for gap in summary.gaps {
      let device = TerminalText.line(gap.device.name ?? gap.device.id)
      Output.write(
        "missing from \(device): \(gap.transactions.lowerBound)-\(gap.transactions.upperBound)")
    }
    for file in summary.setAside {
      Output.write("set aside: \(TerminalText.line(file.path)): \(file.reason)")
    }
  }

  private func json(_ summary: ImportSummary) -> JSON {
    [
      "segments": .number(summary.segments), "transactions": .number(summary.transactions),
      "operations": .number(summary.operations), "documents": .number(summary.documents),
      "published": .number(summary.published),
      "gaps": .array(
        summary.gaps.map {
          [
            "device": ["id": .text($0.device.id), "name": .text($0.device.name)],
            "first": .number($0.transactions.lowerBound),
            "last": .number($0.transactions.upperBound),
          ]
        }),
      "set_aside": .array(
        summary.setAside.map {
          ["file": .text($0.path), "reason": .text($0.reason), "detail": .text($0.detail)]
        }),
    ]
  }
}
