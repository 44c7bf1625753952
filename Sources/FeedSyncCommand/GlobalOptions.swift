import ArgumentParser
import FeedSync
import Foundation
import Syncing
import SystemPackage

extension OutputFormat: ExpressibleByArgument {}

/// What every command takes.
struct GlobalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where this device keeps its database (default: $FEEDSYNC_STATE, else the user's own).",
      valueName: "dir"), completion: .directory)
  var state: String?

  @Option(
    help: ArgumentHelp(
      "The synced folder (default: $FEEDSYNC_CONTAINER, else the default container).",
      valueName: "dir"), completion: .directory)
  var container: String?

  @Option(help: "How results and errors are printed.")
  var format: OutputFormat = .text

  @Flag(help: "Say more on standard error.")
  var verbose = false

  /// An empty path is what a script gives whose variable is not set; it would be the working
  /// directory.
  func validate() throws {
    for (name, path) in [("--state", state), ("--container", container)] where path == "" {
      throw ValidationError("\(name) is empty: name a directory")
    }
  }

  /// How long a network file system may take to answer before a command goes on without it, and
  /// before one that cannot do without it gives up.
  private static let patience = (local: 5.0, folder: 15.0)

  func directory(needsFolder: Bool = true) throws -> DeviceDirectory {
    try StateLocation.directory(
      named: state, patience: needsFolder ? Self.patience.folder : Self.patience.local)
  }

  /// Opens the device, wherever its folder is.
  func openDevice(needsFolder: Bool = true) throws -> Device {
    try directory(needsFolder: needsFolder).open(container: containerPath())
  }

  /// The folder that an option or a variable names, if one does.
  func containerPath() -> FilePath? {
    if let container { return StateLocation.absolute(container) }
    // By its bytes, which need not be UTF-8.
    let path = getenv("FEEDSYNC_CONTAINER").map { FilePath(platformString: $0) }
    return path.flatMap { $0.isEmpty ? nil : StateLocation.absolute($0) }
  }

  /// Opens the device; another container under the path ends the command before anything else.
  ///
  /// - parameter needsFolder: whether the command cannot do without the folder. If it can, and the
  ///   folder is away, a warning says so.
  func open(needsFolder: Bool) throws -> Device {
    let device = try openDevice(needsFolder: needsFolder)
    if !needsFolder { warnOfRebuild(of: device) }
    guard let absence = try device.absence() else { return device }
    guard !needsFolder else { throw absence }
    let error = FeedSyncError(absence, operation: "reach the folder")
    Output.warning(
      FeedSyncError(
        error.code, operation: error.operation, file: error.file,
        message: "\(error.message); working locally, and publishing later", hint: error.hint))
    return device
  }

  /// Says that the database is being made anew: until it has what the folder and the older one
  /// hold, documents seem to be gone.
  ///
  /// What needs the folder says it by itself where it matters, or gets what is missing.
  private func warnOfRebuild(of device: Device) {
    do {
      let directory = try directory(needsFolder: false)
      for older in try directory.databasesOfRebuild(of: device.record.container) {
        Output.warning(FeedSyncError(older: older))
      }
    } catch {
      Output.warning(FeedSyncError(error, operation: "look at older databases"))
    }
  }
}

/// A command with the global options.
protocol StoreCommand: ParsableCommand {
  var global: GlobalOptions { get }
}
