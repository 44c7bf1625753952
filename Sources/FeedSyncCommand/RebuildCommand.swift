import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import Syncing

struct RebuildCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Make this device's database anew from the folder, and keep the old one aside.",
    discussion: """
      For a database that is damaged or not to be trusted. What the old one can still give is \
      published first; then all that is in the folder is imported. To the others this is a new \
      device; everything that was written stays.
      """)

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let recovery = try global.directory().rebuild(
      container: global.containerPath(), fallbackName: ProcessInfo.processInfo.hostName,
      process: "\(ProcessInfo.processInfo.processIdentifier)")
    let report = try Importer(device: recovery.device).importAll()
    RecoveryText(recovery, report).print(format: global.format)
    if let failure = report.publishingFailure { throw failure }
    guard report.setAside.isEmpty else { throw ExitStatus.setAside }
  }
}

/// What `rebuild` and `init --adopt` say of the database that they took over from.
struct RecoveryText {
  private let recovery: DeviceDirectory.Recovery
  private let report: ImportReport

  init(_ recovery: DeviceDirectory.Recovery, _ report: ImportReport) {
    self.recovery = recovery
    self.report = report
  }

  var json: JSONObject {
    [
      "old_state": recovery.kept.map { .text($0.string) } ?? .null,
      "recovered": .number(recovery.published), "unreadable": .number(recovery.unreadable),
      "segments": .number(report.segments), "documents": .number(report.documents),
    ]
  }

  func print(format: OutputFormat) {
    switch format {
    case .json: Output.line(.object(json))
    case .text: for line in text { Output.line(line) }
    }
  }

  var text: [String] {
    var lines = [
      "published \(recovery.published) segments that the folder did not have",
      ReportText.done(report),
    ]
    if let failure = recovery.failure {
      let reason = FeedSyncError(failure, operation: "read the old database").message
      lines[0] = "the old database gives nothing: \(reason)"
    } else if recovery.unreadable > 0 {
      lines.append("\(recovery.unreadable) segments of the old database cannot be read any more")
    }
    if let kept = recovery.kept { lines.append("the old database is kept: \(kept.string)") }
    return lines
  }
}
