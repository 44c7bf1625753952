import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import Syncing
import SystemPackage

struct RebuildCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild",
    abstract: "Make this device's database anew from the folder, and keep the old one aside.",
    discussion: """
      For a database that is damaged or not to be trusted. What the old one can still give is \
      published first; then all that is in the folder is imported. To the others this is a new \
      device; everything that was written stays. Interrupted, it goes on when it is run again.
      """)

  @OptionGroup var global: GlobalOptions

  func run() throws {
    let path = global.containerPath()
    let recovery = try global.recover(at: path) {
      try $0.rebuild(
        container: path, fallbackName: ProcessInfo.processInfo.hostName,
        process: "\(ProcessInfo.processInfo.processIdentifier)")
    }
    let report = try recovery.imported ?? Importer(device: recovery.device).importAll()
    RecoveryText(recovery, report).print(format: global.format)
    if let failure = report.publishingFailure { throw failure }
    guard report.setAside.isEmpty else { throw ExitStatus.setAside }
  }
}

extension GlobalOptions {
  /// Makes a device that takes another's place, and lets it import also where the folder does not
  /// take what the other holds: it must not look empty to whoever asks it first.
  func recover<Result>(
    at folder: FilePath?, _ body: (DeviceDirectory) throws -> Result
  ) throws -> Result {
    let directory = try directory()
    do {
      return try body(directory)
    } catch let failure as SalvageError {
      // What keeps the folder from being read as well says so at the next import.
      _ = try? Importer(device: directory.open(container: folder)).importAll()
      throw failure
    }
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
      "recovered": .number(recovery.published), "removals": .number(recovery.removals),
      "unreadable": .number(recovery.unreadable), "incomplete": .bool(recovery.isIncomplete),
      "continued": .bool(recovery.isContinued),
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
    var lines = recovery.salvaged.flatMap { Self.lines($0) }
    lines.append(ReportText.done(report))
    if recovery.isContinued {
      lines.append(
        "this went on with an earlier rebuild; if its database is not to be trusted either, run"
          + " it again")
    }
    if let kept = recovery.kept { lines.append("the old database is kept: \(kept.string)") }
    return lines
  }

  /// What one older database gave.
  static func lines(_ given: DeviceDirectory.Salvaged) -> [String] {
    let reason = given.failure.map { FeedSyncError($0, operation: "read").message }
    if let reason, given.report.unreadable == 0 {
      return ["the old database \(given.directory.string) gives nothing: \(reason)"]
    }
    var lines = [
      "published \(CountText.of(given.report.published, "segment")) that the folder did not have"
    ]
    if given.report.removals > 0 {
      lines.append(
        CountText.of(
          given.report.removals, "removal goes on waiting for what it was made on to arrive",
          "removals go on waiting for what they were made on to arrive"))
    }
    if given.report.unreadable > 0 {
      lines.append(
        "\(CountText.of(given.report.unreadable, "part")) of \(given.directory.string) cannot be"
          + " read any more"
          + (reason.map { ": \($0)" } ?? ""))
    }
    return lines
  }
}
