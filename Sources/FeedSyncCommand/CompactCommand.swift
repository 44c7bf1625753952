import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import Replication
import Syncing

struct CompactCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Join this device's small files in the folder into few large ones.",
    discussion: """
      It joins 32 or more at a time, or fewer that have more than 1 MiB together; the rest stays \
      until there are enough. A small file is removed once another device has said that it has its \
      content, or seven days after it was joined: so it takes more than one run, and suits cron. \
      Nothing is dropped: the large files hold what the small ones held. It does not import; \
      'import' compacts every hour by itself. Each device compacts its own files; 'settings' has the numbers.

      With --dry-run it says what the folder holds and what would be done, and does nothing. \
      SIGINT or SIGTERM ends it after the file at hand; the same command goes on with the rest.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Say what the folder holds and what would be done; do nothing.")
  var dryRun = false

  func run() async throws {
    let device = try global.open(needsFolder: true)
    let settings = try global.directory().settings(of: device.record.container)
    var compactor = Compactor(device: device, limits: settings.limits)
    if dryRun { return try survey(device, compactor) }
    let interruption = Interruption()
    compactor.isStopping = { interruption.isRequested }
    let report = try compactor.run()
    if report.isStopped {
      interruption.end(
        InterruptionText(
          operation: "compact", message: "interrupted: \(CompactionText.done(report))",
          hint: "the same command goes on with the rest"),
        format: global.format)
    }
    switch global.format {
    case .text: Output.line(CompactionText.done(report))
    case .json: Output.line(CompactionText.json(report))
    }
  }

  private func survey(_ device: Device, _ compactor: Compactor) throws {
    let survey = try compactor.survey()
    let names = try Dictionary(
      uniqueKeysWithValues: device.database.streamSummaries().map { ($0.stream, $0.name) })
    switch global.format {
    case .text:
      for line in CompactionText.lines(survey, names: names) { Output.line(line) }
    case .json: Output.line(CompactionText.json(survey, names: names))
    }
  }
}

/// What a compaction did, or would do.
enum CompactionText {
  static func done(_ report: CompactionReport) -> String {
    var text =
      "joined \(report.joined) files into \(report.written);"
      + " removed \(report.removed.count) that larger ones took the place of"
    if report.dropped > 0 { text += "; dropped \(report.dropped) edits that are dead" }
    if report.waiting > 0 { text += "; \(report.waiting) stay for now" }
    return text
  }

  static func json(_ report: CompactionReport) -> JSON {
    .object([
      "joined": .number(report.joined), "written": .number(report.written),
      "transactions": .number(report.writtenTransactions), "bytes": .number(report.writtenBytes),
      "removed": .number(report.removed.count), "waiting": .number(report.waiting),
      "dropped": .number(report.dropped),
    ])
  }

  static func lines(_ survey: CompactionSurvey, names: [StreamID: String?]) -> [String] {
    var lines = ["the folder holds \(text(survey.all))"]
    lines += survey.streams.map { found in
      "from \(ReportText.device(found.stream, name: names[found.stream] ?? nil)):"
        + " \(text(found.files))"
    }
    if survey.joined > 0 {
      lines.append("\(survey.joined) files of this device would become \(survey.written)")
    }
    if survey.removable.count > 0 {
      lines.append("\(text(survey.removable)) would go: larger files have their content")
    }
    if survey.waiting.count > 0 {
      let until = survey.waitsUntil.map { ", or until \(ReportJSON.time($0))" }
      lines.append(
        "\(text(survey.waiting)) would stay until another device says that it has their content"
          + (until ?? "; what is to take their place is not whole in the folder"))
    }
    return lines
  }

  private static func text(_ files: CompactionSurvey.Files) -> String {
    "\(files.count) files with \(files.bytes) bytes"
  }

  static func json(_ survey: CompactionSurvey, names: [StreamID: String?]) -> JSON {
    .object([
      "files": .number(survey.all.count), "bytes": .number(survey.all.bytes),
      "devices": .array(
        survey.streams.map { found in
          .object([
            "device": ReportJSON.device(found.stream, name: names[found.stream] ?? nil),
            "files": .number(found.files.count), "bytes": .number(found.files.bytes),
          ])
        }),
      "join": .object(["files": .number(survey.joined), "into": .number(survey.written)]),
      "remove": json(survey.removable),
      "wait": .object([
        "files": .number(survey.waiting.count), "bytes": .number(survey.waiting.bytes),
        "until": survey.waitsUntil.map { .text(ReportJSON.time($0)) } ?? .null,
      ]),
    ])
  }

  private static func json(_ files: CompactionSurvey.Files) -> JSON {
    .object(["files": .number(files.count), "bytes": .number(files.bytes)])
  }
}
