import ArgumentParser
import CanonicalJSON
import FeedSync
import Syncing

struct ImportCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import all that has arrived from other devices, and publish what waits here.",
    discussion: """
      Ends when all that is in the folder is imported, so it suits cron. A file that cannot be \
      imported is named with the reason, and looked at again once it has changed; the rest goes on.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Import what is there and exit (which is what import does; says so in scripts).")
  var once = false

  func run() async throws {
    let device = try global.open(needsFolder: true)
    let importer = Importer(device: device)
    var progress = Progress(label: "imported files:")
    importer.onProgress = { done, total in progress.set(done, of: total) }
    let report = try importer.importAll()
    progress.finish()
    switch global.format {
    case .text: printText(report)
    case .json: Output.line(json(report))
    }
    if let failure = report.publishingFailure { throw failure }
    guard report.setAside.isEmpty else { throw ExitStatus.setAside }
  }

  private func json(_ report: ImportReport) -> JSON {
    .object([
      "segments": .number(report.segments), "transactions": .number(report.transactions),
      "operations": .number(report.operations), "documents": .number(report.documents),
      "published": .number(report.published),
      "gaps": .array(report.gaps.map { .object(ReportJSON.gap($0)) }),
      "set_aside": .array(report.setAside.map { .object(ReportJSON.setAside($0)) }),
    ])
  }

  private func printText(_ report: ImportReport) {
    Output.line(
      "imported \(report.segments) segments: \(report.transactions) transactions,"
        + " \(report.operations) operations, \(report.documents) documents;"
        + " published \(report.published) transactions")
    for gap in report.gaps { Output.line(ReportText.gap(gap)) }
    for record in report.setAside { Output.line(ReportText.setAside(record)) }
  }
}
