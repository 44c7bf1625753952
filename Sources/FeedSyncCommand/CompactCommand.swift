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
      It says what this device has received, where it has said nothing else for six hours, so \
      that others may forget; then it joins 32 or more at a time, or fewer that have more than \
      128 KiB together; the rest stays until there are enough. A small file is removed once \
      another device has said that it has its content, or seven days after it was joined: so it \
      takes more than one run, and suits cron. The large files hold what the small ones held, \
      less what is dead: edits that were written over or deleted, seven days after that was \
      noted, once every device that was heard of lately has said that it has what took their \
      place, and if files become smaller by it. No document and no conflict changes by that, and \
      'history' says from when on it is whole; 'settings set forget no' keeps every edit that is \
      made here. It does not import; 'watch' and 'import' compact every hour by themselves. Each \
      device compacts its own files; 'settings' has the numbers.

      With --dry-run it says what the folder holds, what is dead of it and what keeps that, which \
      devices must be heard from, and what would be done, and does nothing. \
      SIGINT or SIGTERM ends it after the file at hand; the same command goes on with the rest.
      """)

  @OptionGroup var global: GlobalOptions
  @Flag(help: "Say what the folder holds and what would be done; do nothing.")
  var dryRun = false

  func run() throws {
    let device = try global.open(needsFolder: true)
    let settings = try global.directory().settings(of: device.record.container)
    if dryRun { return try survey(device, Compactor(device: device, limits: settings.limits)) }
    let interruption = Interruption()
    var upkeep = Upkeep(device: device, settings: settings)
    upkeep.budget = nil
    upkeep.isStopping = { interruption.isRequested }
    let report = try upkeep.run()
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
