import ArgumentParser
import CanonicalJSON
import DocumentStorage
import FeedSync
import Syncing

struct ImportCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import all that has arrived from other devices, and publish what waits here.",
    discussion: """
      Ends when all that is in the folder is imported, so it suits cron. A file that cannot be \
      imported is named with the reason, and looked at again once it has changed; the rest goes on.

      SIGINT or SIGTERM ends it after the part at hand, and it says what it did; the same command \
      goes on with the rest. A second signal ends it at once.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Import what is there and exit (which is what import does; says so in scripts).")
  var once = false

  func run() throws {
    let device = try global.open(needsFolder: true)
    let interruption = Interruption()
    let report = try importAll(device, interruption: interruption)
    if report.isStopped {
      interruption.end(
        InterruptionText(
          operation: "import",
          message: "interrupted: \(ReportText.done(report)); nothing is imported by half",
          hint: "the same command goes on with the rest"),
        format: global.format)
    }
    switch global.format {
    case .text: printText(report)
    case .json: Output.line(json(report))
    }
    // A device of which nothing arrives any more is missed by nobody else.
    for stream in report.obstructed { Output.warning(FeedSyncError(obstructed: stream)) }
    warnOfOlderDatabases(of: device)
    // Also where something could not be published: others wait to hear what has arrived here.
    lookAfter(device, interruption: interruption)
    if let failure = report.publishingFailure { throw failure }
    guard report.setAside.isEmpty else {
      warn(of: report.setAside)
      throw ExitStatus.setAside
    }
  }

  /// Says on standard error, too, that something was set aside: that is what cron mails.
  ///
  /// What is incomplete is mostly on its way.
  private func warn(of setAside: [FileRecord]) {
    let count = setAside.count { $0.reason != .incomplete }
    guard count > 0 else { return }
    let incomplete = setAside.count - count
    let found = FeedSyncError(
      .badInput, operation: "import",
      message: (count == 1 ? "a file is set aside" : "\(count) files are set aside")
        + (incomplete > 0
          ? ", besides \(CountText.of(incomplete, "incomplete one", "incomplete ones"))" : ""),
      hint: "'feedsync status' says which, and why")
    switch global.format {
    case .text: Output.warning(found)
    // A program that reads why the command ended with 65 reads one object.
    case .json: Output.error(found, format: .json)
    }
  }

  /// Says that a recovery is to be gone on with, which an import does not do: what the folder has
  /// not got yet seems to be gone meanwhile.
  private func warnOfOlderDatabases(of device: Device) {
    do {
      for older in try global.directory().olderDatabases(of: device.record.container)
      where older.mayHoldMore {
        Output.warning(FeedSyncError(older: older))
      }
    } catch {
      Output.warning(FeedSyncError(error, operation: "look at older databases"))
    }
  }

  /// Compacts, if that is due: what was imported is told by now, whatever comes of this.
  private func lookAfter(_ device: Device, interruption: Interruption) {
    do {
      let settings = try global.directory().settings(of: device.record.container)
      var upkeep = Upkeep(device: device, settings: settings)
      upkeep.isStopping = { interruption.isRequested }
      try upkeep.runIfDue()
    } catch {
      Output.warning(FeedSyncError(error, operation: "compact"))
    }
  }

  private func importAll(_ device: Device, interruption: Interruption) throws -> ImportReport {
    let importer = Importer(device: device)
    var progress = Progress()
    defer { progress.clear() }
    importer.onProgress = { progress.show(ProgressText.import($0)) }
    importer.isStopping = { interruption.isRequested }
    return try importer.importAll()
  }

  private func json(_ report: ImportReport) -> JSON {
    var object: JSONObject = [
      "segments": .number(report.segments), "transactions": .number(report.transactions),
      "operations": .number(report.operations), "documents": .number(report.documents),
      "published": .number(report.published),
      "gaps": .array(report.gaps.map { .object(ReportJSON.gap($0)) }),
      "set_aside": .array(report.setAside.map { .object(ReportJSON.setAside($0)) }),
    ]
    // Scripts know the others; these say that something was wrong with the folder, or that this
    // device was away for longer than the others waited.
    if report.putBack > 0 { object["put_back"] = .number(report.putBack) }
    if report.revived > 0 { object["revived"] = .number(report.revived) }
    if report.removalsGivenUp > 0 {
      object["removals_given_up"] = .number(report.removalsGivenUp)
    }
    return .object(object)
  }

  private func printText(_ report: ImportReport) {
    Output.line(ReportText.done(report))
    for gap in report.gaps { Output.line(ReportText.gap(gap)) }
    for record in report.setAside { Output.line(ReportText.setAside(record)) }
  }
}
