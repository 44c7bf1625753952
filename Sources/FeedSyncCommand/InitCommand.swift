import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import SharedFolder
import Syncing
import SystemPackage

struct InitCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a synced folder a container, or join the one that it is.",
    discussion: """
      The first machine makes the container; each further one, once the syncer has brought the \
      folder, joins it. The folder itself is never created.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: ArgumentHelp("The synced folder.", valueName: "dir"), completion: .directory)
  var folder: String
  @Option(
    help: "What the container is for, such as org.example.notes (default: the folder's name).")
  var identifier: String?
  @Option(help: "What other machines call this device (default: the host's name, or as it was).")
  var deviceName: String?
  @Flag(help: "Never make a container: fail if there is none yet.") var join = false
  @Flag(
    help: "Join the container that has come in the place of this device's, with all that is here.")
  var adopt = false

  func validate() throws {
    guard !join || !adopt else { throw ValidationError("give one of --join and --adopt") }
    guard identifier?.isEmpty != true else { throw ValidationError("--identifier is empty") }
  }

  func run() throws {
    let host = ProcessInfo.processInfo.hostName
    try DeviceNameRules.check(deviceName ?? host, operation: "init")
    let request = DeviceDirectory.Request(
      folder: FilePath(folder), identifier: identifier, deviceName: deviceName,
      fallbackName: host, joinsOnly: join)
    if adopt { return try adopt(request) }
    let done = try global.directory().initialise(request)
    if let file = done.ignoreFile, global.verbose {
      Output.warn("wrote the syncer's ignore patterns to \(file.string)")
    }
    if done.isMarkerRestored {
      let file = done.device.container.markerFile.string
      Output.warn("feedsync: \(file) was missing, and was put back as this device knew it")
    }
    if let missing = MissingText(done.missing, folder: folder) { Output.warn(missing.text) }
    for line in done.salvaged.flatMap({ RecoveryText.lines($0) }) {
      Output.warn("feedsync: went on with an older database: \(line)")
    }
    try warn(about: done)
    let word = done.isCreated ? "created" : "joined"
    switch global.format {
    case .text: Output.line(word)
    case .json: Output.line(.object(json(done, result: word)))
    }
  }

  private func json(
    _ done: DeviceDirectory.Initialisation, result: String
  ) -> JSONObject {
    [
      "result": .text(result), "container": .text(done.marker.container.description),
      "identifier": .text(done.marker.identifier),
      "device": .object([
        "id": .text(done.device.record.stream.description),
        "name": .text(done.device.record.name),
      ]),
    ]
  }

  private func adopt(_ request: DeviceDirectory.Request) throws {
    let (done, recovery) = try global.recover(at: request.folder) {
      try $0.adopt(request, process: "\(getpid())")
    }
    try warn(about: done)
    let report = try recovery.imported ?? Importer(device: done.device).importAll()
    let text = RecoveryText(recovery, report)
    switch global.format {
    case .text:
      Output.line("joined")
      for line in text.text { Output.line(line) }
    case .json:
      var object = json(done, result: "joined")
      for member in text.json.members { object[member.key] = member.value }
      Output.line(.object(object))
    }
    if let failure = report.publishingFailure { throw failure }
    guard report.setAside.isEmpty else { throw ExitStatus.setAside }
  }

  /// Says what will keep this device apart from others, now that somebody is looking.
  private func warn(about done: DeviceDirectory.Initialisation) throws {
    if case .unknown(let kind) = try global.directory().fitness() {
      Output.warning(
        FeedSyncError(
          .configuration, operation: "init", file: try global.directory().root.string,
          message: "the local state is on \(kind), which feedsync does not know",
          hint: "if other machines can write there, set FEEDSYNC_STATE to a local disk"))
    }
    if let failure = done.salvageFailure {
      Output.warning(FeedSyncError(failure, operation: "init"))
    }
    if let failure = done.ignoreFailure {
      let error = FeedSyncError(failure, operation: "init")
      Output.warning(
        FeedSyncError(
          error.code, operation: error.operation, file: error.file, message: error.message,
          hint: "the owner may add to .stignore, for Syncthing: \(SyncerIgnoreFile.advice)"))
    }
    for problem in done.device.folderProblems(.system) { Output.warning(FeedSyncError(problem)) }
  }
}

/// The warning that a folder at a new place lacks something of this device's.
private struct MissingText {
  let text: String

  init?(_ missing: [ClosedRange<UInt64>], folder: String) {
    guard !missing.isEmpty else { return nil }
    let named = ReportText.transactions(Array(missing.prefix(5)), more: missing.count > 5)
    text =
      "feedsync: warning: \(folder): not in this folder: \(named) of this device; if the syncer"
      + " does not bring that, copy this device's files from the old folder's logs/"
  }
}
